"""How late the event loop comes to what is due."""

import itertools

from PySide6.QtCore import QTimer

from app.checks.loop_lag import LoopLag, summary


def test_lag_is_how_much_later_than_due_the_loop_came(qtbot):
    # Ten milliseconds between two readings of the clock, of which five are the interval itself.
    readings = itertools.count(step=0.010)
    lag = LoopLag(lambda: next(readings))
    lag.start()
    timer = QTimer(interval=60)
    with qtbot.waitSignal(timer.timeout):
        timer.start()
    lags_ms = lag.stop()
    assert lags_ms
    assert {round(one, 6) for one in lags_ms} == {5.0}


def test_stopped_lag_is_measured_anew_from_nothing(qtbot):
    lag = LoopLag()
    lag.start()
    lag.stop()
    lag.start()
    assert lag.stop() == []


def test_summary_has_nearest_ranks():
    assert summary([float(number) for number in range(200, 0, -1)]) == {
        "median_ms": 100, "p99_ms": 198, "max_ms": 200, "count": 200
    }  # fmt: skip
    assert summary([3.0])["p99_ms"] == 3
