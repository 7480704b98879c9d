"""The protocol between the benchmark and a side, against a side of the tests' own in a real process."""

import sys

import pytest

from engine.bench.protocol import Ask, Task
from engine.bench.side import OpenSide, SideError, SideProgram, UnsupportedBySideError

TASK = Task((Ask((1, 2, 3), 3), Ask((10,), 2, after=(0, 3))))


def program(fault=None, python=sys.executable):
    options = {} if fault is None else {"fault": fault}
    return SideProgram("peer", python, "tests.engine.bench.fake_side", options, "install it")


def test_side_tells_its_facts_and_answers_every_ask_in_order():
    with OpenSide(program()) as side:
        assert side.facts == {"name": "counting", "version": "1"}
        assert 0 < side.load_s < side.start_s
        first, second = side.run(TASK)
        assert first.token_ids == [4, 5, 6]
        assert second.token_ids == [11, 12]
        assert second.num_cached_tokens == 7
        assert len(first.token_s) == 3
        assert second.arrival_s >= first.token_s[-1]
        assert [answer.token_ids for answer in side.run(TASK)] == [[4, 5, 6], [11, 12]]


def test_side_has_memory_as_long_as_it_runs():
    with OpenSide(program()) as side:
        memory = side.memory()
    assert 1 << 20 < memory.private_bytes <= memory.peak_bytes


def test_what_a_side_prints_is_no_reply():
    with OpenSide(program("prints")) as side:
        assert side.run(TASK)[0].token_ids == [4, 5, 6]


def test_fault_of_a_side_is_told_with_its_message_and_the_end_of_its_log():
    with OpenSide(program("raises")) as side, pytest.raises(SideError) as caught:
        side.run(TASK)
    assert str(caught.value).startswith("peer failed, ValueError: out of fingers: install it (its log ends: …")
    assert "fake_side.py" in str(caught.value)


def test_side_that_ends_is_told():
    with OpenSide(program("dies")) as side:
        for _ in range(2):
            with pytest.raises(SideError, match="peer failed, it ended: install it"):
                side.run(TASK)


def test_side_that_does_not_answer_is_killed():
    with OpenSide(program("hangs"), timeout_s=1.0) as side, pytest.raises(SideError, match="no answer within 1 s"):
        side.run(TASK)


def test_side_goes_on_after_a_task_that_it_cannot_do():
    with OpenSide(program("lacks")) as side:
        for _ in range(2):
            with pytest.raises(UnsupportedBySideError, match="peer cannot count so far"):
                side.run(TASK)


def test_side_that_cannot_load_says_why():
    with pytest.raises(SideError, match="FileNotFoundError: no fingers"), OpenSide(program("cannot load")):
        pass


def test_interpreter_that_is_not_there_is_named():
    with pytest.raises(SideError, match=r"Cannot start nowhere/python .*install it"):
        OpenSide(program(python="nowhere/python")).__enter__()
