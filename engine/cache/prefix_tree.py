"""The prefix cache as a tree: which cached blocks follow which. Reads the cache, changes nothing.

Knows neither who uses a block nor what its tokens say.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field

from engine.cache.prefix_cache import CachedBlock, PrefixCache


@dataclass(slots=True)
class Run:
    """Blocks that follow each other without a fork. `parent` is the index of the run before it."""

    parent: int | None
    block_ids: list[int] = field(default_factory=list)


def find_runs(cached: Mapping[int, CachedBlock], mark: Callable[[int], Hashable]) -> list[Run]:
    """All cached blocks, parents before children. A run ends at a fork, and where the `mark` of its blocks changes."""
    followers = _followers(cached)
    runs: list[Run] = []
    pending: list[tuple[int, int | None]] = [(block_id, None) for block_id in reversed(followers.get(None, []))]
    while pending:
        block_id, parent = pending.pop()
        run, own_mark = Run(parent, [block_id]), mark(block_id)
        runs.append(run)
        following = followers.get(block_id, [])
        while len(following) == 1 and mark(following[0]) == own_mark:
            block_id = following[0]
            run.block_ids.append(block_id)
            following = followers.get(block_id, [])
        pending += [(next_id, len(runs) - 1) for next_id in reversed(following)]
    return runs


def path_to(cache: PrefixCache, digest: bytes) -> list[int]:
    """The cached blocks from the beginning to the one under this key, which is last; empty if it is not cached."""
    cached = cache.cached_blocks()
    path: list[int] = []
    block_id = cache.block_of(digest)
    while block_id is not None:
        path.append(block_id)
        block_id = cache.block_of(cached[block_id].parent)
    return path[::-1]


def blocks_from(cache: PrefixCache, digest: bytes) -> list[int]:
    """The block under this key and all that follow it, each after its parent."""
    first = cache.block_of(digest)
    if first is None:
        return []
    followers = _followers(cache.cached_blocks())
    found = [first]
    for block_id in found:
        found += followers.get(block_id, [])
    return found


def _followers(cached: Mapping[int, CachedBlock]) -> dict[int | None, list[int]]:
    """Under None those that stand at a beginning, or whose parent is no longer cached."""
    block_of = {block.digest: block_id for block_id, block in cached.items()}
    followers: dict[int | None, list[int]] = {}
    for block_id, block in cached.items():
        followers.setdefault(block_of.get(block.parent), []).append(block_id)
    return followers
