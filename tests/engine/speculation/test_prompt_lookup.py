"""Guesses from what followed earlier in the same sequence."""

import gc
import random
import weakref

from hypothesis import given
from hypothesis import strategies as st

from engine.draft import NO_DRAFT
from engine.speculation.prompt_lookup import PromptLookup
from tests.engine.speculation.sequences import make_sequence


def propose(token_ids: list[int], max_tokens: int = 3) -> tuple[int, ...]:
    (draft,) = PromptLookup().propose([(make_sequence(token_ids), max_tokens)])
    assert draft.probabilities is None
    return draft.token_ids


def test_what_followed_the_same_tokens_is_proposed() -> None:
    assert propose([1, 2, 3, 4, 5, 6, 9, 1, 2, 3]) == (4, 5, 6)


def test_tokens_never_seen_before_give_no_draft() -> None:
    assert propose([1, 2, 3, 4, 5]) == ()


def test_one_equal_token_is_not_enough() -> None:
    assert propose([7, 1, 2, 3, 8, 1]) == ()


def test_a_longer_match_wins_over_a_later_one() -> None:
    assert propose([1, 2, 3, 50, 9, 2, 3, 60, 1, 2, 3], 1) == (50,)


def test_of_equally_long_matches_the_latest_wins() -> None:
    assert propose([1, 2, 50, 1, 2, 60, 1, 2], 1) == (60,)


def test_a_repetition_that_has_begun_goes_on_past_the_end() -> None:
    assert propose([5, 1, 2, 1, 2, 1, 2], 5) == (1, 2, 1, 2, 1)


def test_no_more_than_asked_is_proposed() -> None:
    lookup, sequence = PromptLookup(), make_sequence([1, 2, 3, 4, 1, 2])
    assert [lookup.propose([(sequence, n)])[0].token_ids for n in (0, 1, 2)] == [(), (3,), (3, 4)]


def test_a_sequence_too_short_for_any_match_gives_no_draft() -> None:
    assert [propose(token_ids) for token_ids in ([1], [1, 1])] == [(), ()]


def test_sequences_do_not_see_one_another() -> None:
    a, b = make_sequence([1, 2, 3, 1, 2]), make_sequence([1, 2, 4, 1, 2], "b")
    assert [draft.token_ids for draft in PromptLookup().propose([(a, 1), (b, 1)])] == [(3,), (4,)]


@given(st.lists(st.integers(0, 3), min_size=1, max_size=60), st.randoms(use_true_random=False))
def test_growing_step_by_step_finds_what_a_fresh_look_finds(token_ids: list[int], rng: random.Random) -> None:
    lookup, sequence = PromptLookup(), make_sequence(token_ids[:1])
    rest = token_ids[1:]
    while rest:
        num_new = rng.randint(1, 5)
        sequence.token_ids += rest[:num_new]
        rest = rest[num_new:]
        assert lookup.propose([(sequence, 3)])[0].token_ids == propose(sequence.token_ids)


def test_a_forgotten_sequence_can_be_looked_up_again() -> None:
    lookup, sequence = PromptLookup(), make_sequence([1, 2, 3, 1, 2])
    before = lookup.propose([(sequence, 2)])
    lookup.forget(sequence)
    lookup.forget(sequence)
    assert lookup.propose([(sequence, 2)]) == before != [NO_DRAFT]


def test_an_ended_sequence_is_not_kept_alive() -> None:
    lookup, sequence = PromptLookup(), make_sequence([1, 2, 3, 1, 2])
    lookup.propose([(sequence, 2)])
    reference = weakref.ref(sequence)
    del sequence
    gc.collect()
    assert reference() is None
