"""Proposers for tests: guesses that are right, wrong, or right up to some place."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.draft import Draft
from engine.sequence import Sequence as EngineSequence
from tests.engine.fakes import END, next_token


class Oracle:
    """Guesses with the model itself; `is_right` says of each position whether it may be right there."""

    def __init__(
        self,
        choose: Callable[[Sequence[int]], int] = next_token,
        is_right: Callable[[int], bool] = lambda position: True,
    ) -> None:
        self._choose = choose
        self._is_right = is_right
        self.forgotten: list[EngineSequence] = []
        self.error: Exception | None = None

    def propose(self, wanted: Sequence[tuple[EngineSequence, int]]) -> list[Draft]:
        if self.error is not None:
            raise self.error
        return [Draft(tuple(self._guess(list(sequence.token_ids), length))) for sequence, length in wanted]

    def forget(self, sequence: EngineSequence) -> None:
        self.forgotten.append(sequence)

    def _guess(self, context: list[int], length: int) -> list[int]:
        guesses: list[int] = []
        for _ in range(length):
            token = self._choose(context)
            guesses.append(token if self._is_right(len(context)) else (token + 1) % END)
            context.append(guesses[-1])
        return guesses
