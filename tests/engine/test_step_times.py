"""How much of a prompt a step takes in beside answers that run."""

import pytest

from engine.step_times import StepTimes
from tests.engine.fakes import FakeEngine


def learnt(alone_s: float, token_s: float) -> StepTimes:
    times = StepTimes()
    for _ in range(20):
        times.on_step(4, 0, alone_s)
        times.on_step(4, 50, alone_s + 50 * token_s)
    return times


def test_a_step_takes_in_what_stretches_it_as_far_as_it_may():
    assert learnt(0.010, 0.001).max_prompt_tokens(2.5) == pytest.approx(15, abs=1)
    assert learnt(0.010, 0.0001).max_prompt_tokens(2.5) == pytest.approx(150, abs=1)
    assert learnt(0.010, 0.02).max_prompt_tokens(2.5) == 0


def test_prompts_without_company_teach_it_too():
    times = StepTimes()
    times.on_step(0, 500, 0.5)
    times.on_step(2, 0, 0.010)
    assert times.max_prompt_tokens(3.0) == 20


def test_it_is_careful_before_it_knows():
    assert StepTimes().max_prompt_tokens(2.5) == 32


def test_it_follows_what_changes():
    times = learnt(0.010, 0.001)
    for _ in range(30):
        times.on_step(4, 10, 0.010 + 10 * 0.003)
    assert times.max_prompt_tokens(2.5) == pytest.approx(5, abs=1)


def chunks_of_a_long_prompt(**options: object) -> list[int]:
    """How many rows each step has from the arrival of a long prompt to its first token, beside two answers."""
    engine = FakeEngine(num_blocks=400, max_batched_tokens=128, max_context=1000, **options)  # type: ignore[arg-type]
    engine.scheduler.step_times = learnt(0.010, 0.0004)
    for index in range(2):
        engine.submit(str(index), f"prompt {index}", max_tokens=100)
    for _ in range(3):
        engine.step()
    engine.scheduler.step_times = learnt(0.010, 0.0004)
    num_steps = len(engine.runner.num_tokens_per_run)
    engine.submit("long", "words " * 50, max_tokens=2)
    while not engine.token_ids("long"):
        # The clock of the fake tells nothing of work.
        engine.scheduler.step_times = learnt(0.010, 0.0004)
        engine.step()
    return engine.runner.num_tokens_per_run[num_steps:]


def test_a_prompt_beside_answers_comes_in_chunks_that_stretch_the_step_as_far_as_allowed():
    assert max(chunks_of_a_long_prompt(max_stretch=2.5)) == pytest.approx(2 + 37, abs=1)


def test_without_a_limit_it_takes_the_whole_budget():
    assert max(chunks_of_a_long_prompt(max_stretch=None)) == 128


def test_a_prompt_advances_however_slow_it_is():
    assert max(chunks_of_a_long_prompt(max_stretch=1.0)) == 2 + 4


def test_answers_that_fail_with_another_of_their_request_count_on_no_side():
    engine = FakeEngine()
    engine.submit("a", "some prompt", n=3, max_tokens=20)
    for _ in range(3):
        engine.step()
    told: list[tuple[int, int]] = []
    engine.scheduler.step_times.on_step = lambda num_decodes, num_prompt_tokens, _: (  # type: ignore[method-assign]
        told.append((num_decodes, num_prompt_tokens))
    )
    engine.tokenizer.broken_token = engine.token_ids("a")[-1]
    engine.step()
    assert told == [(1, 0)]
    assert engine.ends("a")


def test_many_prompts_beside_one_answer_come_in_larger_chunks():
    engine = FakeEngine(num_blocks=400, max_batched_tokens=128, max_context=1000, max_stretch=2.0)
    engine.submit("answer", "prompt", max_tokens=100)
    for _ in range(3):
        engine.step()
    engine.scheduler.step_times = learnt(0.010, 0.001)
    for index in range(4):
        engine.submit(str(index), f"{index} words " * 20, max_tokens=2)
    engine.step()
    assert engine.runner.num_tokens_per_run[-1] == pytest.approx(1 + 4 * 10, abs=2)
