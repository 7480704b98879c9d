"""What the workloads ask, and what they read from the times of the answers."""

import random

import pytest

from engine.bench import workloads
from engine.bench.protocol import Answer
from engine.bench.workloads import PromptMaker, decode_rate

PROMPTS = PromptMaker(5000)


def answer(*token_s, arrival_s=0.0, token_ids=None, **counts):
    return Answer(arrival_s, list(token_s), list(range(len(token_s))) if token_ids is None else token_ids, **counts)


def figures(case, *answers):
    """By name; the answers are those of each task in turn."""
    measured = case.measure(answers, case.make_tasks(random.Random(0)))
    return {metric.name: value for metric, value in measured.items()}


def test_prompts_repeat_by_their_seed_and_avoid_the_lowest_ids():
    first, again, other = (PROMPTS.ids(random.Random(seed), 500) for seed in (1, 1, 2))
    assert first == again != other
    assert min(first) >= 1000
    assert max(first) < 5000


def test_decode_counts_the_tokens_while_all_decode():
    # The first has 4 tokens before the second begins; then both get one a second.
    assert decode_rate([answer(1, 2, 3, 4, 5, 6, 7), answer(4.5, 5, 6, 7)]) == 6 / 2.5


def test_decode_of_a_side_that_takes_one_at_a_time_counts_them_all():
    assert decode_rate([answer(1, 2), answer(3, 4)]) == 1


def test_decode_has_a_case_for_each_count():
    cases = workloads.decode_cases(PROMPTS)
    assert [len(case.make_tasks(random.Random(0))[0].asks) for case in cases] == [1, 4, 8, 16]
    assert [case.label for case in cases[:2]] == ["1 sequence", "4 sequences"]


def test_prefill_is_prompt_tokens_by_the_time_to_the_first_token():
    (case,) = workloads.prefill_cases(PROMPTS, (512,))
    assert figures(case, [answer(2.5, arrival_s=0.5)]) == {"tokens/s": 256}


def test_prefix_tells_what_the_second_computed():
    (case,) = workloads.prefix_cases(PROMPTS)
    (task,) = case.make_tasks(random.Random(0))
    cold, warm = task.asks
    assert task.reuses_prefixes
    assert cold.prompt_ids[:1000] == warm.prompt_ids[:1000]
    assert cold.prompt_ids[1000:] != warm.prompt_ids[1000:]
    measured = figures(case, [answer(2, 3), answer(3.25, 3.5, arrival_s=3, num_cached_tokens=992)])
    assert measured == {
        "first token, cold": 2000,
        "first token, warm": 250,
        "prompt tokens computed, cold": 1024,
        "prompt tokens computed, warm": 32,
    }


def test_prefix_leaves_out_what_a_side_does_not_tell():
    (case,) = workloads.prefix_cases(PROMPTS)
    measured = figures(case, [answer(2, num_cached_tokens=None), answer(3, num_cached_tokens=None)])
    assert set(measured) == {"first token, cold", "first token, warm"}


def test_mixed_sets_the_worst_gap_while_the_prompt_is_computed_against_the_usual_one():
    (case,) = workloads.mixed_cases(PROMPTS)
    running = [answer(1, 2, 3, 4, 7, 12, 13), answer(1, 2, 3, 4, 7, 12, 13)]
    measured = figures(case, [*running, answer(12.5, arrival_s=4.5)])
    assert measured["gap, undisturbed"] == 1000
    assert measured["gap, worst"] == 5000
    assert measured["worst / undisturbed"] == 5
    assert measured["first token of the long prompt"] == 8000


def test_serial_requests_come_one_after_the_other_and_are_the_same_ones():
    (case,) = workloads.serial_cases(PROMPTS)
    serial, together = case.make_tasks(random.Random(0))
    assert [ask.prompt_ids for ask in serial.asks] == [ask.prompt_ids for ask in together.asks]
    assert [ask.after for ask in serial.asks] == [None, (0, 24), (1, 24), (2, 24)]
    assert {ask.after for ask in together.asks} == {None}
    measured = figures(
        case,
        [answer(1, token_ids=[5]), answer(6, token_ids=[6])],
        [answer(2, token_ids=[5]), answer(3, token_ids=[7])],
    )
    assert measured["one after the other / together"] == 2
    assert measured["same tokens both ways"] == 50


def test_speculation_tells_acceptance_and_tokens_of_a_step():
    (case,) = workloads.speculation_cases({"a list": (1, 2, 3)})
    measured = figures(case, [answer(1, 2, 2, 2, 3, 3, num_drafted_tokens=4, num_accepted_tokens=3)])
    assert measured == {"tokens/s": 2.5, "tokens per step": 2, "guesses accepted": 75}


def test_speculation_without_guesses_has_no_acceptance():
    (case,) = workloads.speculation_cases({"a list": (1, 2, 3)})
    assert "guesses accepted" not in figures(case, [answer(1, 2)])


@pytest.mark.parametrize("make", [workloads.mixed_cases, workloads.prefix_cases, workloads.serial_cases])
def test_case_knows_how_many_tokens_it_needs(make):
    (case,) = make(PROMPTS)
    tasks = case.make_tasks(random.Random(0))
    lengths = [[len(ask.prompt_ids) + ask.max_tokens for ask in task.asks] for task in tasks]
    assert case.num_tokens == max(map(sum, lengths))
    assert case.num_context_tokens == max(map(max, lengths))
