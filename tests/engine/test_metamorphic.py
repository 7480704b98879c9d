"""What must not change the tokens: cache, chunks, blocks, company, preemption, guesses – greedy and sampled alike."""

from functools import cache

import pytest

from engine.speculation.prompt_lookup import PromptLookup
from tests.engine.fakes import FakeEngine
from tests.engine.proposers import Oracle
from tests.engine.sampling_fakes import SamplingEngine, logits_of
from tests.engine.tiny_decoder import DecoderEngine

PROMPTS = tuple(
    f"A common beginning that fills some blocks, and then the end of prompt {i}: {'na ' * i}" for i in range(8)
)
WAYS = {
    "greedy": {"temperature": 0.0},
    "sampled": {"temperature": 1.0, "top_p": 0.95, "seed": 17},
    "penalised": {"temperature": 0.8, "presence_penalty": 1.0, "repetition_penalty": 1.2, "min_tokens": 5, "seed": 3},
}
NUM_TOKENS = 24
OPTIONS = {"num_blocks": 1024, "block_size": 4, "max_batched_tokens": 512, "max_running_sequences": 8}


def likeliest(context):
    return int(logits_of(context).argmax())


VARIANTS = {
    "cache off": {"use_prefix_cache": False},
    **{
        f"chunks of {size}": {"max_batched_tokens": max(size, 8), "max_prompt_chunk": size} for size in (1, 16, 17, 512)
    },
    "budget of 1": {"max_batched_tokens": 1, "max_running_sequences": 1},
    **{f"blocks of {size}": {"block_size": size, "num_blocks": 4096 // size} for size in (1, 4, 16, 32)},
    "batch of 1": {"is_alone": True},
    "swapped at every step": {"preempts": "swap", "preemption": "swap"},
    "computed again at every step": {"preempts": "recompute", "preemption": "recompute"},
    "small pool, swapped": {"num_blocks": 44, "preemption": "swap"},
    "small pool, computed again": {"num_blocks": 44, "preemption": "recompute"},
    "looked up": {"proposer": PromptLookup},
    "guessed right": {"proposer": lambda: Oracle(likeliest)},
    "guessed wrong": {"proposer": lambda: Oracle(likeliest, lambda position: False)},
    "guessed, small pool": {"proposer": lambda: Oracle(likeliest), "num_blocks": 44},
}


def run(engine, params, is_alone=False, use_prefix_cache=True, preempts=None):
    for index, prompt in enumerate(PROMPTS):
        engine.submit(
            str(index), prompt, max_tokens=NUM_TOKENS, ignore_eos=True, use_prefix_cache=use_prefix_cache, **params
        )
        if is_alone:
            engine.run()
    while engine.core.num_live:
        engine.step()
        if preempts is not None:
            preempt_all(engine)
    return [engine.token_ids(str(index)) for index in range(len(PROMPTS))]


def preempt_all(engine):
    """Nothing but a lack of blocks makes the scheduler do this, so it is made to from outside."""
    now_s = engine.core._clock()
    for sequence in list(engine.scheduler.running):
        engine.scheduler._preempt(sequence, sequence, now_s)
    engine.core.check_invariants()


@cache
def plain_tokens(kind, way):
    return run(kind(**OPTIONS), WAYS[way])


def variant_tokens(kind, name, way):
    variant = dict(VARIANTS[name])
    how = {key: variant.pop(key) for key in ("is_alone", "use_prefix_cache", "preempts") if key in variant}
    if "proposer" in variant:
        variant["proposer"] = variant["proposer"]()
    engine = kind(**{**OPTIONS, **variant})
    return run(engine, WAYS[way], **how), engine


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", VARIANTS)
def test_tokens_of_the_model_of_bytes_stay_the_same(name, way):
    tokens, engine = variant_tokens(SamplingEngine, name, way)
    assert tokens == plain_tokens(SamplingEngine, way)
    assert_variant_happened(engine, name)


@pytest.mark.parametrize("name", VARIANTS)
def test_greedy_tokens_of_a_real_decoder_stay_the_same(name):
    tokens, engine = variant_tokens(DecoderEngine, name, "greedy")
    assert tokens == plain_tokens(DecoderEngine, "greedy")
    assert_variant_happened(engine, name)


@pytest.mark.parametrize("name", ["chunks of 16", "swapped at every step", "looked up", "small pool, computed again"])
def test_sampled_tokens_of_a_real_decoder_stay_the_same(name):
    tokens, _ = variant_tokens(DecoderEngine, name, "sampled")
    assert tokens == plain_tokens(DecoderEngine, "sampled")


def assert_variant_happened(engine: FakeEngine, name: str) -> None:
    """So that no variant is the plain way under another name."""
    metrics = engine.core.metrics
    if "swapped" in name:
        assert sum(record.num_swaps for record in metrics.records)
    if "computed again" in name:
        assert sum(record.num_recomputes for record in metrics.records)
    if name.startswith(("looked", "guessed")):
        assert metrics.num_drafted_tokens


@pytest.mark.parametrize("way", WAYS)
def test_streamed_pieces_join_to_the_text_of_all_tokens(way):
    engine = SamplingEngine(**OPTIONS)
    run(engine, WAYS[way])
    for index in range(len(PROMPTS)):
        assert engine.text(str(index)) == engine.tokenizer.decode(engine.token_ids(str(index)))
