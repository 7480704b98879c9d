"""Every step of sampling, and all together, against the processors that transformers has for it.

A backend tells tokens, not probabilities; but a token ends where the cumulative probability passes the random number.
So a distribution is right to 1e-6 if just below each of its edges one token is drawn and just above it the next.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest
import torch
from torch import Tensor
from transformers.generation.logits_process import (
    LogitsProcessor,
    LogitsProcessorList,
    MinNewTokensLengthLogitsProcessor,
    MinPLogitsWarper,
    PrefixConstrainedLogitsProcessor,
    RepetitionPenaltyLogitsProcessor,
    SequenceBiasLogitsProcessor,
    SuppressTokensLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
    TypicalLogitsWarper,
)

from kernels import short_lists
from kernels.fallback.backend import TorchBackend
from kernels.ops import Backend
from kernels.reference import ReferenceBackend
from kernels.sampling_tensors import LogitEdits, SamplingTensors
from tests.kernels.native import native_backend

VOCABULARY = 60
EDGE = 1e-6


@pytest.fixture(params=[ReferenceBackend, TorchBackend, native_backend])
def sampler(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Backend:
    monkeypatch.setattr(short_lists, "SHORT_LISTS", (8, 30))
    return request.param()


@dataclass
class Options:
    """One row's parameters, as a request would name them; `token_ids` are prompt and output so far."""

    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    typical_p: float = 1.0
    repetition_penalty: float = 1.0
    frequency_penalty: float = 0.0
    presence_penalty: float = 0.0
    bias: dict[int, float] = field(default_factory=dict)
    banned: list[int] = field(default_factory=list)
    allowed: list[int] | None = None
    end: list[int] = field(default_factory=list)
    token_ids: list[int] = field(default_factory=lambda: [3, 3, 3, 5, 9, 9])

    def edits(self) -> LogitEdits:
        seen_ids, counts = torch.tensor(self.token_ids, dtype=torch.int64).unique(return_counts=True)
        return LogitEdits(
            torch.tensor(list(self.bias), dtype=torch.int64),
            torch.tensor(list(self.bias.values()), dtype=torch.float32),
            seen_ids,
            counts.float(),
            self.repetition_penalty,
            self.frequency_penalty,
            self.presence_penalty,
            None if self.allowed is None else torch.tensor(self.allowed),
            torch.tensor(self.banned, dtype=torch.int64),
            torch.tensor(self.end, dtype=torch.int64),
        )

    def tensors(self, uniforms: list[float]) -> SamplingTensors:
        rows = len(uniforms)
        return SamplingTensors(
            torch.full((rows,), self.temperature),
            torch.full((rows,), self.top_k, dtype=torch.int64),
            torch.full((rows,), self.top_p),
            torch.full((rows,), self.min_p),
            torch.tensor(uniforms, dtype=torch.float64),
            torch.full((rows,), self.typical_p),
            (self.edits(),) * rows,
        )


class FrequencyAndPresence(LogitsProcessor):
    """The rule of OpenAI's API, which transformers lacks, over all tokens there are."""

    def __init__(self, options: Options) -> None:
        self._options = options

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        counts = torch.stack([row.bincount(minlength=scores.shape[1]) for row in input_ids])
        return scores - counts * self._options.frequency_penalty - (counts > 0) * self._options.presence_penalty


