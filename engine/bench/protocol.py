"""What passes between the benchmark and a side: tasks down, answers with the time of every token up, as lines of JSON.

A side is a program that holds one model and generates; ours and every peer are driven alike. Standard library only,
because a peer runs in its own virtual environment. Knows nothing of engines.
"""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import IO, Any, Protocol


@dataclass(frozen=True, slots=True)
class Ask:
    """One prompt and how many tokens to generate after it, greedily and past any end token.

    It arrives at the start, or as soon as the ask `after[0]` of the same task has `after[1]` tokens.
    """

    prompt_ids: tuple[int, ...]
    max_tokens: int
    after: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """Asks that run together. `reuses_prefixes`: what one ask has computed may serve another of the same task."""

    asks: tuple[Ask, ...]
    reuses_prefixes: bool = False

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Task:
        asks = tuple(
            Ask(tuple(ask["prompt_ids"]), ask["max_tokens"], None if ask["after"] is None else tuple(ask["after"]))
            for ask in data["asks"]
        )
        return cls(asks, data["reuses_prefixes"])


@dataclass(slots=True)
class Answer:
    """What became of one ask. Times are seconds since the task began; `token_s` has one per entry of `token_ids`."""

    arrival_s: float
    token_s: list[float] = field(default_factory=list)
    token_ids: list[int] = field(default_factory=list)
    num_cached_tokens: int | None = 0
    """Tokens of the prompt that were not computed again; None if the side does not tell."""
    num_drafted_tokens: int = 0
    """Tokens that speculative decoding proposed, and how many of them were right."""
    num_accepted_tokens: int = 0


class Recorder:
    """Which asks are due and what each was answered, kept by the side while it runs a task."""

    def __init__(self, task: Task, clock: Callable[[], float] = time.perf_counter) -> None:
        self._asks = task.asks
        self._clock = clock
        self._start_s = clock()
        self._answers: dict[int, Answer] = {}

    def take_due(self) -> list[int]:
        """Indexes of the asks that arrive now; each is told once."""
        due = [index for index, ask in enumerate(self._asks) if index not in self._answers and self._is_due(ask)]
        for index in due:
            self._answers[index] = Answer(self._clock() - self._start_s)
        return due

    def add(self, index: int, *token_ids: int) -> None:
        """These tokens of an ask came now."""
        now_s = self._clock() - self._start_s
        for token_id in token_ids:
            self._answers[index].token_s.append(now_s)
            self._answers[index].token_ids.append(int(token_id))

    def answer(self, index: int) -> Answer:
        return self._answers[index]

    def has_all(self, index: int) -> bool:
        return len(self._answers[index].token_ids) >= self._asks[index].max_tokens

    @property
    def have_all_begun(self) -> bool:
        """Each ask has come and has its first token."""
        return len(self._answers) == len(self._asks) and all(answer.token_ids for answer in self._answers.values())

    @property
    def is_done(self) -> bool:
        return len(self._answers) == len(self._asks) and all(map(self.has_all, self._answers))

    def answers(self) -> list[Answer]:
        """In the order of the asks."""
        return [self._answers[index] for index in range(len(self._asks))]

    def _is_due(self, ask: Ask) -> bool:
        if ask.after is None:
            return True
        index, num_tokens = ask.after
        return index in self._answers and len(self._answers[index].token_ids) >= num_tokens


class UnsupportedTaskError(Exception):
    """The side cannot do what the task asks for; the message says what it lacks."""


class Side(Protocol):
    """A loaded model. `facts` are for the report: at least its `name` and `version`."""

    facts: dict[str, Any]

    def run(self, task: Task) -> list[Answer]:
        """Raises `UnsupportedTaskError`."""
        ...


def serve(load: Callable[[dict[str, Any]], Side], extra: Callable[[Any, dict[str, Any]], Any] | None = None) -> None:
    """The body of a side's program, until the end of standard input. Its one argument is `load`'s options, as JSON.

    Answers each line, which is a task, or an object for `extra(side, object)` where the side can do more.
    """
    lines = _take_stdout()
    try:
        start_s = time.perf_counter()
        side = load(json.loads(sys.argv[1]))
        _write(lines, {"facts": side.facts, "load_s": time.perf_counter() - start_s})
        for line in sys.stdin:
            _write(lines, _reply(side, json.loads(line), extra))
    except Exception as error:  # the last place that can tell the benchmark what went wrong
        traceback.print_exc()
        _write(lines, {"error": f"{type(error).__name__}: {error}"})


def _reply(side: Side, order: dict[str, Any], extra: Callable[[Any, dict[str, Any]], Any] | None) -> dict[str, Any]:
    try:
        if "asks" in order:
            return {"answers": [asdict(answer) for answer in side.run(Task.from_json(order))]}
        assert extra is not None, order
        return {"result": extra(side, order)}
    except UnsupportedTaskError as error:
        return {"unsupported": str(error)}


def _take_stdout() -> IO[str]:
    """Standard output for the protocol alone; what a library prints goes to standard error."""
    sys.stdout.flush()
    lines = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return lines


def _write(lines: IO[str], reply: dict[str, Any]) -> None:
    lines.write(json.dumps(reply) + "\n")
    lines.flush()
