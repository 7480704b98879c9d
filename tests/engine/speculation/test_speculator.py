"""Guesses for one sequence do not hold up those that go without."""

from __future__ import annotations

import numpy as np
import pytest

from engine.draft import MAX_DRAFT_TOKENS, Draft
from engine.sequence import Sequence
from engine.speculation.speculator import Speculator, spared_lengths
from tests.engine.proposers import Oracle
from tests.engine.speculation.sequences import make_sequence

ROW_COST = 0.2


@pytest.mark.parametrize("num_sequences", [2, 4, 8, 64])
@pytest.mark.parametrize("num_guessing", [1, 2, 5])
def test_guesses_lengthen_a_step_by_a_third_at_most(num_sequences: int, num_guessing: int) -> None:
    num_guessing = min(num_guessing, num_sequences - 1)
    lengths = [MAX_DRAFT_TOKENS] * num_guessing + [0] * (num_sequences - num_guessing)
    spared = spared_lengths(lengths, ROW_COST)
    step = 1 + (num_sequences - 1) * ROW_COST
    most = step / 3
    assert sum(spared) * ROW_COST <= most + 1e-9
    # And no shorter than that asks for.
    assert sum(spared) == sum(lengths) or (sum(spared) + 1) * ROW_COST > most
    assert max(spared[:num_guessing]) - min(spared[:num_guessing]) <= 1
    assert not any(spared[num_guessing:])


@pytest.mark.parametrize("lengths", [[], [0], [7], [7, 7, 7, 1]])
def test_where_nobody_goes_without_nothing_is_shortened(lengths: list[int]) -> None:
    assert spared_lengths(lengths, ROW_COST) == lengths


def test_the_longest_draft_is_shortened() -> None:
    assert spared_lengths([7, 1, 0], ROW_COST) == [1, 1, 0]


class _OnlyFor(Oracle):
    def __init__(self, sequence: Sequence) -> None:
        super().__init__()
        self._sequence = sequence

    def propose(self, wanted: list[tuple[Sequence, int]]) -> list[Draft]:  # type: ignore[override]
        drafts = super().propose(wanted)
        return [draft if one is self._sequence else Draft(()) for (one, _), draft in zip(wanted, drafts, strict=True)]


def test_a_sequence_for_which_nothing_is_found_keeps_its_speed() -> None:
    repeating, other = make_sequence([1, 2, 3], "a"), make_sequence([4, 5, 6], "b")
    alone, beside = (Speculator(_OnlyFor(repeating), ROW_COST) for _ in range(2))
    for _ in range(20):
        (whole,) = alone.propose([(repeating, MAX_DRAFT_TOKENS)])
        alone.on_verified(repeating, len(whole.token_ids), len(whole.token_ids))
        drafts = beside.propose([(repeating, MAX_DRAFT_TOKENS), (other, MAX_DRAFT_TOKENS)])
        beside.on_verified(repeating, len(drafts[0].token_ids), len(drafts[0].token_ids))
    assert len(whole.token_ids) == MAX_DRAFT_TOKENS
    assert [len(draft.token_ids) for draft in drafts] == [2, 0]
    assert drafts[0].token_ids == whole.token_ids[:2]


def test_nothing_is_guessed_that_would_not_be_kept() -> None:
    guessing, other = make_sequence([1, 2, 3], "a"), make_sequence([4, 5, 6], "b")
    asked: list[int] = []

    class Counting(_OnlyFor):
        def propose(self, wanted: list[tuple[Sequence, int]]) -> list[Draft]:  # type: ignore[override]
            asked.append(len(wanted))
            return super().propose(wanted)

    dear = Speculator(Counting(guessing), row_cost=0.6)
    assert [len(draft.token_ids) for draft in dear.propose([(guessing, MAX_DRAFT_TOKENS), (other, 0)])] == [0, 0]
    assert not asked
    assert dear.propose([(guessing, MAX_DRAFT_TOKENS)])[0].token_ids
    assert asked == [1]


def test_a_shorter_draft_has_the_distributions_of_its_tokens() -> None:
    probabilities = np.eye(3)
    draft = Draft((0, 1, 2), probabilities)
    shorter = draft.first(2)
    assert shorter.token_ids == (0, 1)
    assert shorter.probabilities is not None
    assert shorter.probabilities.shape == (2, 3)
    assert draft.first(3) is draft
