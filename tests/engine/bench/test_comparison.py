"""Sides that run the same cases in turns."""

import pytest

from engine.bench.comparison import Comparison, Result, Rounds, agreement
from engine.bench.protocol import Answer, Ask, Task
from engine.bench.side import UnsupportedBySideError
from engine.bench.workloads import Case, Metric

RATE = Metric("rate", "1/s", "more")


class ScriptedSide:
    """Needs `seconds` for the first token, in each round another; writes down in `log` that it ran."""

    def __init__(self, label, log, *seconds, token_ids=(1,)):
        self.label = label
        self._log = log
        self._seconds = iter(seconds)
        self._token_ids = list(token_ids)

    def run(self, task):
        self._log.append((self.label, task.asks[0].prompt_ids))
        try:
            return [Answer(0.0, [next(self._seconds)], self._token_ids)]
        except StopIteration:
            raise UnsupportedBySideError(f"{self.label} cannot") from None


def case(label="one"):
    def tasks(numbers):
        return (Task((Ask((numbers.randrange(1000),), 1),)),)

    return Case(label, tasks, lambda answers, tasks: {RATE: 1 / answers[0][0].token_s[0]})


def compare(*sides, count=3, deadline_s=10.0, clock=lambda: 0.0):
    comparison = Comparison(sides, Rounds(count, deadline_s, clock))
    comparison.run(case())
    return comparison


def test_sides_take_turns_and_the_order_turns_around():
    log = []
    compare(ScriptedSide("a", log, 1, 1, 1), ScriptedSide("b", log, 1, 1, 1))
    assert [label for label, _ in log] == ["a", "b", "b", "a", "a", "b"]


def test_both_sides_get_the_prompts_of_the_round_and_every_round_has_others():
    log = []
    compare(ScriptedSide("a", log, 1, 1), ScriptedSide("b", log, 1, 1), count=2)
    prompts = [prompt for _, prompt in log]
    assert prompts[0] == prompts[1] != prompts[2] == prompts[3]


def test_figures_are_medians_and_the_ratio_is_that_of_the_rounds():
    (result,) = compare(ScriptedSide("a", [], 1, 0.5, 0.25), ScriptedSide("b", [], 2, 2, 0.25)).results
    assert result.samples == {"a": [1, 2, 4], "b": [0.5, 0.5, 4]}
    assert (result.median("a"), result.median("b"), result.ratio("a", "b")) == (2, 0.5, 2)
    assert result.to_json()["medians"] == {"a": 2, "b": 0.5}


def test_side_that_cannot_is_left_out_and_noted():
    comparison = compare(ScriptedSide("a", [], 1, 1), ScriptedSide("b", []), count=2)
    (result,) = comparison.results
    assert result.samples == {"a": [1, 1], "b": []}
    assert (result.median("b"), result.ratio("a", "b")) == (None, None)
    assert comparison.notes == ["one: b cannot"]


def test_after_the_deadline_one_round_has_to_do():
    times_s = iter((11.0, 11.0))
    (result,) = compare(ScriptedSide("a", [], 1, 1, 1), clock=lambda: next(times_s)).results
    assert result.samples == {"a": [1]}


def test_tokens_are_compared_with_the_first_sides():
    sides = ScriptedSide("a", [], 1, token_ids=(1, 2, 3, 4)), ScriptedSide("b", [], 1, token_ids=(1, 2, 9, 4))
    assert compare(*sides, count=1).agreements == {"b": [0.5]}


@pytest.mark.parametrize(
    ("first", "second", "share"), [([1, 2], [1, 2], 1), ([1, 2], [1], 0.5), ([1], [2], 0), ([], [], 0)]
)
def test_agreement_is_the_share_before_the_first_difference(first, second, share):
    assert agreement(Answer(0, token_ids=first), Answer(0, token_ids=second)) == share


def test_ratio_by_nothing_is_none():
    assert Result("one", RATE, {"a": [1], "b": [0]}).ratio("a", "b") is None
