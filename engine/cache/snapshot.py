"""The file that holds a prefix: whole blocks of keys and values, and all that decides whether they may be used.

    8 bytes    magic
    8 bytes    length of the descriptor, little-endian
    …          descriptor, JSON: format version, `CacheIdentity`, scope, numbers of blocks, digest of the tokens
    32 bytes   sha256 of everything before it
    …          token ids, int64, block_size a block
    …          keys, then values: each [layers, blocks, kv_heads, block_size, head_dim], without those of passed blocks;
               keys alone where the identity has one side
    32 bytes   sha256 of everything before it

The descriptor has a checksum of its own, so that "damaged" and "of another model" are told apart. Both find damage,
not forgery. Knows nothing of the pool and of who the tokens belong to.
"""

from __future__ import annotations

import hashlib
import json
import os
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from engine.cache.identity import CacheIdentity
from engine.cache.prefix_cache import chain_digests
from engine.errors import SnapshotError
from engine.store.files import CHUNK_BYTES, check_cancelled, new_file

FORMAT_VERSION = 1

CONSOLATION = "Nothing is lost: what it holds is computed again"

_MAGIC = b"DIPREFIX"
_DIGEST_BYTES = 32
_TOKEN_BYTES = 8
_MAX_HEADER_BYTES = 1 << 16

IsCancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class BlockContents:
    """Keys and values of blocks as bytes, each side [layers, num_blocks, kv_heads, block_size, head_dim].

    `values` None: the keys' rows are both.
    """

    num_blocks: int
    keys: memoryview
    values: memoryview | None = None

    @property
    def sides(self) -> tuple[memoryview, ...]:
        return (self.keys,) if self.values is None else (self.keys, self.values)


@dataclass(frozen=True, slots=True)
class SavedPrefix:
    """The first full blocks of a chain: `token_ids` fill them, `digests` are their keys.

    `contents` are those of the blocks after the first `num_passed_blocks`, which a sliding window has passed.
    """

    identity: CacheIdentity
    scope: bytes
    token_ids: tuple[int, ...]
    digests: tuple[bytes, ...]
    num_passed_blocks: int
    contents: BlockContents

    def block_tokens(self, index: int) -> tuple[int, ...]:
        size = self.identity.block_size
        return self.token_ids[index * size : (index + 1) * size]


def write_snapshot(path: Path, prefix: SavedPrefix, is_cancelled: IsCancelled | None = None) -> int:
    """Write a file whole or not at all; returns its bytes. Raises `SnapshotError`, `JobCancelledError`."""
    digest, size_bytes = hashlib.sha256(), 0
    try:
        # Only a file is replaced: whoever holds a pipe or a device by its name would lose it.
        if path.exists() and not path.is_file():
            raise SnapshotError(f"{path} is a folder or a device, no file: choose another name to save to")
        with new_file(path) as file:
            for part in _parts(prefix):
                for chunk in _pieces(memoryview(digest.digest() if part is None else part).cast("B")):
                    check_cancelled(is_cancelled)
                    file.write(chunk)
                    digest.update(chunk)
                    size_bytes += len(chunk)
    except (OSError, ValueError) as error:  # ValueError: a path that no system has
        raise SnapshotError(
            f"Cannot save to {path}: {_reason(error)}. Choose another place or free some space; "
            "the chat itself is not touched"
        ) from error
    return size_bytes


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _parts(prefix: SavedPrefix) -> Iterator[bytes | memoryview | None]:
    """What the file consists of, in order; None stands for the checksum of what came before."""
    header = json.dumps(
        {
            "format_version": FORMAT_VERSION,
            "identity": prefix.identity.to_json(),
            "scope": prefix.scope.hex(),
            "num_blocks": len(prefix.digests),
            "num_passed_blocks": prefix.num_passed_blocks,
            "tokens_digest": prefix.digests[-1].hex(),
        }
    ).encode()
    yield _MAGIC + len(header).to_bytes(8, "little") + header
    yield None
    yield array("q", prefix.token_ids).tobytes()
    yield from prefix.contents.sides
    yield None


def read_snapshot(
    path: Path, identity: CacheIdentity, scope: bytes, max_blocks: int, is_cancelled: IsCancelled | None = None
) -> SavedPrefix:
    """Read and verify a whole file; the contents of at most `max_blocks` blocks are kept, the first.

    Raises `SnapshotError` unless it is undamaged, of this identity and of this scope, and `JobCancelledError`.
    """
    try:
        # Not a pipe or a device: opening one may never return.
        if not path.is_file():
            raise SnapshotError(f"There is no saved prefix {path}: check the name. {CONSOLATION}")
        with path.open("rb") as file:
            return _Reader(path, file, identity, scope, is_cancelled).read(max_blocks)
    except MemoryError as error:
        raise SnapshotError(
            f"{path.name} needs more memory than is free: close other programs. {CONSOLATION}"
        ) from error
    except (OSError, ValueError) as error:  # ValueError: a path that no system has
        raise SnapshotError(f"Cannot read {path}: {_reason(error)}. {CONSOLATION}") from error


