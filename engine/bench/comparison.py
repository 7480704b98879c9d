"""Runs cases on several sides, in turns, and holds the figures that came of it.

Knows nothing of what the cases are, and of how the figures are shown.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from engine.bench.protocol import Answer, Task
from engine.bench.side import UnsupportedBySideError
from engine.bench.workloads import Case, Figures, Metric


@dataclass(frozen=True, slots=True)
class Result:
    """One figure of one case: by side, a value for each round."""

    case: str
    metric: Metric
    samples: dict[str, list[float]]

    def median(self, label: str) -> float | None:
        return statistics.median(self.samples[label]) if self.samples.get(label) else None

    def ratio(self, label: str, other: str) -> float | None:
        """Median over the rounds of `label`'s value by `other`'s of the same round."""
        pairs = zip(self.samples.get(label, ()), self.samples.get(other, ()), strict=False)
        ratios = [mine / its for mine, its in pairs if its]
        return statistics.median(ratios) if ratios else None

    def to_json(self) -> dict[str, Any]:
        metric = {"metric": self.metric.name, "unit": self.metric.unit, "better": self.metric.better}
        medians = {label: self.median(label) for label in self.samples}
        return {"case": self.case, **metric, "medians": medians, "samples": self.samples}


class Runnable(Protocol):
    """What a comparison needs of a side; see `engine.bench.side.OpenSide`."""

    @property
    def label(self) -> str: ...

    def run(self, task: Task) -> list[Answer]: ...


@dataclass(slots=True)
class Rounds:
    """How often to run a case; after `deadline_s` (of time.monotonic) one round of each has to do."""

    count: int
    deadline_s: float
    clock: Callable[[], float] = time.monotonic
    on_round: Callable[[str, int], None] = lambda case, number: None

    def __iter__(self) -> Any:
        for number in range(self.count):
            if number and self.clock() > self.deadline_s:
                return
            yield number


@dataclass(slots=True)
class Comparison:
    """Sides that run the same cases; `results` grow case by case. The order of the sides turns around every round."""

    sides: Sequence[Runnable]
    rounds: Rounds
    results: list[Result] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    agreements: dict[str, list[float]] = field(default_factory=dict)
    """By side, of each answer: the share of its tokens that came before the first that differs from ours."""

    def run(self, case: Case) -> None:
        sides = list(self.sides)
        figures: dict[str, list[Figures]] = {side.label: [] for side in sides}
        for number in self.rounds:
            self.rounds.on_round(case.label, number)
            tasks = case.make_tasks(random.Random(f"{case.label} {number}"))
            answers: dict[str, list[list[Answer]]] = {}
            for side in list(sides if number % 2 == 0 else reversed(sides)):
                try:
                    answers[side.label] = [side.run(task) for task in tasks]
                except UnsupportedBySideError as error:
                    sides.remove(side)
                    self.notes.append(f"{case.label}: {error}")
            for label, given in answers.items():
                figures[label].append(case.measure(given, tasks))
            self._compare_tokens(answers)
        self._add(case, figures)

    def _add(self, case: Case, figures: dict[str, list[Figures]]) -> None:
        metrics = dict.fromkeys(metric for rounds in figures.values() for one in rounds for metric in one)
        for metric in metrics:
            samples = {label: [one[metric] for one in rounds if metric in one] for label, rounds in figures.items()}
            self.results.append(Result(case.label, metric, samples))

    def _compare_tokens(self, answers: dict[str, list[list[Answer]]]) -> None:
        ours = answers.get(self.sides[0].label)
        for label, given in answers.items():
            if ours is None or given is ours:
                continue
            for mine, its in zip(ours, given, strict=True):
                self.agreements.setdefault(label, []).extend(map(agreement, mine, its))


def agreement(first: Answer, second: Answer) -> float:
    """The share of tokens before the first that differs."""
    total = max(len(first.token_ids), len(second.token_ids), 1)
    same = [a == b for a, b in zip(first.token_ids, second.token_ids, strict=False)]
    return (same.index(False) if False in same else len(same)) / total
