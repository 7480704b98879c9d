"""All that the planner says a model takes, held against what is allocated for it, byte by byte, for every family.

Counted are the weights as the native backend holds them, the pool, and at its peak what the largest batch needs, from
what the C library has given out (`allocations.py`). The process itself – interpreter, torch, tokenizer – is not in it:
`tests/e2e/test_memory_plan.py` has that, with real files.
"""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

from engine.config import EngineConfig
from engine.forward.spans import Span, forward_input
from engine.models.adapters import spec_from_config
from engine.models.decoder import Decoder, make_pool
from engine.planner import MemoryNeed, memory_need
from engine.planning.sizes import row_lengths
from engine.quality import PRESETS, fitting_group
from engine.spec import ModelSpec
from engine.store.layer_tensors import assemble_layer
from engine.store.layout import EMBEDDING, HEAD, head_vectors, layer_matrices, layer_vectors, matrix_shapes
from engine.weights import HeadWeights, LayerWeights, map_matrices
from kernels.cpu.backend import CpuBackend
from kernels.formats import PackedWeight
from kernels.ops import Backend
from kernels.sampling_tensors import SamplingTensors
from tests.engine.models.tiny_families import FAMILIES, config_of
from tests.engine.planning.allocations import CAN_COUNT, Peak, allocated_bytes

pytestmark = pytest.mark.skipif(not CAN_COUNT, reason="only glibc counts what it has given out")

CONFIG = EngineConfig(num_threads=2, weights="memory", max_batched_tokens=256, max_running_sequences=8)
TOKENS_EACH = CONFIG.max_batched_tokens // CONFIG.max_running_sequences
BLOCKS_EACH = TOKENS_EACH // CONFIG.block_size
RANDOM = np.random.default_rng(5)


def spec_of(name: str) -> ModelSpec:
    return spec_from_config(config_of(FAMILIES[name]))


class Weights:
    """Random ones, packed as "faithful" packs them, so large in the embedding that rows stay apart from each other."""

    def __init__(self, spec: ModelSpec, backend: Backend) -> None:
        self._spec, self._backend = spec, backend
        self._group_size = fitting_group(PRESETS["faithful"].group_size, row_lengths(spec))

    def matrix(self, kind: str) -> Any:
        return self._backend.prepare(self._packed(kind))

    def layer(self, index: int) -> LayerWeights[Any]:
        matrices = {kind: self._packed(kind) for kind in layer_matrices(self._spec, index)}
        vectors = {
            name: RANDOM.standard_normal(shape, np.float32)
            if name == "router"
            else np.full(shape, float(name.endswith("norm")), np.float32)
            for name, shape in layer_vectors(self._spec, index).items()
        }
        layer = assemble_layer(self._spec, index, matrices, vectors)
        return map_matrices(layer, lambda _, matrix: self._backend.prepare(matrix))

    def decoder(self) -> Decoder:
        spec = self._spec
        layers = [self.layer(index) for index in range(spec.num_layers)]
        vectors = {name: np.ones(shape, np.float32) for name, shape in head_vectors(spec).items()}
        head = HeadWeights(vectors["norm"], None if spec.is_tied else self.matrix(HEAD), vectors.get("norm_bias"))
        return Decoder(spec, self._backend, self.matrix(EMBEDDING), layers, head)

    def _packed(self, kind: str) -> PackedWeight:
        rows, columns = matrix_shapes(self._spec)[kind]
        scale = (0.2 if kind == EMBEDDING else 0.014) * columns**-0.5
        codes = RANDOM.integers(0, 256, (rows, columns), np.uint8)
        scales = np.full((rows, columns // self._group_size), scale, np.float16)
        return PackedWeight(codes, scales, None, 8, self._group_size)


def measured(spec: ModelSpec) -> tuple[int, int]:
    """Bytes of the pool, and of weights, pool and workspace together at their peak."""
    backend, block_size = CpuBackend(CONFIG.num_threads), CONFIG.block_size
    peak = Peak(backend)
    gc.collect()
    before = allocated_bytes()
    decoder = Weights(spec, backend).decoder()
    pool = make_pool(spec, CONFIG.max_running_sequences * BLOCKS_EACH, block_size, backend)
    # The system's own, not the C library's.
    pool_bytes = pool.keys.nbytes + pool.values.nbytes
    blocks = [range(1 + first, 1 + first + BLOCKS_EACH) for first in range(0, pool.keys.shape[1] - 1, BLOCKS_EACH)]
    spans = [Span(RANDOM.integers(spec.vocab_size, size=TOKENS_EACH).tolist(), 0, list(each)) for each in blocks]
    hidden = decoder.hidden(forward_input(spans, block_size), pool)
    backend.sample(decoder.logits(np.ascontiguousarray(hidden[TOKENS_EACH - 1 :: TOKENS_EACH])), sampling(len(spans)))
    return pool_bytes, peak.bytes - before + pool_bytes


def sampling(num_rows: int) -> SamplingTensors:
    zeros, ones = np.zeros(num_rows, np.float32), np.ones(num_rows, np.float32)
    top_p = np.full(num_rows, 0.9, np.float32)
    return SamplingTensors(ones, np.zeros(num_rows, np.int64), top_p, zeros, np.full(num_rows, 0.5))


@pytest.fixture(scope="module", autouse=True)
def what_is_allocated_once() -> None:
    """Whatever torch keeps from the first operation of a kind on is the process's, not a model's."""
    for name in ("llama2", "mixtral"):
        measured(spec_of(name))


@pytest.mark.parametrize("name", FAMILIES)
def test_all_that_a_family_takes_is_predicted(name: str) -> None:
    spec = spec_of(name)
    pool_bytes, total_bytes = measured(spec)
    need: MemoryNeed = memory_need(spec, "faithful", CONFIG)
    num_tokens = (CONFIG.max_running_sequences * BLOCKS_EACH + 1) * CONFIG.block_size
    assert num_tokens * need.kv_bytes_per_token == pytest.approx(pool_bytes, rel=0.01)
    assert need.total_bytes(num_tokens) - need.process_bytes == pytest.approx(total_bytes, rel=0.05)