def processors(options: Options) -> LogitsProcessorList:
    """In the order in which `generate` of transformers lists them."""
    chain = LogitsProcessorList()
    if options.bias:
        chain.append(SequenceBiasLogitsProcessor({(token,): bias for token, bias in options.bias.items()}))
    if options.repetition_penalty != 1:
        chain.append(RepetitionPenaltyLogitsProcessor(options.repetition_penalty))
    chain.append(FrequencyAndPresence(options))
    if options.end:
        chain.append(MinNewTokensLengthLogitsProcessor(len(options.token_ids), 1, options.end))
    if options.allowed is not None:
        chain.append(PrefixConstrainedLogitsProcessor(lambda batch, sent: options.allowed, 1))
    if options.banned:
        chain.append(SuppressTokensLogitsProcessor(options.banned))
    # The parameters cross into the kernels as float32, so that is what transformers is given as well.
    if options.temperature != 1:
        chain.append(TemperatureLogitsWarper(rounded(options.temperature)))
    if options.top_k:
        chain.append(TopKLogitsWarper(options.top_k))
    if options.top_p < 1:
        chain.append(TopPLogitsWarper(rounded(options.top_p)))
    if options.min_p > 0:
        chain.append(MinPLogitsWarper(rounded(options.min_p)))
    if options.typical_p < 1:
        chain.append(TypicalLogitsWarper(rounded(options.typical_p)))
    return chain


def rounded(number: float) -> float:
    return float(torch.tensor(number))


def expected_probabilities(logits: Tensor, options: Options) -> Tensor:
    return processors(options)(torch.tensor([options.token_ids]), logits.double()[None])[0].softmax(0)


def check_distribution(sampler: Backend, logits: Tensor, options: Options) -> None:
    probabilities, token_ids = expected_probabilities(logits, options).sort(descending=True, stable=True)
    num_possible = int((probabilities > 0).sum())
    edges = probabilities[:num_possible].cumsum(0)
    below, above, lower, upper = [], [], [], []
    for place in range(num_possible):
        if float(probabilities[place]) > 4 * EDGE:
            lower.append(int(token_ids[place]))
            below.append(float(edges[place]) - EDGE)
            upper.append(int(token_ids[place]))
            above.append(float(edges[place] - probabilities[place]) + EDGE)
    assert lower
    drawn = sampler.sample(logits.expand(2 * len(lower), -1).contiguous(), options.tensors(below + above))
    assert drawn.tolist() == lower + upper, options


SINGLE = {
    "temperature": [{"temperature": 0.3}, {"temperature": 1.9}],
    "top_k": [{"top_k": 1}, {"top_k": 7}, {"top_k": VOCABULARY + 5}],
    "top_p": [{"top_p": 0.01}, {"top_p": 0.7}, {"top_p": 0.99}],
    "min_p": [{"min_p": 0.02}, {"min_p": 0.5}],
    "typical_p": [{"typical_p": 0.01}, {"typical_p": 0.4}, {"typical_p": 0.95}],
    "repetition_penalty": [{"repetition_penalty": 1.7}, {"repetition_penalty": 0.6}],
    "frequency_penalty": [{"frequency_penalty": 0.8}, {"frequency_penalty": -1.5}],
    "presence_penalty": [{"presence_penalty": 1.1}, {"presence_penalty": -0.7}],
    "logit_bias": [{"bias": {3: 4.0, 8: -100.0}}],
    "banned": [{"banned": [3, 9, 40]}],
    "allowed": [{"allowed": [5, 3, 59, 0, 21]}, {"allowed": [17]}],
    "end": [{"end": [5, 12]}],
}


@pytest.mark.parametrize("settings", [s for each in SINGLE.values() for s in each], ids=str)
@pytest.mark.parametrize("spread", [0.5, 3.0])
def test_each_parameter_alone_gives_the_distribution_of_transformers(
    sampler: Backend, settings: dict, spread: float
) -> None:
    for seed in range(3):
        logits = torch.randn(VOCABULARY, generator=torch.Generator().manual_seed(seed)) * spread
        check_distribution(sampler, logits, Options(**settings))


@pytest.mark.parametrize("seed", range(40))
def test_any_combination_gives_the_distribution_of_transformers(sampler: Backend, seed: int) -> None:
    rng = random.Random(seed)
    logits = torch.randn(VOCABULARY, generator=torch.Generator().manual_seed(seed)) * 2
    settings: dict = {"token_ids": rng.choices(range(VOCABULARY), k=rng.choice([1, 30, 200]))}
    for choices in SINGLE.values():
        if rng.random() < 0.5:
            settings |= rng.choice(choices)
    check_distribution(sampler, logits, Options(**settings))
