"""How long a conversion still takes, told while it runs."""

from __future__ import annotations

from engine.convert.time_left import LayerPace


class Clock:
    def __init__(self) -> None:
        self.now_s = 10.0

    def __call__(self) -> float:
        return self.now_s


def test_layers_still_to_come_take_as_long_as_those_that_are_done() -> None:
    clock = Clock()
    pace = LayerPace(24, 1e12, clock)
    assert pace.left_s(0, is_measured=True) is None
    clock.now_s += 6.0
    assert pace.left_s(6, is_measured=False) == 18.0


def test_what_comes_behind_the_layers_is_counted_from_the_first_one_on() -> None:
    clock = Clock()
    pace = LayerPace(24, 1e12, clock)
    clock.now_s += 1.0
    first, last = pace.left_s(1, is_measured=True), pace.left_s(24, is_measured=True)
    assert first is not None
    assert last is not None
    assert first > 23.0
    assert last > 0
