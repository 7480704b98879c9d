"""The exact rule: answers are distributed as without guesses, and equal to them where guesses are certain."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

from engine.chunk_result import SampledToken
from engine.draft import NO_DRAFT, Draft
from engine.forward.batch import own_draws
from engine.forward.randomness import Stream, uniform
from engine.forward.sampler import Draw, Sampler
from engine.forward.verification import Verifier, accepted
from engine.scheduler import ScheduledChunk
from engine.sequence import Sequence
from kernels.arrays import Array
from kernels.cpu.backend import CpuBackend
from kernels.distribution import distributions, draw_token
from kernels.logits import log_softmax
from kernels.tensors import array_of
from tests.engine.speculation.chi_square import chi_square
from tests.engine.speculation.sequences import make_sequence

VOCABULARY = 6
NUM_SEQUENCES = 10_000
"""Of two tokens each."""

Propose = Callable[[Sequence, int], Draft]


def bigrams(seed: int) -> Array:
    """A model: logits [VOCABULARY, VOCABULARY] of the next token by the last one."""
    return array_of(torch.randn(VOCABULARY, VOCABULARY, generator=torch.Generator().manual_seed(seed)) * 1.5)


TARGET, SKETCH = bigrams(1), bigrams(2)
SAMPLER = Sampler(CpuBackend())


def verify(sequences: list[Sequence], drafts: list[Draft], model: Array = TARGET) -> list[tuple[SampledToken, ...]]:
    """One step of all sequences on a model of bigrams, each with its last token pending."""
    chunks = [ScheduledChunk(sequence, 1, draft) for sequence, draft in zip(sequences, drafts, strict=True)]
    for sequence in sequences:
        sequence.num_computed_tokens = len(sequence.token_ids) - 1
    draws = [draw for chunk in chunks for draw in own_draws(chunk)]
    last_ids = [([*draw.sequence.token_ids, *draw.drafted_ids])[-1] for draw in draws]
    return [own for own, _ in Verifier(SAMPLER).tokens(model[last_ids], draws, chunks)]


SKETCHED: dict[tuple[object, ...], Array] = {}
"""The sketch's distributions by context and parameters: few, and asked for thousands of times."""


def sketch(sequence: Sequence, max_tokens: int) -> Draft:
    """What a draft model does: tokens drawn from another model of bigrams, with the distributions."""
    token_ids: list[int] = []
    rows: list[Array] = []
    while len(token_ids) < max_tokens:
        draw = Draw(sequence, tuple(token_ids))
        context = (*sequence.token_ids, *token_ids)
        key = (context, sequence.params)
        if key not in SKETCHED:
            SKETCHED[key] = distributions(SKETCH[context[-1:], :], SAMPLER.tensors([draw]))[0]
        rows.append(SKETCHED[key])
        token_ids.append(draw_token(rows[-1], uniform(sequence.seed, draw.position, Stream.DRAFT)))
    return Draft(tuple(token_ids), np.stack(rows))


def certain(sequence: Sequence, max_tokens: int) -> Draft:
    return Draft(tuple((sequence.token_ids[-1] + place) % VOCABULARY for place in range(max_tokens)))


def always_right(sequence: Sequence, max_tokens: int) -> Draft:
    """A wrong rule in disguise: it says that what it draws from one distribution was drawn from the model's own."""
    draft = sketch(sequence, max_tokens)
    last_ids = [sequence.token_ids[-1], *draft.token_ids[:-1]]
    draws = [Draw(sequence, draft.token_ids[:count]) for count in range(max_tokens)]
    return Draft(draft.token_ids, distributions(TARGET[last_ids], SAMPLER.tensors(draws)))


def pair_counts(propose: Propose, num_guesses: int, **params: object) -> list[int]:
    """How often each pair of tokens follows token 0, over as many seeds as there are sequences."""
    sequences = [make_sequence([0], seed=seed, **params) for seed in range(NUM_SEQUENCES)]
    live = sequences
    while live:
        results = verify(live, [propose(sequence, num_guesses) for sequence in live])
        for sequence, tokens in zip(live, results, strict=True):
            sequence.token_ids += [token.token_id for token in tokens]
        live = [sequence for sequence in live if len(sequence.token_ids) < 3]
    pairs = torch.tensor([sequence.token_ids[1:3] for sequence in sequences])
    return (pairs[:, 0] * VOCABULARY + pairs[:, 1]).bincount(minlength=VOCABULARY**2).tolist()


def pair_probabilities(**params: object) -> list[float]:
    contexts = [[0], *([0, token_id] for token_id in range(VOCABULARY))]
    draws = [Draw(make_sequence(context, **params)) for context in contexts]
    first, *second = distributions(TARGET[[context[-1] for context in contexts]], SAMPLER.tensors(draws))
    return [float(first[a] * second[a][b]) for a in range(VOCABULARY) for b in range(VOCABULARY)]


PARAMS: list[dict[str, object]] = [
    {"temperature": 1.0, "top_p": 1.0},
    {"temperature": 0.6, "top_p": 0.9},
    {"temperature": 1.6, "top_k": 4, "top_p": 1.0},
    {"temperature": 1.0, "top_p": 1.0, "repetition_penalty": 1.8, "frequency_penalty": 0.5},
]


