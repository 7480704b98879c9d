"""Work of several parts, one in each turn of the loop."""

from app.bridge.rounds import Rounds


def test_a_round_does_each_part_once_in_order(qtbot):
    done: list[str] = []
    rounds = Rounds(1, (lambda: done.append("a"), lambda: done.append("b")))
    rounds.request()
    rounds.request()
    assert not done
    qtbot.waitUntil(lambda: done == ["a", "b"])


def test_what_is_requested_within_a_round_brings_another(qtbot):
    done: list[str] = []

    def first() -> None:
        done.append("a")
        if len(done) == 1:
            rounds.request()

    rounds = Rounds(1, (first, lambda: done.append("b")))
    rounds.request()
    qtbot.waitUntil(lambda: done == ["a", "b", "a", "b"])


def test_run_now_does_all_and_leaves_nothing_to_do(qtbot):
    done: list[str] = []
    rounds = Rounds(1, (lambda: done.append("a"), lambda: done.append("b")))
    rounds.request()
    rounds.run_now()
    assert done == ["a", "b"]
    assert not rounds._timer.isActive()
