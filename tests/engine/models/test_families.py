"""Every family in the one decoder: the logits of transformers' own model, however the rows come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from engine.forward.spans import Span, forward_input
from engine.models.decoder import Decoder, make_pool
from kernels.backends import load_backend
from kernels.faces import ArrayFace
from kernels.formats import quantize
from kernels.ops import Backend
from kernels.reference import ReferenceBackend, ReferenceWeight
from tests.engine.models.tiny_families import (
    FAMILIES,
    VOCABULARY,
    Exported,
    expected_logits,
    export,
    make_decoder,
    make_model,
)

REFERENCE = ArrayFace(ReferenceBackend())
BLOCK_SIZE = 4
TOLERANCE = 1e-4
NUM_TOKENS = 40
"""Far beyond the windows, and below where longrope's long factors begin."""
CLEAR_MARGIN = 0.25
"""Between the two best logits, in units of the logits' spread: beyond what 8 bits of activations can turn."""


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    model: Any
    exported: Exported


@pytest.fixture(scope="module", params=FAMILIES)
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    model = make_model(FAMILIES[request.param])
    return Case(request.param, model, export(model, tmp_path_factory.mktemp(request.param)))


def random_ids(count: int, seed: int = 3) -> list[int]:
    return torch.randint(3, VOCABULARY, (count,), generator=torch.Generator().manual_seed(seed)).tolist()


def paged_logits(
    decoder: Decoder, backend: Backend, token_ids: list[int], chunk: int, max_tokens: int | None = None
) -> Tensor:
    """All rows' logits, computed chunk by chunk in a pool of NaN whose blocks lie in reverse order."""
    num_blocks = -(-len(token_ids) // BLOCK_SIZE)
    pool = make_pool(decoder.spec, num_blocks + 2, BLOCK_SIZE, backend)
    pool.keys.fill(np.nan)
    pool.values.fill(np.nan)
    block_ids = list(range(num_blocks + 1, 1, -1))
    rope_offset = decoder.spec.rope.offset(len(token_ids) if max_tokens is None else max_tokens)
    rows = []
    for start in range(0, len(token_ids), chunk):
        part = token_ids[start : start + chunk]
        span = Span(part, start, block_ids[: -(-(start + len(part)) // BLOCK_SIZE)], rope_offset=rope_offset)
        forward = forward_input([span], BLOCK_SIZE)
        rows.append(decoder.logits(decoder.hidden(forward, pool)))
    return torch.from_numpy(np.concatenate(rows))


@pytest.mark.parametrize("chunk", [1, 7, NUM_TOKENS], ids=["decode", "chunks", "prefill"])
def test_logits_are_those_of_transformers(case: Case, chunk: int) -> None:
    backend = REFERENCE
    decoder = make_decoder(case.exported, backend, ReferenceWeight)
    token_ids = random_ids(NUM_TOKENS)
    # A dynamic scaling has one base for all long texts, that of the longest.
    if case.name == "llama-dynamic":
        token_ids = random_ids(case.exported.spec.max_context)
    expected = expected_logits(case.model, token_ids)
    assert expected.std() > 0.1
    actual = paged_logits(decoder, backend, token_ids, chunk)
    torch.testing.assert_close(actual, expected, atol=TOLERANCE, rtol=TOLERANCE)


def test_fast_backend_agrees_wherever_the_best_token_is_clear(case: Case) -> None:
    token_ids = random_ids(NUM_TOKENS)
    rows = []
    for backend in (REFERENCE, load_backend("cpu")):

        def pack(matrix: Tensor, to: Backend = backend) -> Any:
            return to.prepare(quantize(matrix, 8, 32, has_minimum=False))

        rows.append(paged_logits(make_decoder(case.exported, backend, pack), backend, token_ids, 7))
    wanted, actual = rows
    best_two = wanted.topk(2, dim=1).values
    is_clear = best_two[:, 0] - best_two[:, 1] > CLEAR_MARGIN * wanted.std()
    assert is_clear.sum() >= 8
    assert torch.equal(actual.argmax(dim=1)[is_clear], wanted.argmax(dim=1)[is_clear])


@pytest.mark.parametrize("name", ["phi4-mini", "llama-dynamic"])
def test_requests_that_may_grow_long_take_the_long_factors_from_their_first_token(name: str, tmp_path: Any) -> None:
    model = make_model(FAMILIES[name])
    exported, backend = export(model, tmp_path), REFERENCE
    decoder, spec = make_decoder(exported, backend, ReferenceWeight), exported.spec
    assert spec.rope.short_context is not None
    token_ids = random_ids(spec.max_context)
    early = token_ids[: spec.rope.short_context]
    # In this order: transformers' model remembers the longest text it has seen.
    expected_short, expected = expected_logits(model, early), expected_logits(model, token_ids)
    for chunk in (1, 16):
        actual = paged_logits(decoder, backend, token_ids, chunk)
        torch.testing.assert_close(actual, expected, atol=TOLERANCE, rtol=TOLERANCE)
        # The beginning of a long request, and a request as long as that beginning.
        begun = paged_logits(decoder, backend, early, chunk, max_tokens=spec.max_context)
        torch.testing.assert_close(begun, expected[: len(early)], atol=TOLERANCE, rtol=TOLERANCE)
        short = paged_logits(decoder, backend, early, chunk)
        torch.testing.assert_close(short, expected_short, atol=TOLERANCE, rtol=TOLERANCE)
        assert (short - begun).abs().max() > 100 * TOLERANCE
