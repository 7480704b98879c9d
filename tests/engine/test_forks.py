"""Several answers to one prompt: they share its blocks, and each is what a request of its own would get."""

import pytest

from engine.messages import AnswerFinished, RequestFailed, RequestPreempted, RequestQueued
from engine.sequence import SequenceState
from tests.engine.sampling_fakes import SamplingEngine

PROMPT = "A prompt that ends inside a block: "
WARM = {"temperature": 1.0, "max_tokens": 12, "ignore_eos": True}


def alone(seed: int, **options: object) -> list[int]:
    engine = SamplingEngine(**options)
    engine.submit("alone", PROMPT, seed=seed, **WARM)
    engine.run()
    return engine.token_ids("alone")


def test_each_answer_is_that_of_a_request_with_its_own_seed():
    engine = SamplingEngine()
    engine.submit("r", PROMPT, seed=40, n=4, **WARM)
    engine.run()
    assert [engine.token_ids("r", index) for index in range(4)] == [alone(40 + index) for index in range(4)]
    assert engine.end("r").num_completion_tokens == 48


def test_prompt_is_computed_once_and_its_blocks_are_shared():
    engine = SamplingEngine(block_size=4)
    engine.submit("r", PROMPT, seed=1, n=3, **WARM)
    engine.run()
    assert sum(engine.runner.num_tokens_per_run) == len(PROMPT) + 3 * 11
    # One prompt, of which each answer but the last to write copies the unfull block.
    num_prompt_blocks, num_answer_blocks = len(PROMPT) // 4, 4
    assert len(engine.cache.prefix_cache.cached_blocks()) <= num_prompt_blocks + 3 * num_answer_blocks


def test_forks_hold_the_same_blocks_until_one_writes():
    engine = SamplingEngine(block_size=4, max_batched_tokens=64)
    engine.submit("r", PROMPT, seed=1, n=3, **WARM)
    engine.step()
    first, *others = engine.scheduler.running
    assert [other.block_ids for other in others] == [first.block_ids] * 2
    engine.step()
    full = len(PROMPT) // 4
    assert all(other.block_ids[:full] == first.block_ids[:full] for other in others)
    assert len({sequence.block_ids[full] for sequence in engine.scheduler.running}) == 3


@pytest.mark.parametrize("how", ["swap", "recompute"])
def test_answers_survive_preemption_of_each_other(how):
    options = {"num_blocks": 15, "block_size": 4, "preemption": how}
    engine = SamplingEngine(**options)
    engine.submit("r", PROMPT, seed=7, n=4, **WARM)
    engine.run()
    assert any(isinstance(event, RequestPreempted) for event in engine.events)
    assert [engine.token_ids("r", index) for index in range(4)] == [alone(7 + index) for index in range(4)]
    assert engine.cache.num_available == 15


def test_answers_without_the_prefix_cache_share_the_prompt_all_the_same():
    engine = SamplingEngine()
    engine.submit("r", PROMPT, seed=3, n=2, use_prefix_cache=False, **WARM)
    engine.run()
    assert sum(engine.runner.num_tokens_per_run) == len(PROMPT) + 2 * 11
    assert engine.cache.pool.num_free == engine.cache.pool.num_blocks


def test_every_answer_ends_once_and_the_request_after_the_last():
    engine = SamplingEngine()
    engine.submit("r", PROMPT, seed=11, n=3, temperature=1.0, max_tokens=30)
    engine.run()
    ended = [event for event in engine.events if isinstance(event, AnswerFinished)]
    assert sorted(event.index for event in ended) == [0, 1, 2]
    assert all(event.num_completion_tokens == len(engine.token_ids("r", event.index)) for event in ended)
    assert engine.events.index(engine.end("r")) > engine.events.index(ended[-1])
    assert engine.end("r").reason == ("length" if any(event.reason == "length" for event in ended) else "stop")


def test_cancel_ends_all_answers_at_once():
    engine = SamplingEngine()
    engine.submit("r", PROMPT, seed=1, n=3, **WARM)
    for _ in range(4):
        engine.step()
    engine.core.cancel("r")
    engine.core.check_invariants()
    engine.run()
    assert engine.end("r").reason == "cancelled"
    assert not engine.scheduler.running
    assert engine.cache.num_available == engine.cache.pool.num_blocks


def test_failure_of_one_answer_ends_its_request_and_no_other():
    engine = SamplingEngine()
    engine.submit("r", PROMPT, seed=1, n=3, **WARM)
    engine.submit("other", "another prompt", seed=2, **WARM)
    engine.step()
    engine.runner.broken.add("r")
    engine.run()
    (end,) = engine.ends("r")
    assert isinstance(end, RequestFailed)
    assert engine.end("other").num_completion_tokens == 12


def test_answers_count_as_running_sequences_before_they_are_forked():
    engine = SamplingEngine(max_running_sequences=4, max_batched_tokens=64)
    engine.submit("many", PROMPT, seed=1, n=3, **WARM)
    engine.submit("two", "another prompt", seed=2, n=2, **WARM)
    engine.step()
    waiting = [event for event in engine.events if isinstance(event, RequestQueued) and event.request_id == "two"]
    assert waiting[-1].reason == "sequences"
    engine.run()
    assert engine.end("two").num_completion_tokens == 24


def test_more_answers_than_can_run_are_refused():
    engine = SamplingEngine(max_running_sequences=4)
    engine.submit("r", PROMPT, n=5)
    (event,) = engine.core.drain_events()
    assert isinstance(event, RequestFailed)
    assert "n is 5, but this engine runs 4 answers at once" in event.message


def test_a_pool_that_holds_one_answer_gets_all_of_them_done():
    engine = SamplingEngine(num_blocks=12, block_size=4)
    engine.submit("r", PROMPT, seed=5, n=4, **WARM)
    engine.run()
    assert [engine.token_ids("r", index) for index in range(4)] == [alone(5 + index) for index in range(4)]


def test_forks_pass_through_the_states_of_any_sequence():
    engine = SamplingEngine(max_batched_tokens=64)
    engine.submit("r", PROMPT, seed=5, n=2, **WARM)
    engine.step()
    assert [sequence.state for sequence in engine.scheduler.running] == [SequenceState.DECODE] * 2
