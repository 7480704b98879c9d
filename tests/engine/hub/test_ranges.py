"""Intervals against a set of numbers."""

from hypothesis import given
from hypothesis import strategies as st

from engine.hub.ranges import ByteRanges

intervals = st.tuples(st.integers(0, 40), st.integers(0, 40)).map(lambda pair: (min(pair), max(pair)))


@given(st.lists(intervals), intervals)
def test_ranges_are_the_union_of_what_was_added(added: list[tuple[int, int]], window: tuple[int, int]) -> None:
    ranges = ByteRanges(added)
    there = {number for start, stop in added for number in range(start, stop)}
    assert {number for start, stop in ranges for number in range(start, stop)} == there
    assert ranges.num_bytes == len(there)
    missing = [number for start, stop in ranges.gaps(*window) for number in range(start, stop)]
    assert missing == [number for number in range(*window) if number not in there]
    assert all(start < stop for start, stop in [*ranges, *ranges.gaps(*window)])
