"""Many requests, few actions; the last request is never forgotten."""

from __future__ import annotations

import time

from pytestqt.qtbot import QtBot

from app.bridge.throttle import Throttle


def test_requests_of_one_interval_make_one_action_at_its_end(qtbot: QtBot) -> None:
    calls: list[int] = []
    throttle = Throttle(5, lambda: calls.append(1))
    for _ in range(50):
        throttle.request()
    assert calls == []
    qtbot.waitUntil(lambda: bool(calls))
    throttle.flush()
    assert calls == [1]


def test_a_request_during_the_action_makes_another(qtbot: QtBot) -> None:
    calls: list[int] = []

    def act() -> None:
        calls.append(1)
        if len(calls) < 3:
            throttle.request()

    throttle = Throttle(1, act)
    throttle.request()
    qtbot.waitUntil(lambda: len(calls) == 3)


def test_flush_acts_at_once_and_only_if_something_was_asked(qtbot: QtBot) -> None:
    calls: list[int] = []
    throttle = Throttle(10_000, lambda: calls.append(1))
    throttle.flush()
    assert calls == []
    throttle.request()
    throttle.flush()
    throttle.flush()
    assert calls == [1]


def _times_of(throttle_ms: int, patience_ms: int, took_s: float, qtbot: QtBot) -> list[float]:
    """When an action that takes so long, and is wanted all the time, ended."""
    ends: list[float] = []

    def act() -> None:
        time.sleep(took_s)
        ends.append(time.perf_counter())
        if len(ends) < 4:
            throttle.request()

    throttle = Throttle(throttle_ms, act, patience_ms=patience_ms)
    throttle.request()
    qtbot.waitUntil(lambda: len(ends) == 4)
    return ends


def test_an_action_that_can_be_put_off_gives_way_up_to_its_patience(qtbot: QtBot) -> None:
    ends = _times_of(0, 80, 0.005, qtbot)
    # The second interval is the first one that knows how long the action takes.
    assert ends[3] - ends[1] > 2 * 0.08
    ends = _times_of(0, 0, 0.005, qtbot)
    assert ends[3] - ends[1] > 2 * 0.015, "without patience it takes a quarter of the time"


def test_a_cancelled_request_does_not_act(qtbot: QtBot) -> None:
    calls: list[int] = []
    throttle = Throttle(10_000, lambda: calls.append(1))
    throttle.request()
    throttle.cancel()
    throttle.flush()
    assert calls == []
