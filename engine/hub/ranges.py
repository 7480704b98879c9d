"""Which bytes of a file are there, as half-open intervals. Knows nothing of files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise


class ByteRanges:
    """Sorted, disjoint, non-adjacent intervals `[start, stop)`."""

    def __init__(self, ranges: Iterable[tuple[int, int]] = ()) -> None:
        self._ranges: list[tuple[int, int]] = []
        for start, stop in ranges:
            self.add(start, stop)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(self._ranges)

    @property
    def num_bytes(self) -> int:
        return sum(stop - start for start, stop in self._ranges)

    def add(self, start: int, stop: int) -> None:
        """Add an interval, which may overlap what is there; an empty one adds nothing."""
        assert 0 <= start <= stop, (start, stop)
        if start == stop:
            return
        apart = [(low, high) for low, high in self._ranges if high < start or low > stop]
        touched = [(low, high) for low, high in self._ranges if high >= start and low <= stop]
        start = min([start, *(low for low, _ in touched)])
        stop = max([stop, *(high for _, high in touched)])
        self._ranges = sorted([*apart, (start, stop)])

    def gaps(self, start: int, stop: int) -> list[tuple[int, int]]:
        """What is missing of `[start, stop)`, in order."""
        inside = [(max(low, start), min(high, stop)) for low, high in self._ranges if high > start and low < stop]
        bounds = [(start, start), *inside, (stop, stop)]
        return [(high, low) for (_, high), (low, _) in pairwise(bounds) if high < low]
