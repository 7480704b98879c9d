"""The model of bytes with real sampling: logits that depend on the whole context, drawn from by the real sampler."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

import torch

from engine.cache.kv_cache import KVCache
from engine.chunk_result import SampledToken
from engine.forward.sampler import Draw, Sampler
from kernels.cpu.backend import CpuBackend
from kernels.ops import Backend
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
        self._sampler = Sampler(CpuBackend() if backend is None else backend)

    def sample(self, due: list[tuple[Draw, list[int]]]) -> list[SampledToken]:
        if not due:
            return []
        logits = torch.stack([logits_of(context) for _, context in due])
        return self._sampler.sample(logits, [draw for draw, _ in due])


class SamplingEngine(FakeEngine):
    def __init__(self, **options: object) -> None:
        super().__init__(make_runner=SamplingRunner, **options)  # type: ignore[arg-type]
