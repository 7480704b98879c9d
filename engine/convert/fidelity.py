"""How far a converted model is from its source on a held text: perplexities, and the divergence of what they predict.

Both are computed in float32 from the weights, layer by layer in little memory. Knows nothing of jobs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from engine.convert.calibrated import streamed_layer
from engine.convert.source import Source
from engine.convert.streamed import SourceRows, StreamedMatrix, gather
from engine.convert.text_stream import TextStream
from engine.spec import ModelSpec
from engine.store.checkpoint import Checkpoint
from engine.store.manifest import Fidelity
from engine.weights import map_matrices
from kernels.formats import dequantize

_VOCABULARY_STEP = 2048
"""Tokens of the vocabulary whose logits stand in memory at once, for all rows of the text."""
_NUM_UNSCORED = 16
"""Tokens at the beginning of a window that are context only."""


@dataclass(frozen=True, slots=True)
class TokenFidelity:
    """Of each token that is scored, [T]: the negative log-likelihoods under the source and under the model and the
    divergence of what is predicted in its place, float64, in nats; and whether both find the same token the best.
    """

    source_losses: Tensor
    losses: Tensor
    divergences: Tensor
    agrees: Tensor

    def mean(self) -> Fidelity:
        return Fidelity(
            num_tokens=len(self.losses),
            source_perplexity=math.exp(float(self.source_losses.mean())),
            perplexity=math.exp(float(self.losses.mean())),
            divergence=max(0.0, float(self.divergences.mean())),
            agreement=float(self.agrees.double().mean()),
        )


@torch.inference_mode()
def measure_fidelity(
    source: Source,
    checkpoints: Sequence[Checkpoint],
    windows: Sequence[Sequence[int]],
    on_layer: Callable[[int], None],
) -> list[TokenFidelity]:
    """Of each model made of the source, the windows' tokens in their order. `on_layer(layers done)` may raise to stop.

    Raises `SourceError`, `CheckpointError`.
    """
    spec = source.spec
    before, afters = TextStream(spec, windows), [TextStream(spec, windows) for _ in checkpoints]
    table = source.embedding()
    before.start(gather(table, before.token_ids))
    for checkpoint, after in zip(checkpoints, afters, strict=True):
        after.start(dequantize(checkpoint.read_embedding(), after.token_ids))
    for index in range(spec.num_layers):
        on_layer(index)
        before.advance(map_matrices(source.layer(index), lambda _, matrix: SourceRows(matrix)), index)
        for checkpoint, after in zip(checkpoints, afters, strict=True):
            after.advance(streamed_layer(checkpoint.read_layer(index)), index)
    on_layer(spec.num_layers)
    head = source.head()
    rows, targets = _scored_tokens(windows)
    comparison = _Comparison(spec, targets, len(checkpoints))
    comparison.run(
        (before.normed(head)[rows], SourceRows(head.matrix or table)),
        [
            (after.normed(checkpoint.read_head())[rows], _HeadRows(spec, checkpoint))
            for checkpoint, after in zip(checkpoints, afters, strict=True)
        ],
    )
    return comparison.fidelities()


class _HeadRows(StreamedMatrix):
    def __init__(self, spec: ModelSpec, checkpoint: Checkpoint) -> None:
        super().__init__(spec.vocab_size, spec.hidden_size)
        self._checkpoint = checkpoint

    def rows(self, start: int, stop: int) -> Tensor:
        return dequantize(self._checkpoint.read_head_rows(start, stop))


def num_scored(windows: Sequence[Sequence[int]]) -> int:
    """How many tokens of these windows are scored."""
    return sum(len(window) - 1 - _num_unscored(window) for window in windows)


def _num_unscored(window: Sequence[int]) -> int:
    return min(_NUM_UNSCORED, len(window) // 2)


def _scored_tokens(windows: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """Rows of the stream that predict a token, and the tokens: int64 [T] each."""
    rows: list[int] = []
    targets: list[int] = []
    start = 0
    for window in windows:
        first = _num_unscored(window)
        rows += range(start + first, start + len(window) - 1)
        targets += window[first + 1 :]
        start += len(window)
    return torch.tensor(rows), torch.tensor(targets)


class _Side:
    """The distribution of one model, [T] each: largest logit, sum of exp(logit - largest), logit of the target."""

    def __init__(self, num_rows: int) -> None:
        self.largest = torch.full((num_rows,), -math.inf)
        self.best = torch.zeros(num_rows, dtype=torch.int64)
        self.sum = torch.zeros(num_rows, dtype=torch.float64)
        self.target = torch.zeros(num_rows)

    def add(self, logits: Tensor, first: int, targets: Tensor) -> Tensor:
        """Takes logits [T, V'] of the tokens from `first` on; returns what the sums so far must be multiplied by."""
        top, token = logits.max(dim=1)
        is_new = top > self.largest
        largest = torch.where(is_new, top, self.largest)
        shrink = torch.exp((self.largest - largest).double())
        self.best = torch.where(is_new, token + first, self.best)
        self.largest = largest
        self.sum = self.sum * shrink + torch.exp(logits - largest.unsqueeze(1)).sum(dim=1).double()
        is_here = (targets >= first) & (targets < first + logits.shape[1])
        found = logits.gather(1, (targets - first).clamp(0, logits.shape[1] - 1).unsqueeze(1)).squeeze(1)
        self.target = torch.where(is_here, found, self.target)
        return shrink

    @property
    def log_sum(self) -> Tensor:
        return self.largest.double() + self.sum.log()

    @property
    def losses(self) -> Tensor:
        return self.log_sum - self.target.double()


class _Comparison:
    """Goes once through the vocabulary, so that no row of logits is ever whole."""

    def __init__(self, spec: ModelSpec, targets: Tensor, num_models: int) -> None:
        self._spec = spec
        self._targets = targets
        self._before = _Side(len(targets))
        self._afters = [_Side(len(targets)) for _ in range(num_models)]
        self._differences = [torch.zeros(len(targets), dtype=torch.float64) for _ in range(num_models)]
        """Sum over the vocabulary of exp(logit before - largest) * (logit before - logit after)."""

    def run(self, before: tuple[Tensor, StreamedMatrix], afters: Sequence[tuple[Tensor, StreamedMatrix]]) -> None:
        """Each: rows [T, hidden], and the head."""
        num_tokens = before[1].shape[0]
        for first in range(0, num_tokens, _VOCABULARY_STEP):
            last = min(first + _VOCABULARY_STEP, num_tokens)
            old = self._logits(before[0], before[1].rows(first, last))
            shrink = self._before.add(old, first, self._targets)
            probability = torch.exp(old - self._before.largest.unsqueeze(1))
            for index, (x, head) in enumerate(afters):
                new = self._logits(x, head.rows(first, last))
                self._afters[index].add(new, first, self._targets)
                part = (probability * (old - new)).sum(dim=1).double()
                self._differences[index] = self._differences[index] * shrink + part

    def fidelities(self) -> list[TokenFidelity]:
        before, found = self._before, []
        for after, difference in zip(self._afters, self._differences, strict=True):
            # Sum of p (log p - log q), with log p = logit - log sum.
            divergences = difference / before.sum - before.log_sum + after.log_sum
            found.append(TokenFidelity(before.losses, after.losses, divergences, before.best == after.best))
        return found

    def _logits(self, x: Tensor, head: Tensor) -> Tensor:
        y, cap = x @ head.T, self._spec.final_softcap
        return y if cap is None else cap * torch.tanh(y / cap)
