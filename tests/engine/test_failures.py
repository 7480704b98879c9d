"""What breaks while requests run: only those it belongs to fail, and what can be computed again is."""

import pytest

from engine.messages import RequestFailed, RequestFinished
from tests.engine.fakes import FakeEngine, FakeRunner
from tests.engine.sampling_fakes import SamplingEngine, SamplingRunner
from tests.engine.test_core import expected_text

PROMPTS = ("first prompt of the two", "other prompt, no less", "a third")


def run_scenario(failing_calls, preemption):
    """Three requests, one of two answers, in a pool so small that they are preempted."""
    engine = FakeEngine(num_blocks=16, block_size=4, preemption=preemption)
    engine.runner.failing_calls = frozenset(failing_calls)
    for index, prompt in enumerate(PROMPTS):
        engine.submit(str(index), prompt, max_tokens=12, n=1 + (index == 2))
    engine.run()
    return engine


def assert_texts_are_right(engine):
    for index, prompt in enumerate(PROMPTS):
        (end,) = engine.ends(str(index))
        if isinstance(end, RequestFinished):
            assert engine.text(str(index)) == expected_text(prompt, 12)
            if index == 2:
                assert engine.text("2", 1) == expected_text(prompt, 12)


@pytest.mark.parametrize("preemption", ["swap", "recompute"])
def test_no_memory_at_any_one_call_costs_nobody_an_answer(preemption):
    num_calls = run_scenario([], preemption).runner.num_calls
    for call in range(1, num_calls + 1):
        engine = run_scenario([call], preemption)
        assert_texts_are_right(engine)
        # A batch that failed is tried one by one; alone in its batch, a request has no second try.
        assert sum(isinstance(engine.ends(str(i))[0], RequestFailed) for i in range(3)) <= 1
        assert engine.cache.num_available == engine.cache.pool.num_blocks


@pytest.mark.parametrize("preemption", ["swap", "recompute"])
def test_no_memory_twice_in_a_row_fails_one_request_at_most(preemption):
    num_calls = run_scenario([], preemption).runner.num_calls
    for call in range(1, num_calls + 1):
        engine = run_scenario([call, call + 1], preemption)
        assert_texts_are_right(engine)
        assert engine.cache.num_available == engine.cache.pool.num_blocks


class SwaplessRunner(FakeRunner):
    """Has no memory for the swaps of the numbers in `failing_swaps`, counted from 1."""

    failing_swaps: frozenset[int] = frozenset()
    num_swaps = 0

    def move_blocks(self, moves):
        self.num_swaps += bool(moves.swap_out or moves.swap_in)
        if (moves.swap_out or moves.swap_in) and self.num_swaps in self.failing_swaps:
            raise MemoryError("no room to swap")
        super().move_blocks(moves)


@pytest.mark.parametrize("failing_swaps", [{1}, {2}, {1, 2}, set(range(100))])
def test_blocks_that_cannot_be_swapped_are_computed_again(failing_swaps):
    engine = FakeEngine(num_blocks=14, block_size=4, preemption="swap", make_runner=SwaplessRunner)
    engine.runner.failing_swaps = frozenset(failing_swaps)
    for index, prompt in enumerate(PROMPTS[:2]):
        engine.submit(str(index), prompt, max_tokens=12)
    engine.run()
    assert engine.runner.num_swaps >= min(failing_swaps)
    for index, prompt in enumerate(PROMPTS[:2]):
        assert engine.text(str(index)) == expected_text(prompt, 12)
        assert engine.end(str(index)).num_completion_tokens == 12


def test_a_tokenizer_that_fails_ends_its_request_alone():
    engine = FakeEngine()
    prompts = {str(index): f"{index} prompts" for index in range(8)}
    texts = {request_id: expected_text(prompt, 12) for request_id, prompt in prompts.items()}
    # A letter that some of the texts have and some have not.
    letter = next(c for c in "abcdefghijklmnopqrstuvwxyz" if 0 < sum(c in text for text in texts.values()) < 8)
    engine.tokenizer.broken_token = ord(letter)
    for request_id, prompt in prompts.items():
        engine.submit(request_id, prompt, max_tokens=12, owner=request_id)
    engine.run()
    for request_id, text in texts.items():
        (end,) = engine.ends(request_id)
        if letter in text:
            assert isinstance(end, RequestFailed)
            assert end.code == "text_failed"
            assert engine.text(request_id) == text[: text.index(letter)]
        else:
            assert engine.text(request_id) == text
    assert engine.cache.num_available == engine.cache.pool.num_blocks


def test_a_tokenizer_that_fails_on_one_of_several_answers_ends_the_request_once():
    engine = SamplingEngine()
    engine.tokenizer.broken_token = ord("e")
    engine.submit("r", "Tell me", n=4, temperature=1.0, max_tokens=40, seed=3, ignore_eos=True)
    engine.run()
    (end,) = engine.ends("r")
    assert isinstance(end, RequestFailed)
    assert not engine.scheduler.running
    assert engine.events[-1] == end


class BrokenSampler(SamplingRunner):
    """Cannot draw for the requests named in `unlucky`."""

    unlucky: frozenset[str] = frozenset()

    def decide(self, chunk, draws, contexts):
        if chunk.sequence.request_id in self.unlucky:
            raise IndexError("index out of range in the sampler")
        return super().decide(chunk, draws, contexts)


def test_a_sampler_that_fails_ends_its_request_alone():
    engine = FakeEngine(make_runner=BrokenSampler)
    for request_id in ("a", "b", "c"):
        engine.submit(request_id, f"{request_id} prompt", max_tokens=20, temperature=1.0, seed=1, ignore_eos=True)
    engine.step()
    engine.runner.unlucky = frozenset("b")
    engine.run()
    assert isinstance(engine.ends("b")[0], RequestFailed)
    for request_id in ("a", "c"):
        assert engine.end(request_id).num_completion_tokens == 20
