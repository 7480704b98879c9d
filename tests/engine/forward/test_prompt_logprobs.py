"""Log-probabilities of the prompt's own tokens, through core and runner on the tiny decoder."""

import numpy as np
import pytest
import torch

from engine.messages import PromptLogprobs
from engine.models.decoder import make_pool
from kernels.ops import AttentionBatch, ForwardInput
from tests.engine.tiny_decoder import SPEC, DecoderEngine, tiny_decoder

PROMPT = "Forty-five characters, of which none is alike."


def whole_prompt_logprobs(prompt: str) -> list[float]:
    """Of each token after the first, from one forward over a contiguous cache."""
    decoder, backend = tiny_decoder("reference")
    token_ids = list(prompt.encode())
    count = len(token_ids)
    attention = AttentionBatch((0, count), (count,), (np.ones(1, np.int64),))
    positions = np.arange(count)
    forward = ForwardInput(np.array(token_ids), positions, positions + count, attention, count)
    logits = decoder.logits(decoder.hidden(forward, make_pool(SPEC, 1, count, backend)))
    logprobs = torch.log_softmax(torch.from_numpy(logits).double(), dim=1)
    return [float(logprobs[index, token_id]) for index, token_id in enumerate(token_ids[1:])]


def told(engine: DecoderEngine, request_id: str) -> list[PromptLogprobs]:
    return [e for e in engine.events if isinstance(e, PromptLogprobs) and e.request_id == request_id]


def assert_tells_the_prompt(engine: DecoderEngine, request_id: str) -> None:
    events = told(engine, request_id)
    assert [event.start for event in events] == [1, *(event.start + len(event.logprobs) for event in events[:-1])]
    assert [token_id for event in events for token_id in event.token_ids] == list(PROMPT.encode())[1:]
    values = [entry.logprob for event in events for entry in event.logprobs]
    assert values == pytest.approx(whole_prompt_logprobs(PROMPT), abs=1e-4)


@pytest.mark.parametrize("budget", [5, 16, 64])
def test_every_token_but_the_first_is_told_once_whatever_the_chunks(budget):
    engine = DecoderEngine(max_batched_tokens=budget, max_running_sequences=4)
    engine.submit("r", PROMPT, prompt_logprobs=2)
    engine.run()
    assert_tells_the_prompt(engine, "r")
    assert all(len(entry.top) == 2 for event in told(engine, "r") for entry in event.logprobs)


def test_cached_blocks_are_computed_again_for_their_logits():
    engine = DecoderEngine()
    engine.submit("before", PROMPT)
    engine.run()
    engine.submit("r", PROMPT, prompt_logprobs=0)
    engine.run()
    assert_tells_the_prompt(engine, "r")
    assert engine.end("r").num_cached_tokens == 0
    assert engine.token_ids("r") == engine.token_ids("before")


@pytest.mark.parametrize("how", ["swap", "recompute"])
def test_what_was_told_is_not_told_again_after_a_preemption(how):
    engine = DecoderEngine(num_blocks=22, block_size=4, max_batched_tokens=16, preemption=how)
    engine.submit("first", "another prompt, long enough", max_tokens=40, priority=0, ignore_eos=True)
    engine.submit("r", PROMPT, prompt_logprobs=0, max_tokens=30, ignore_eos=True)
    engine.run()
    assert engine.core.metrics.preemptions[how]
    assert_tells_the_prompt(engine, "r")


def test_a_request_that_asks_for_none_gets_none():
    engine = DecoderEngine()
    engine.submit("r", PROMPT)
    engine.run()
    assert told(engine, "r") == []