class _Reader:
    """One reading of an open file, from its beginning to its end."""

    def __init__(
        self, path: Path, file: BinaryIO, identity: CacheIdentity, scope: bytes, is_cancelled: IsCancelled | None
    ) -> None:
        self._name = path.name
        self._file = file
        self._identity = identity
        self._scope = scope
        self._is_cancelled = is_cancelled
        self._digest = hashlib.sha256()

    def read(self, max_blocks: int) -> SavedPrefix:
        header = self._read_header()
        self._check_origin(header)
        num_blocks, num_passed = self._check_size(header)
        token_ids = array("q", self._take(num_blocks * self._identity.block_size * _TOKEN_BYTES))
        num_held = num_blocks - num_passed
        num_kept = min(num_held, max_blocks)
        sides = [self._read_side(num_held, num_kept) for _ in range(self._identity.num_sides)]
        self._check_digest("it is damaged")
        digests = chain_digests(self._scope, token_ids, self._identity.block_size)
        if digests[-1].hex() != header.get("tokens_digest"):
            raise self._refusal("its tokens are not those it names")
        contents = BlockContents(num_kept, *sides)
        return SavedPrefix(self._identity, self._scope, tuple(token_ids), tuple(digests), num_passed, contents)

    def _read_header(self) -> dict[str, Any]:
        start = self._take(len(_MAGIC) + 8)
        length = int.from_bytes(start[len(_MAGIC) :], "little")
        if start[: len(_MAGIC)] != _MAGIC:
            raise self._refusal("it is another kind of file")
        if length > _MAX_HEADER_BYTES:
            raise self._refusal("its descriptor is damaged")
        text = self._take(length)
        self._check_digest("its descriptor is damaged")
        with self._malformed():
            header = json.loads(text)
            version = header["format_version"]
            if version != FORMAT_VERSION:
                raise self._refusal(f"it has format {version}, this program reads format {FORMAT_VERSION}")
            return dict(header)

    def _check_origin(self, header: dict[str, Any]) -> None:
        with self._malformed():
            differences = list(self._identity.differences(header["identity"]))
        if differences:
            raise self._refusal(f"it was saved {differences[0]}")
        if header.get("scope") != self._scope.hex():
            raise self._refusal("it was saved for another security domain")

    def _check_size(self, header: dict[str, Any]) -> tuple[int, int]:
        """The numbers of blocks and of passed ones, if the file is as long as they need."""
        num_blocks, num_passed = header.get("num_blocks"), header.get("num_passed_blocks")
        if type(num_blocks) is not int or type(num_passed) is not int or not 0 <= num_passed < num_blocks:
            raise self._refusal(f"it claims to hold {num_blocks!r} blocks, {num_passed!r} of them passed")
        needed = self._file.tell() + num_blocks * self._identity.block_size * _TOKEN_BYTES
        held_bytes = self._identity.num_sides * self._identity.side_bytes
        needed += (num_blocks - num_passed) * held_bytes + _DIGEST_BYTES
        actual = os.fstat(self._file.fileno()).st_size
        if actual != needed:
            raise self._refusal(f"{num_blocks} blocks take {needed} bytes, it has {actual}")
        return num_blocks, num_passed

    def _read_side(self, num_held: int, num_kept: int) -> memoryview:
        """Keys or values, of every layer the first `num_kept` blocks; what is read past is checked all the same."""
        layer_bytes = self._identity.layer_bytes
        kept = memoryview(bytearray(num_kept * self._identity.side_bytes))
        for layer in range(self._identity.num_layers):
            self._fill(kept[layer * num_kept * layer_bytes : (layer + 1) * num_kept * layer_bytes])
            for _ in range(num_kept, num_held):
                self._take(layer_bytes)
        return kept

    def _take(self, size_bytes: int) -> bytearray:
        data = bytearray(size_bytes)
        self._fill(memoryview(data))
        return data

    def _fill(self, target: memoryview) -> None:
        for piece in _pieces(target):
            check_cancelled(self._is_cancelled)
            if self._file.readinto(piece) != len(piece):  # type: ignore[attr-defined]
                raise self._refusal("it is cut off")
            self._digest.update(piece)

    def _check_digest(self, reason: str) -> None:
        expected = self._digest.digest()
        if self._take(_DIGEST_BYTES) != expected:
            raise self._refusal(f"{reason}: its checksum is another")

    @contextmanager
    def _malformed(self) -> Iterator[None]:
        """Turns what a descriptor of another shape raises into a refusal."""
        try:
            yield
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise self._refusal("its descriptor is of another shape") from error

    def _refusal(self, reason: str) -> SnapshotError:
        return SnapshotError(f"{self._name} is not used: {reason}. {CONSOLATION}")


def _pieces(data: memoryview) -> Iterator[memoryview]:
    for start in range(0, len(data), CHUNK_BYTES):
        yield data[start : start + CHUNK_BYTES]