@pytest.mark.parametrize(
    ("propose", "num_guesses", "params"),
    [
        (sketch, 1, PARAMS[0]),
        (sketch, 3, PARAMS[1]),
        (sketch, 3, PARAMS[2]),
        (sketch, 2, PARAMS[3]),
        (certain, 2, PARAMS[1]),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_answers_are_distributed_as_without_guesses(
    propose: Propose, num_guesses: int, params: dict[str, object]
) -> None:
    statistic, critical = chi_square(pair_counts(propose, num_guesses, **params), pair_probabilities(**params))
    assert statistic < critical


def test_a_wrong_rule_would_be_noticed() -> None:
    statistic, critical = chi_square(pair_counts(always_right, 1, **PARAMS[0]), pair_probabilities(**PARAMS[0]))
    assert statistic > 10 * critical


@pytest.mark.parametrize("params", [*PARAMS, {"temperature": 0.0}], ids=str)
def test_certain_guesses_give_the_tokens_of_the_same_seed_without_them(params: dict[str, object]) -> None:
    for seed in range(100):
        plain, guessed = (make_sequence([0], seed=seed, **params) for _ in range(2))
        while len(plain.token_ids) < 12:
            plain.token_ids += [token.token_id for token in verify([plain], [NO_DRAFT])[0]]
        while len(guessed.token_ids) < 12:
            draft = Draft((*plain.token_ids[len(guessed.token_ids) :][:2], 5, 0))
            guessed.token_ids += [token.token_id for token in verify([guessed], [draft])[0]]
        assert guessed.token_ids[:12] == plain.token_ids[:12]


def test_greedy_answers_are_the_same_whatever_a_draft_model_guesses() -> None:
    plain, guessed = (make_sequence([0], temperature=0.0) for _ in range(2))
    for _ in range(20):
        plain.token_ids += [token.token_id for token in verify([plain], [NO_DRAFT])[0]]
    while len(guessed.token_ids) < 21:
        guessed.token_ids += [token.token_id for token in verify([guessed], [sketch(guessed, 3)])[0]]
    assert guessed.token_ids[:21] == plain.token_ids


def test_a_draft_model_that_is_the_model_is_always_right() -> None:
    for seed in range(200):
        sequence = make_sequence([0], seed=seed, top_p=0.9)
        (tokens,) = verify([sequence], [sketch(sequence, 4)], SKETCH)
        assert len(tokens) == 5


def test_each_sequence_of_a_batch_gets_the_tokens_it_gets_alone() -> None:
    sequences = [make_sequence([seed % 6], seed=seed, temperature=float(seed % 3)) for seed in range(24)]
    makers: list[Propose] = [sketch, certain, lambda sequence, _: NO_DRAFT]
    drafts = [makers[index % 3](sequence, 1 + index % 4) for index, sequence in enumerate(sequences)]
    together = verify(sequences, drafts)
    assert together == [verify([s], [draft])[0] for s, draft in zip(sequences, drafts, strict=True)]


def test_log_probabilities_are_those_of_each_tokens_own_row() -> None:
    for propose in (sketch, certain):
        sequence = make_sequence([0], seed=4, logprobs=2)
        (tokens,) = verify([sequence], [propose(sequence, 3)])
        before = [0, *(token.token_id for token in tokens)]
        for last, token in zip(before, tokens, strict=False):
            assert token.logprobs is not None
            assert token.logprobs.logprob == pytest.approx(
                float(log_softmax(TARGET[last].astype(np.float64))[token.token_id])
            )


def test_a_chunk_that_leaves_a_gap_and_forks_stand_beside_drafts() -> None:
    gap, prompt, drafted = (make_sequence([1, 2, 3], request_id, seed=3) for request_id in "abc")
    prompt.num_computed_tokens = drafted.num_computed_tokens = 2
    fork = prompt.fork(1)
    chunks = [
        ScheduledChunk(gap, 2),
        ScheduledChunk(prompt, 1, forks=(fork,)),
        ScheduledChunk(drafted, 1, certain(drafted, 2)),
    ]
    draws = [*own_draws(chunks[1]), Draw(fork), *own_draws(chunks[2])]
    logits = TARGET[[3, 3, 3, 3, 4]]
    nothing, (own, forks), (guessed, no_forks) = Verifier(SAMPLER).tokens(logits, draws, chunks)
    assert nothing == ((), ())
    assert [token.token_id for token in own + forks] == SAMPLER.draw(logits[:2], draws[:2])
    assert guessed[0] == own[0]
    assert no_forks == ()


def test_guesses_are_accepted_up_to_the_first_that_differs() -> None:
    draft = Draft((1, 2, 3))
    assert accepted(draft, [1, 2, 3, 4]) == [1, 2, 3, 4]
    assert accepted(draft, [1, 5, 3, 4]) == [1, 5]
    assert accepted(draft, [7, 2, 3, 4]) == [7]
