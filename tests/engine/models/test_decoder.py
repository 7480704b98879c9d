"""The one decoder on a contiguous cache and on the paged pool, with random weights."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from engine.forward.batch import build_batch
from engine.messages import SamplingParams
from engine.models.decoder import make_pool, rope_table
from engine.rope_spec import RopeSpec
from engine.scheduler import ScheduledChunk
from engine.sequence import Sequence
from kernels.backends import load_backend
from kernels.ops import AttentionBatch, ForwardInput
from tests.engine import tiny_decoder

VOCABULARY = 80
SPEC = replace(tiny_decoder.SPEC, vocab_size=VOCABULARY, max_context=256)


@pytest.fixture(scope="module")
def backend():
    return load_backend("reference")


@pytest.fixture(scope="module")
def decoder(backend):
    return tiny_decoder.random_decoder(SPEC, backend)


def contiguous_logits(decoder, backend, token_ids):
    """All rows at once, on a pool whose one block holds them all."""
    num_tokens = len(token_ids)
    pool = make_pool(SPEC, 1, num_tokens, backend)
    positions = np.arange(num_tokens)
    attention = AttentionBatch((0, num_tokens), (num_tokens,), (np.ones(1, np.int64),))
    forward = ForwardInput(np.array(token_ids), positions, positions + num_tokens, attention, num_tokens)
    return decoder.logits(decoder.hidden(forward, pool))


def make_sequence(request_id, token_ids, block_ids):
    return Sequence(
        request_id, "", b"", list(token_ids), len(token_ids), 8, SamplingParams(), 0, 0.0, block_ids=block_ids
    )


def random_ids(count, seed):
    return torch.randint(VOCABULARY, (count,), generator=torch.Generator().manual_seed(seed)).tolist()


@pytest.mark.parametrize("chunk", [1, 7, 40])
@pytest.mark.parametrize("block_size", [1, 4, 16])
def test_paged_chunks_give_the_logits_of_the_contiguous_cache(decoder, backend, block_size, chunk):
    token_ids = random_ids(40, seed=2)
    expected = contiguous_logits(decoder, backend, token_ids)
    num_blocks = -(-40 // block_size)
    pool = make_pool(SPEC, num_blocks + 3, block_size, backend)
    pool.keys.fill(np.nan)
    pool.values.fill(np.nan)
    # Blocks in reverse order, so that physical and logical order differ.
    sequence = make_sequence("a", token_ids, list(range(num_blocks + 1, 1, -1)))
    while sequence.num_pending_tokens:
        scheduled = ScheduledChunk(sequence, min(chunk, sequence.num_pending_tokens))
        batch = build_batch([scheduled], block_size)
        hidden = decoder.hidden(batch.forward, pool)
        sequence.num_computed_tokens += scheduled.num_tokens
        logits = decoder.logits(hidden[-1:])
        np.testing.assert_allclose(logits[0], expected[sequence.num_computed_tokens - 1], atol=1e-4, rtol=1e-4)


def test_decode_and_prefill_share_one_forward(decoder, backend):
    first, second = random_ids(9, seed=3), random_ids(14, seed=4)
    pool = make_pool(SPEC, 10, 4, backend)
    a, b = make_sequence("a", first, [3, 7, 5]), make_sequence("b", second, [1, 8, 2, 6])
    decoder.hidden(build_batch([ScheduledChunk(a, 8)], 4).forward, pool)
    a.num_computed_tokens = 8
    batch = build_batch([ScheduledChunk(a, 1), ScheduledChunk(b, 14)], 4)
    logits = decoder.logits(decoder.hidden(batch.forward, pool)[batch.draw_rows])
    assert [draw.sequence.request_id for draw in batch.draws] == ["a", "b"]
    for row, token_ids in zip(logits, (first, second), strict=True):
        np.testing.assert_allclose(row, contiguous_logits(decoder, backend, token_ids)[-1], atol=1e-4, rtol=1e-4)


def test_chunk_that_leaves_a_gap_gets_no_token(backend):
    sequence = make_sequence("a", random_ids(10, seed=5), [1, 2, 3])
    batch = build_batch([ScheduledChunk(sequence, 6)], 4)
    assert batch.draws == ()
    assert batch.draw_rows.tolist() == []


def test_wide_prompts_come_after_the_narrow_rows(backend):
    wide, narrow = make_sequence("wide", range(6), [1, 2]), make_sequence("narrow", range(3), [3])
    wide.has_wide_prefill = True
    batch = build_batch([ScheduledChunk(wide, 6), ScheduledChunk(narrow, 3)], 4)
    assert [chunk.sequence.request_id for chunk in batch.chunks] == ["narrow", "wide"]
    assert batch.forward.num_narrow_rows == 3
    assert batch.forward.slots.tolist() == [12, 13, 14, 4, 5, 6, 7, 8, 9]
    assert batch.forward.positions.tolist() == [0, 1, 2, 0, 1, 2, 3, 4, 5]


def test_rope_angles_follow_the_formula():
    table = rope_table(RopeSpec(100.0, (1.0, 4.0)), head_dim=4, max_positions=3)
    np.testing.assert_allclose(table[2, 0], np.cos([2.0, 2.0 / 10 / 4]), rtol=1e-6)
    np.testing.assert_allclose(table[2, 1], np.sin([2.0, 2.0 / 10 / 4]), rtol=1e-6)
