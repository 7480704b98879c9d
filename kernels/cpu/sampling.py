"""Sampling on native threads: the tokens of `distribution.sample_row`, without sorting the vocabulary.

A row whose draw lies within rounding of a limit, and rows with typical-p, are left to it. Knows nothing of
seeds or requests.
"""

from __future__ import annotations

import ctypes
from functools import partial

import numpy as np

from kernels import distribution
from kernels.arrays import Array, address, empty
from kernels.cpu.pool import Pool
from kernels.cpu.structs import Candidate, Sampling
from kernels.logits import draw_edited, finite_logits
from kernels.sampling_tensors import LogitEdits, SamplingTensors

_IN_DOUBT = -1


class Sampler:
    """Draws tokens with one pool; owns the memory for candidates. For one thread."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._candidates = ctypes.create_string_buffer(0)

    def sample(self, logits: Array, params: SamplingTensors) -> Array:
        """Token ids int64 [B], from logits [B, V]."""
        logits = np.ascontiguousarray(logits, np.float32)
        if params.edits is None and not any(params.temperature.tolist()):
            return self._argmax(logits)
        token_ids = self._draw(logits, params)
        num_rows = len(logits)
        edits = params.edits or (None,) * num_rows
        typical_ps = [1.0] * num_rows if params.typical_p is None else params.typical_p.tolist()
        for row, token_id in enumerate(token_ids.tolist()):
            row_edits = edits[row]
            if token_id == _IN_DOUBT or row_edits is not None or typical_ps[row] < 1:
                token_ids[row] = self._draw_row(logits[row], params, row, row_edits, typical_ps[row])
        return token_ids

    def logprobs(self, logits: Array, token_id: int, num_top: int) -> tuple[float, list[int], list[float]]:
        """Of one row of logits [V]: see `Backend.logprobs`."""
        logits = np.ascontiguousarray(logits, np.float32)
        num_top = min(num_top, len(logits))
        ids, logprobs = (ctypes.c_int64 * num_top)(), (ctypes.c_double * num_top)()
        logprob = self._pool.library.di_logprobs(address(logits), len(logits), token_id, num_top, ids, logprobs)
        return logprob, list(ids), list(logprobs)

    def _argmax(self, logits: Array) -> Array:
        token_ids = empty(len(logits), dtype=np.int64)
        self._pool.library.di_argmax(self._pool.handle, address(logits), *logits.shape, address(token_ids))
        return token_ids

    def _draw(self, logits: Array, params: SamplingTensors) -> Array:
        num_rows, vocab_size = logits.shape
        num_bytes = self._pool.num_workers * vocab_size * ctypes.sizeof(Candidate)
        if len(self._candidates) < num_bytes:
            self._candidates = ctypes.create_string_buffer(num_bytes)
        token_ids = empty(num_rows, dtype=np.int64)
        call = Sampling(
            num_rows,
            vocab_size,
            address(logits),
            address(params.temperature),
            address(params.top_k),
            address(params.top_p),
            address(params.min_p),
            address(params.uniform),
            ctypes.addressof(self._candidates),
            address(token_ids),
        )
        self._pool.library.di_sample(self._pool.handle, ctypes.addressof(call))
        return token_ids

    def _draw_row(
        self, logits: Array, params: SamplingTensors, row: int, edits: LogitEdits | None, typical_p: float
    ) -> int:
        only = slice(row, row + 1)
        own = SamplingTensors(
            params.temperature[only], params.top_k[only], params.top_p[only], params.min_p[only], params.uniform[only]
        )
        return draw_edited(finite_logits(logits), edits, partial(self._draw_edited_row, own, typical_p))

    def _draw_edited_row(self, own: SamplingTensors, typical_p: float, values: Array) -> int:
        """The place drawn among the values that a row's edits leave, float32 [N]."""
        token_id = _IN_DOUBT if typical_p < 1 else int(self._draw(values[np.newaxis], own)[0])
        if token_id != _IN_DOUBT:
            return token_id
        columns = (own.temperature, own.top_k, own.top_p, own.min_p, own.uniform)
        temperature, top_k, top_p, min_p, uniform = (column.item() for column in columns)
        return distribution.sample_row(values, temperature, int(top_k), top_p, min_p, uniform, typical_p)
