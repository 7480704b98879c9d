"""How many tokens to guess, from what came of earlier guesses."""

import itertools
import random

import pytest

from engine.draft import MAX_DRAFT_TOKENS
from engine.speculation.pace import Pace, best_length, shared_row_cost


def run(pace: Pace, acceptance: float, num_steps: int, seed: int = 0, num_sequences: int = 1) -> list[int]:
    """The lengths chosen while each guess is right with the same probability."""
    rng = random.Random(seed)
    lengths = []
    for _ in range(num_steps):
        length = pace.next_length(num_sequences)
        num_accepted = 0
        while num_accepted < length and rng.random() < acceptance:
            num_accepted += 1
        pace.on_verified(length, num_accepted)
        lengths.append(length)
    return lengths


def test_guesses_that_are_always_right_grow_to_the_most() -> None:
    assert run(Pace(0.25), 1.0, 30)[-1] == MAX_DRAFT_TOKENS


def test_guesses_that_are_never_right_cost_next_to_nothing() -> None:
    assert sum(run(Pace(0.25), 0.0, 2000)) < 0.03 * 2000


def test_pauses_grow_to_a_bound_while_nothing_is_right() -> None:
    places = [place for place, length in enumerate(run(Pace(0.25), 0.0, 4000)) if length]
    gaps = [b - a for a, b in itertools.pairwise(places) if b - a > 1]
    assert gaps == sorted(gaps)
    assert gaps[0] < 32
    assert 64 < gaps[-1] <= 130


def test_it_comes_back_when_guesses_become_right() -> None:
    pace = Pace(0.25)
    run(pace, 0.0, 500)
    assert sum(run(pace, 1.0, 300)[130:]) > 150 * MAX_DRAFT_TOKENS


def test_a_phase_that_paid_makes_the_next_pause_short_again() -> None:
    pace = Pace(0.25)
    run(pace, 0.0, 1000)
    run(pace, 1.0, 300)
    lengths = run(pace, 0.0, 60)
    pause = lengths[lengths.index(0) :]
    assert any(pause)
    assert pause.index(next(filter(None, pause))) <= 16


@pytest.mark.parametrize("row_cost", [0.05, 0.25, 0.5, 0.9])
@pytest.mark.parametrize("acceptance", [0.0, 0.2, 0.5, 0.8, 0.95])
def test_work_per_token_is_never_much_worse_than_without_guesses(row_cost: float, acceptance: float) -> None:
    pace, rng = Pace(row_cost), random.Random(1)
    work = tokens = 0.0
    for _ in range(3000):
        length = pace.next_length()
        num_accepted = 0
        while num_accepted < length and rng.random() < acceptance:
            num_accepted += 1
        pace.on_verified(length, num_accepted)
        work += 1 + row_cost * length
        tokens += 1 + num_accepted
    assert work / tokens < 1.04
    if acceptance > row_cost + 0.4:
        assert work / tokens < 0.85


def test_no_guess_is_no_news() -> None:
    pace = Pace(0.25)
    before = pace.acceptance
    for _ in range(50):
        pace.next_length()
        pace.on_verified(0, 0)
    assert pace.acceptance == before
    assert pace.next_length() > 0


def test_a_dear_row_is_tried_all_the_same() -> None:
    assert Pace(0.95).next_length() == 1


def test_the_same_history_gives_the_same_lengths() -> None:
    assert run(Pace(0.2), 0.6, 400, seed=3) == run(Pace(0.2), 0.6, 400, seed=3)


def test_in_a_crowd_fewer_guesses_pay() -> None:
    alone, crowd = (sum(run(Pace(0.25), 0.7, 300, seed=1, num_sequences=n)) for n in (1, 16))
    assert 0 < crowd < alone / 3


@pytest.mark.parametrize(
    ("acceptance", "row_cost", "length"),
    [(0.0, 0.1, 0), (0.2, 0.25, 0), (0.3, 0.25, 1), (1.0, 0.99, 7), (0.8, 0.25, 3)],
)
def test_the_length_is_the_one_with_most_tokens_per_work(acceptance: float, row_cost: float, length: int) -> None:
    assert best_length(acceptance, row_cost) == length


def test_a_row_of_one_of_many_costs_a_larger_share() -> None:
    assert shared_row_cost(0.25, 1) == 0.25
    # f = 3, r = 1: four sequences share f, and pay 3 / 4 + 1 each
    assert shared_row_cost(0.25, 4) == pytest.approx(1 / 1.75)
