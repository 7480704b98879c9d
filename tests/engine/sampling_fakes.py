"""The model of bytes with real sampling: logits that depend on the whole context, drawn from by the real sampler."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

import numpy as np
import torch

from engine.cache.kv_cache import KVCache
from engine.chunk_result import ChunkResult
from engine.forward.sampler import Draw, Sampler
from engine.forward.verification import Verifier
from engine.scheduler import ScheduledChunk
from kernels.faces import ArrayFace
from kernels.fallback.backend import TorchBackend
from kernels.ops import Backend
from kernels.tensors import array_of
from tests.engine.fakes import END, FakeEngine, FakeRunner


def logits_of(context: Sequence[int]) -> torch.Tensor:
    """float32 [END + 1]: letters and the end token are likely, and each is the likeliest now and then."""
    seed = int.from_bytes(hashlib.sha256(repr(list(context)).encode()).digest()[:8], "big", signed=True)
    logits = torch.randn(END + 1, generator=torch.Generator().manual_seed(seed)) * 2
    logits[ord("a") : ord("z") + 1] += 8
    logits[END] += 8
    return logits


class SamplingRunner(FakeRunner):
    """A `FakeRunner` whose tokens are sampled, all rows of a batch in one call."""

    def __init__(self, cache: KVCache, choose: Callable[[Sequence[int]], int], backend: Backend | None = None) -> None:
        super().__init__(cache, choose)
        self._verifier = Verifier(Sampler(ArrayFace(TorchBackend()) if backend is None else backend))

    def decide(self, chunk: ScheduledChunk, draws: list[Draw], contexts: list[list[int]]) -> ChunkResult:
        logits = np.stack([array_of(logits_of(context)) for context in contexts + contexts[:1] * len(chunk.forks)])
        all_draws = draws + [Draw(fork) for fork in chunk.forks]
        ((own, forks),) = self._verifier.tokens(logits, all_draws, [chunk])
        return ChunkResult(own, forks)


class SamplingEngine(FakeEngine):
    def __init__(self, **options: object) -> None:
        super().__init__(make_runner=SamplingRunner, **options)  # type: ignore[arg-type]
