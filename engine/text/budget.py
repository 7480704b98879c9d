"""How much work one rendering of a chat template may do: steps, size of what it makes, seconds.

Knows nothing of Jinja.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping

MAX_STEPS = 300_000
"""Turns of loops, calls, filters and operators. A real template takes a few dozen for each message."""
MAX_SIZE = 1 << 23
"""Characters in one text, or items in one list."""
MAX_MADE = 1 << 27
"""Characters and items made in all; a template that glues its answer together makes each piece many times."""
MAX_NUMBER_BITS = 4096
MAX_RENDER_S = 2.0
"""For what is counted by none of these, such as comparing long texts. Real templates take milliseconds."""
_STEPS_PER_CLOCK = 64
_ITEM_SIZE = 16
"""What an item of a list counts besides its own size, so that a list of small things is counted to its end in time."""


class TooMuchWorkError(ValueError):
    """A template went over its budget."""


class Budget:
    """One rendering's account. `reset` before each. `clock` gives seconds and never goes back."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.reset()

    def reset(self) -> None:
        self._num_steps = 0
        self._made = 0
        self._deadline_s = self._clock() + MAX_RENDER_S

    def step(self) -> None:
        """Raises `TooMuchWorkError` when there were too many, or time is over."""
        self._num_steps += 1
        if self._num_steps > MAX_STEPS:
            raise TooMuchWorkError(f"more than {MAX_STEPS} steps")
        if self._num_steps % _STEPS_PER_CLOCK == 0 and self._clock() > self._deadline_s:
            raise TooMuchWorkError(f"not done after {MAX_RENDER_S:g} s")

    def allow(self, size: int) -> None:
        """Before something of this size is made."""
        if size > MAX_SIZE:
            raise TooMuchWorkError(f"a text or list of {size} parts, {MAX_SIZE} are allowed")
        self._made += size
        if self._made > MAX_MADE:
            raise TooMuchWorkError(f"more than {MAX_MADE} characters made")

    def count(self, items: Iterable[object]) -> Iterator[object]:
        """The same items; each is a step."""
        for item in items:
            self.step()
            yield item


def size_of(value: object) -> int:
    """Characters or items of a value itself, not of what is in it."""
    return len(value) if isinstance(value, str | bytes | list | tuple | dict) else 1


def written_size(value: object, limit: int = MAX_SIZE) -> int:
    """About how many characters `str` or JSON makes of a value; it stops counting above `limit`.

    The same list inside a list counts each time, as it is written each time.
    """
    if isinstance(value, str | bytes):
        return len(value)
    if isinstance(value, int):
        return value.bit_length() // 3 + 1
    if isinstance(value, Mapping):
        return _sum_sizes((part for item in value.items() for part in item), limit)
    if isinstance(value, list | tuple | set):
        return _sum_sizes(value, limit)
    return 1


def _sum_sizes(items: Iterable[object], limit: int) -> int:
    size = 0
    for item in items:
        size += _ITEM_SIZE + written_size(item, limit - size)
        if size > limit:
            break
    return size
