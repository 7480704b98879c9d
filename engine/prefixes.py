"""Which prefix is whose: each owner's newest request, what of it is kept, taken out to be saved, or put back.

Knows nothing of files and threads; the runner moves the bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Pairs
from typing import Protocol

from engine.cache.block_pool import NULL_BLOCK
from engine.cache.identity import CacheIdentity
from engine.cache.kv_cache import KVCache
from engine.cache.prefix_cache import CachedBlock
from engine.cache.snapshot import CONSOLATION, BlockContents, SavedPrefix
from engine.errors import SnapshotError
from engine.messages import PrefixRestored, SamplingParams
from engine.scheduler import Scheduler
from engine.sequence import Sequence, SequenceState

_MAX_REMEMBERED_OWNERS = 64


class BlockCopier(Protocol):
    """What saving and restoring need of a runner; see `engine.forward.runner.Runner`."""

    def read_blocks(self, block_ids: Pairs[int]) -> BlockContents: ...

    def write_blocks(self, contents: BlockContents, pairs: Pairs[tuple[int, int]]) -> None: ...


class OwnedPrefixes:
    """Prefixes of one loaded model. Everything here happens between two steps, when no block is being moved."""

    def __init__(self, identity: CacheIdentity, cache: KVCache, scheduler: Scheduler, copier: BlockCopier) -> None:
        self.identity = identity
        self._cache = cache
        self._scheduler = scheduler
        self._copier = copier
        self._newest: dict[str, Sequence] = {}
        self._pinned: dict[str, Sequence] = {}

    @property
    def num_blocks(self) -> int:
        """How many blocks a prefix can have at most."""
        return self._cache.pool.num_blocks

    @property
    def newest(self) -> Mapping[str, Sequence]:
        """The newest ended request of each owner who is remembered."""
        return self._newest

    def remember(self, sequence: Sequence) -> None:
        """Keep which tokens an owner's newest request had, so that its blocks can be pinned and saved."""
        self._newest.pop(sequence.owner, None)
        self._newest[sequence.owner] = sequence
        if len(self._newest) > _MAX_REMEMBERED_OWNERS:
            del self._newest[next(iter(self._newest))]

    def pin(self, owner: str, is_pinned: bool) -> None:
        """Keep, or no longer keep, what is cached of the owner's newest ended request."""
        newest = self._newest.get(owner)
        if not is_pinned:
            self._cache.prefix_cache.unpin(owner)
        elif newest is not None:
            self._cache.pin(owner, newest)
            self._pinned[owner] = newest
        pins = self._cache.prefix_cache.pins()
        self._pinned = {name: sequence for name, sequence in self._pinned.items() if name in pins}

    def save(self, owner: str) -> SavedPrefix:
        """A copy of what is cached of the owner's newest request, live or ended, or else of what is pinned for it.

        Raises `SnapshotError` if nothing is cached or there is no memory for the copy.
        """
        live = [sequence for sequence in self._scheduler if sequence.owner == owner]
        live.sort(key=lambda sequence: sequence.arrival_s, reverse=True)
        for sequence in (*live, self._newest.get(owner), self._pinned.get(owner)):
            if sequence is not None:
                block_ids = self._cache.longest_hit(sequence, len(sequence.token_ids))
                held = [block_id for block_id in block_ids if block_id != NULL_BLOCK]
                if held:
                    _require_common_rotation(sequence)
                    return self._copy(sequence, len(block_ids), held)
        raise SnapshotError(
            f"Nothing of {owner!r} is cached: it can be saved once {self._cache.block_size} tokens or more of it were "
            "computed, for as long as others do not need their room"
        )

    def _copy(self, sequence: Sequence, num_blocks: int, held: list[int]) -> SavedPrefix:
        """Its first blocks, of which those that no window has passed are `held`."""
        try:
            contents = self._copier.read_blocks(held)
        except (RuntimeError, MemoryError) as error:
            raise SnapshotError(
                f"No memory to copy {len(held)} blocks ({error}): close other programs and save again"
            ) from error
        token_ids = tuple(sequence.token_ids[: num_blocks * self._cache.block_size])
        digests = tuple(self._cache.digests(sequence)[:num_blocks])
        return SavedPrefix(self.identity, sequence.scope, token_ids, digests, num_blocks - len(held), contents)

    def install(self, owner: str, path: str, saved: SavedPrefix) -> PrefixRestored:
        """Put a prefix into the cache, as much of its beginning as fits; blocks that are known are left as they are.

        Raises `SnapshotError` if it belongs to another model than the loaded one, or if there is no room.
        """
        if saved.identity != self.identity:
            raise SnapshotError(f"{path} was read for {saved.identity.model_name}, which is no longer loaded")
        num_passed, num_kept = saved.num_passed_blocks, saved.contents.num_blocks
        parents = (saved.scope, *saved.digests)
        chain = enumerate(zip(saved.digests, parents, strict=False))
        held = [CachedBlock(digest, saved.block_tokens(i), parent, i) for i, (digest, parent) in chain][num_passed:]
        num_cached = num_new = 0
        # Of a text that a window has passed in part, the beginning alone is of no use.
        if not num_passed or (num_kept == len(held) and self._cache.has_room_for(held)):
            num_cached, num_new = self._write(owner, path, held[:num_kept], saved.contents)
        if not num_cached:
            raise SnapshotError(
                f"No room for {path}: it takes {len(held)} blocks, and of the {self.num_blocks} there are, running "
                f"answers and what is pinned leave {self._cache.num_available}. {CONSOLATION}"
            )
        num_tokens = (num_passed + num_cached) * self._cache.block_size
        self.remember(_ended(owner, saved.scope, list(saved.token_ids[:num_tokens])))
        return PrefixRestored(owner, path, num_tokens, len(saved.token_ids), num_new)

    def _write(self, owner: str, path: str, blocks: list[CachedBlock], contents: BlockContents) -> tuple[int, int]:
        try:
            return self._cache.install(owner, blocks, lambda pairs: self._copier.write_blocks(contents, pairs))
        except (RuntimeError, MemoryError) as error:
            raise SnapshotError(f"{path} could not be copied into the cache ({error}). {CONSOLATION}") from error


def _require_common_rotation(sequence: Sequence) -> None:
    """Whoever restores a prefix knows its security domain, not how long its request might have become."""
    if sequence.rope_offset:
        raise SnapshotError(
            f"{sequence.owner!r} may grow to {sequence.max_length} tokens, beyond {sequence.rope_offset}, up to which "
            "this model's texts can be saved: go on with shorter answers, then save it"
        )


def _ended(owner: str, scope: bytes, token_ids: list[int]) -> Sequence:
    """A request of these tokens that has ended; the prefix cache may know them."""
    num_tokens = len(token_ids)
    state = SequenceState.FINISHED
    return Sequence("", owner, scope, token_ids, num_tokens, 0, SamplingParams(), 0, 0.0, state=state)
