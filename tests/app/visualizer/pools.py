"""Snapshots made by hand for the memory view's tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.messages import BlockSnapshot, ChatReport, ModelLoaded

MODEL = ModelLoaded("m", "SmolLM2 135M", "cpu", 8192, 100 * 1024**2, 64, 16, 1024)
NO_OWNER = 255


def snapshot(
    num_blocks: int = 64,
    *,
    names: Sequence[str] = (),
    held: Mapping[int, str] | None = None,
    shared: Mapping[int, Sequence[str]] | None = None,
    cached: Mapping[int, str | None] | None = None,
    pinned: Sequence[int] = (),
    written: Sequence[int] = (),
    swapped: Sequence[tuple[str, int]] = (),
    chats: Sequence[ChatReport] = (),
    step: int = 0,
) -> BlockSnapshot:
    """`held` blocks have one owner, `shared` ones several, `cached` ones are unreferenced with a last owner or none."""
    held, shared, cached = held or {}, shared or {}, cached or {}
    given = [*names, *held.values(), *(n for all_ in shared.values() for n in all_), *(n for n in cached.values() if n)]
    order = list(dict.fromkeys(given))
    refs, is_cached, is_pinned, is_written = (bytearray(num_blocks) for _ in range(4))
    owners = bytearray([NO_OWNER]) * num_blocks
    for block, name in held.items():
        refs[block], owners[block] = 1, order.index(name)
    for block, all_ in shared.items():
        refs[block], owners[block], is_cached[block] = len(all_), order.index(all_[-1]), 1
    for block, last in cached.items():
        is_cached[block] = 1
        owners[block] = NO_OWNER if last is None else order.index(last)
    for block in pinned:
        is_pinned[block] = 1
    for block in written:
        is_written[block] = 1
    pairs = tuple((block, tuple(order.index(name) for name in all_)) for block, all_ in sorted(shared.items()))
    return BlockSnapshot(
        "m",
        step,
        16,
        16 * 1024,
        bytes(refs),
        bytes(is_cached),
        bytes(is_pinned),
        bytes(owners),
        bytes(is_written),
        tuple(order),
        pairs,
        tuple(swapped),
        128,
        tuple(chats),
    )
