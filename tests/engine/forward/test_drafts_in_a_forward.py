"""Rows of drafts in the real forward: the bits of single decodes, whatever attention does with several rows."""

from __future__ import annotations

import random

import numpy as np
import pytest

from engine.draft import NO_DRAFT, Draft
from engine.forward.batch import build_batch
from engine.forward.runner import Runner
from engine.forward.spans import Span, forward_input
from engine.messages import SamplingParams
from engine.models.decoder import PagedPool, make_pool
from engine.scheduler import ScheduledChunk
from engine.sequence import Sequence
from kernels.arrays import Array
from tests.engine.tiny_decoder import SPEC, tiny_decoder

BLOCK_SIZE, NUM_BLOCKS = 4, 40
TEXT = random.Random(5).choices(range(256), k=60)


def make_sequence(token_ids: list[int], first_block: int = 1, **params: object) -> Sequence:
    sequence = Sequence("a", "", b"", list(token_ids), len(token_ids), 60, SamplingParams(**params), 7, 0.0)  # type: ignore[arg-type]
    sequence.block_ids = list(range(first_block, first_block + 20))
    return sequence


def filled_pool(backend_name: str, sequence: Sequence, num_computed: int) -> PagedPool:
    """A pool of NaN in which the first tokens of the sequence are computed."""
    decoder, backend = tiny_decoder(backend_name)
    pool = make_pool(SPEC, NUM_BLOCKS, BLOCK_SIZE, backend)
    pool.keys.fill(np.nan)
    pool.values.fill(np.nan)
    decoder.hidden(build_batch([ScheduledChunk(sequence, num_computed)], BLOCK_SIZE).forward, pool)
    sequence.num_computed_tokens = num_computed
    return pool


def draw_logits(backend_name: str, chunks: list[ScheduledChunk], pool: PagedPool) -> Array:
    decoder, _ = tiny_decoder(backend_name)
    batch = build_batch(chunks, BLOCK_SIZE)
    return decoder.logits(decoder.hidden(batch.forward, pool)[batch.draw_rows])


def decode_logits(backend_name: str, num_tokens: int) -> Array:
    """Of the text's tokens from `num_tokens` - 1 on, eight steps of one row each."""
    sequence = make_sequence(TEXT[:num_tokens])
    pool = filled_pool(backend_name, sequence, num_tokens - 1)
    rows = []
    for token_id in TEXT[num_tokens : num_tokens + 8]:
        rows.append(draw_logits(backend_name, [ScheduledChunk(sequence, 1)], pool))
        sequence.num_computed_tokens += 1
        sequence.token_ids.append(token_id)
    return np.concatenate(rows)


@pytest.mark.parametrize("num_tokens", [5, 9, 16, 33, 50])
@pytest.mark.parametrize("backend_name", ["reference", "cpu"])
def test_verified_rows_have_the_logits_of_single_decodes(backend_name: str, num_tokens: int) -> None:
    sequence = make_sequence(TEXT[:num_tokens])
    pool = filled_pool(backend_name, sequence, num_tokens - 1)
    draft = Draft(tuple(TEXT[num_tokens : num_tokens + 7]))
    verified = draw_logits(backend_name, [ScheduledChunk(sequence, 1, draft)], pool)
    decoded = decode_logits(backend_name, num_tokens)
    np.testing.assert_allclose(verified, decoded, rtol=1e-5, atol=1e-5)
    if backend_name == "cpu":
        assert np.array_equal(verified, decoded)


def test_company_does_not_change_verified_rows() -> None:
    def chunks(*pools_of: int) -> list[ScheduledChunk]:
        return [ScheduledChunk(sequences[index], 1, drafts[index]) for index in pools_of]

    sequences = [make_sequence(TEXT[:20]), make_sequence(TEXT[20:31], first_block=21)]
    drafts = [Draft((3, 5, 7)), Draft(tuple(TEXT[31:38]))]
    pool = filled_pool("cpu", sequences[0], 19)
    decoder, _ = tiny_decoder("cpu")
    decoder.hidden(build_batch([ScheduledChunk(sequences[1], 10)], BLOCK_SIZE).forward, pool)
    sequences[1].num_computed_tokens = 10
    together = draw_logits("cpu", chunks(0, 1), pool)
    assert np.array_equal(
        together, np.concatenate([draw_logits("cpu", chunks(0), pool), draw_logits("cpu", chunks(1), pool)])
    )


def generate(backend_name: str, drafts: list[Draft], num_tokens: int, **params: object) -> list[int]:
    """The runner's tokens after a prompt, the drafts taken in turn; only their right beginnings enter the sequence."""
    decoder, backend = tiny_decoder(backend_name)
    runner = Runner(decoder, backend, NUM_BLOCKS, BLOCK_SIZE, 0)
    sequence = make_sequence(TEXT[:9], **params)
    step = 0
    while len(sequence.token_ids) < 9 + num_tokens:
        draft = drafts[step % len(drafts)] if step else NO_DRAFT
        chunk = ScheduledChunk(sequence, sequence.num_pending_tokens, draft)
        tokens = runner.run([chunk])[sequence].tokens
        sequence.num_computed_tokens += chunk.num_tokens + len(tokens) - 1
        sequence.token_ids += [token.token_id for token in tokens]
        step += 1
    return sequence.token_ids[9 : 9 + num_tokens]


@pytest.mark.parametrize("params", [{"temperature": 0.0}, {"temperature": 1.0, "top_p": 0.9}], ids=str)
@pytest.mark.parametrize("backend_name", ["reference", "cpu"])
def test_right_half_right_and_wrong_drafts_all_give_the_plain_tokens(
    backend_name: str, params: dict[str, object]
) -> None:
    plain = generate(backend_name, [NO_DRAFT], 30, **params)
    rng = random.Random(2)
    for _ in range(6):
        start = rng.randrange(20)
        right = Draft(tuple(plain[start : start + 5]))
        half = Draft((*plain[start : start + 2], 300 % 257, 9))
        wrong = Draft(tuple(rng.choices(range(256), k=7)))
        assert generate(backend_name, [right, half, wrong], 30, **params) == plain
    # Each draft continues where the one before it, and the token after it, ended.
    exact = [Draft(tuple(plain[first : first + 4])) for first in range(1, 31, 5)]
    assert generate(backend_name, exact, 30, **params) == plain


def test_lone_rows_stand_as_sequences_of_their_own() -> None:
    spans = [Span([7, 8, 9, 10], 5, [3, 4, 6], num_lone_rows=2), Span([1], 0, [9]), Span([2, 3], 2, [8], 2)]
    batch = forward_input(spans, BLOCK_SIZE)
    assert batch.attention.query_starts == (0, 2, 3, 4, 5, 6, 7)
    assert batch.attention.context_lengths == (7, 8, 9, 1, 3, 4)
    assert [table.tolist() for table in batch.attention.block_tables] == [[3, 4, 6]] * 3 + [[9], [8], [8]]
    assert batch.positions.tolist() == [5, 6, 7, 8, 0, 2, 3]
    assert batch.slots.tolist() == [17, 18, 19, 24, 36, 34, 35]
    assert batch.num_narrow_rows == 7
