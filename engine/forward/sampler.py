"""Sampling parameters and random numbers of a batch, as arrays, and the tokens drawn by them.

The arithmetic is the backend's `sample` and `logprobs`; knows nothing of what a token does to its sequence.
"""

from __future__ import annotations

from collections.abc import Sequence as Sequences
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np

from engine.chunk_result import SampledToken
from engine.forward.randomness import uniform
from engine.messages import SamplingParams, TokenLogprobs
from engine.sequence import Sequence
from kernels.arrays import Array
from kernels.ops import Backend
from kernels.sampling_tensors import LogitEdits, SamplingTensors

_LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True, slots=True)
class Draw:
    """The token after a sequence's own and `drafted_ids`."""

    sequence: Sequence
    drafted_ids: tuple[int, ...] = ()

    @property
    def position(self) -> int:
        return len(self.sequence.token_ids) + len(self.drafted_ids)


class Sampler:
    """Draws tokens. Each depends on its logits and its sequence's parameters, seed and tokens alone."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        # Lists of a request may name most of a vocabulary: they become arrays once, not once a token.
        self._fixed_edits: WeakKeyDictionary[Sequence, LogitEdits] = WeakKeyDictionary()
        # From step to step mostly the same sequences draw: then only the random numbers are new.
        self._columns_of: list[SamplingParams] = []
        self._columns: SamplingTensors | None = None

    def draw(self, logits: Array, draws: Sequences[Draw]) -> list[int]:
        """One token id per draw, from its row of logits [B, V]."""
        token_ids: list[int] = self._backend.sample(logits, self.tensors(draws)).tolist()
        return token_ids

    def told(self, row: Array, token_id: int, draw: Draw) -> SampledToken:
        """A token that was drawn from a row of logits [V], with what its request wants to be told of it."""
        return SampledToken(token_id, self.logprobs(row, token_id, draw.sequence.params.logprobs))

    def tensors(self, draws: Sequences[Draw]) -> SamplingTensors:
        """One row per draw; the random number belongs to the position that the new token will take."""
        params = [draw.sequence.params for draw in draws]
        uniforms = [uniform(draw.sequence.seed, draw.position) for draw in draws]
        edits = tuple(self._edits(draw) for draw in draws)
        if self._columns is None or params != self._columns_of:
            self._columns_of, self._columns = params, _columns(params)
        return replace(
            self._columns,
            uniform=np.array(uniforms, np.float64),
            edits=edits if any(row is not None for row in edits) else None,
        )

    def _edits(self, draw: Draw) -> LogitEdits | None:
        sequence, params = draw.sequence, draw.sequence.params
        num_output_tokens = draw.position - sequence.num_prompt_tokens
        must_go_on = bool(sequence.end_token_ids) and num_output_tokens < params.min_tokens
        is_penalised = has_penalties(params)
        if not (must_go_on or is_penalised or has_lists(params)):
            return None
        edits = self._fixed_edits.get(sequence)
        if edits is None:
            edits = self._fixed_edits[sequence] = _fixed(params)
        if must_go_on:
            edits = replace(edits, end_ids=_ids(sorted(sequence.end_token_ids)))
        if is_penalised:
            counts = np.bincount(_ids([*sequence.token_ids, *draw.drafted_ids]))
            seen_ids = np.flatnonzero(counts)
            edits = replace(edits, seen_ids=seen_ids, seen_counts=counts[seen_ids].astype(np.float32))
        return edits

    def logprobs(self, row: Array, token_id: int, num_top: int | None) -> TokenLogprobs | None:
        if num_top is None:
            return None
        logprob, top_ids, top_logprobs = self._backend.logprobs(row, token_id, num_top)
        return TokenLogprobs(logprob, tuple(zip(top_ids, top_logprobs, strict=True)))


def _fixed(params: SamplingParams) -> LogitEdits:
    """What stays the same for all of a request's tokens."""
    biases = np.array([bias for _, bias in params.logit_bias], np.float32)
    return LogitEdits(
        bias_ids=_ids([token_id for token_id, _ in params.logit_bias]) if params.logit_bias else None,
        biases=biases if params.logit_bias else None,
        repetition_penalty=params.repetition_penalty,
        frequency_penalty=params.frequency_penalty,
        presence_penalty=params.presence_penalty,
        allowed_ids=None if params.allowed_token_ids is None else _ids(params.allowed_token_ids),
        banned_ids=_ids(params.banned_token_ids) if params.banned_token_ids else None,
    )


def _ids(token_ids: Sequences[int]) -> Array:
    return np.array(token_ids, np.int64)


def _columns(params: Sequences[SamplingParams]) -> SamplingTensors:
    """What does not change from token to token; `uniform` is yet to come."""
    is_typical = any(p.typical_p < 1 for p in params)
    return SamplingTensors(
        temperature=np.array([min(p.temperature, _LARGEST) for p in params], np.float32),
        top_k=np.array([p.top_k for p in params], np.int64),
        top_p=np.array([p.top_p for p in params], np.float32),
        min_p=np.array([p.min_p for p in params], np.float32),
        uniform=np.zeros(len(params)),
        typical_p=np.array([p.typical_p for p in params], np.float32) if is_typical else None,
    )


def has_penalties(params: SamplingParams) -> bool:
    return params.repetition_penalty != 1 or params.frequency_penalty != 0 or params.presence_penalty != 0


def has_lists(params: SamplingParams) -> bool:
    return bool(params.logit_bias or params.banned_token_ids) or params.allowed_token_ids is not None
