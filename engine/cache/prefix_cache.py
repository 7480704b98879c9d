"""Full, immutable blocks by the exact tokens that lead to their end, and the order in which they give way.

The cache is an owner of each block it holds. Knows nothing of sequences.
"""

from __future__ import annotations

import hashlib
from array import array
from collections import OrderedDict
from collections.abc import Sequence as Tokens
from dataclasses import dataclass

from engine.cache.block_pool import BlockPool


def scope_digest(*parts: str) -> bytes:
    """Root of a chain of keys. Parts are length-prefixed, so that no two lists of parts meet."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.digest()


def block_digest(parent: bytes, token_ids: Tokens[int]) -> bytes:
    """Key of the block that holds `token_ids` after the blocks that `parent` stands for."""
    return hashlib.sha256(parent + array("q", token_ids).tobytes()).digest()


def chain_digests(parent: bytes, token_ids: Tokens[int], block_size: int) -> list[bytes]:
    """Keys of all full blocks of tokens that stand after the blocks that `parent` stands for."""
    digests: list[bytes] = []
    for end in range(block_size, len(token_ids) + 1, block_size):
        parent = block_digest(parent, token_ids[end - block_size : end])
        digests.append(parent)
    return digests


@dataclass(frozen=True, slots=True)
class CachedBlock:
    """`token_ids` stand in block `index` of their text, after those that the digest `parent` stands for."""

    digest: bytes
    token_ids: tuple[int, ...]
    parent: bytes
    index: int


class PrefixCache:
    """Digest -> block. Blocks that nobody but the cache owns are evictable, the least recently used first."""

    def __init__(self, pool: BlockPool) -> None:
        self._pool = pool
        self._block_by_digest: dict[bytes, int] = {}
        self._contents: dict[int, CachedBlock] = {}
        self._evictable: OrderedDict[int, None] = OrderedDict()
        self._pins: dict[str, list[int]] = {}
        self._num_hits: dict[int, int] = {}

    @property
    def num_evictable(self) -> int:
        return len(self._evictable)

    def is_evictable(self, block_id: int) -> bool:
        return block_id in self._evictable

    def cached_blocks(self) -> dict[int, CachedBlock]:
        return dict(self._contents)

    def find(self, digest: bytes, token_ids: Tokens[int]) -> int | None:
        """The block under this key, if its tokens are these exactly."""
        block_id = self._block_by_digest.get(digest)
        if block_id is None or self._contents[block_id].token_ids != tuple(token_ids):
            return None
        return block_id

    def block_of(self, digest: bytes) -> int | None:
        """The block under this key, whatever its tokens."""
        return self._block_by_digest.get(digest)

    def insert(self, block: CachedBlock, block_id: int) -> bool:
        """Become an owner of a full block that is never written again. False if the key or block is known already."""
        if block.digest in self._block_by_digest or block_id in self._contents:
            return False
        self._pool.retain(block_id)
        self._block_by_digest[block.digest] = block_id
        self._contents[block_id] = block
        return True

    def count_hit(self, block_id: int) -> None:
        """A request begins with this block and need not compute it."""
        self._num_hits[block_id] = self._num_hits.get(block_id, 0) + 1

    def num_hits(self, block_id: int) -> int:
        return self._num_hits.get(block_id, 0)

    def reuse(self, block_id: int) -> None:
        """Give a cached block one more owner."""
        self._pool.retain(block_id)
        self._evictable.pop(block_id, None)

    def pin(self, name: str, block_ids: list[int]) -> int:
        """Own cached blocks a second time, under a name, so that they are not evicted.

        Replaces what was pinned under that name; returns how many blocks are pinned now.
        """
        for block_id in block_ids:
            self.reuse(block_id)
        self.unpin(name)
        if block_ids:
            self._pins[name] = list(block_ids)
        return len(block_ids)

    def unpin(self, name: str) -> None:
        """Let go of what is pinned under a name. Idempotent."""
        for block_id in reversed(self._pins.pop(name, [])):
            self.on_released(block_id, self._pool.release(block_id))

    def pins(self) -> dict[str, tuple[int, ...]]:
        """Pinned blocks by name, the pin that was set first standing first."""
        return {name: tuple(block_ids) for name, block_ids in self._pins.items()}

    def on_released(self, block_id: int, num_owners: int, goes_first: bool = False) -> None:
        """An owner let go of a block. Let a sequence's last block go first: tails are evicted before heads.

        With `goes_first` it is evicted before all that are evictable now.
        """
        if num_owners == 1 and block_id in self._contents:
            self._evictable[block_id] = None
            if goes_first:
                self._evictable.move_to_end(block_id, last=False)

    def evict(self) -> int:
        """Forget the least recently used evictable block, which becomes free. Raises KeyError if there is none."""
        block_id, _ = self._evictable.popitem(last=False)
        self._forget(block_id)
        return block_id

    def drop(self, block_id: int) -> None:
        """Forget an evictable block out of turn. Raises KeyError if it is not evictable."""
        del self._evictable[block_id]
        self._forget(block_id)

    def _forget(self, block_id: int) -> None:
        del self._block_by_digest[self._contents.pop(block_id).digest]
        self._num_hits.pop(block_id, None)
        left = self._pool.release(block_id)
        assert left == 0, f"evicted block {block_id} still has {left} owners"
