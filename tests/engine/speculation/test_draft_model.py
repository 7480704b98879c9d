"""Guesses of a second decoder: what it guesses, what it keeps of each sequence, and when it gives up."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from engine.draft import Draft
from engine.forward.sampler import Draw, Sampler
from engine.forward.spans import Span, forward_input
from engine.models.decoder import Decoder, make_pool
from engine.sequence import Sequence
from engine.speculation import draft_model
from engine.speculation.draft_model import DraftModel
from kernels.arrays import Array
from kernels.backends import load_backend
from kernels.distribution import distributions
from kernels.ops import Backend
from tests.engine.speculation.chi_square import chi_square
from tests.engine.speculation.sequences import make_sequence
from tests.engine.tiny_decoder import SPEC, DecoderEngine, random_decoder, tiny_decoder

BLOCK_SIZE = 4


@cache
def sketch_decoder(backend_name: str) -> tuple[Decoder, Backend]:
    """A model that resembles the tiny decoder."""
    backend = load_backend(backend_name)
    return random_decoder(SPEC, backend, noise=0.3), backend


def make_model(num_blocks: int = 100, backend_name: str = "reference", max_context: int = 1024) -> DraftModel:
    decoder, backend = sketch_decoder(backend_name)
    if max_context != SPEC.max_context:
        decoder = random_decoder(replace(SPEC, max_context=max_context), backend, noise=0.3)
    return DraftModel(decoder, backend, num_blocks, BLOCK_SIZE)


def last_logits(token_ids: list[int]) -> Array:
    """float32 [vocab], from one forward over all tokens."""
    decoder, backend = sketch_decoder("reference")
    pool = make_pool(SPEC, 1, len(token_ids), backend)
    batch = forward_input([Span(token_ids, 0, [1])], len(token_ids))
    return decoder.logits(decoder.hidden(batch, pool)[-1:])[0]


def greedy_continuation(token_ids: list[int], num_tokens: int) -> tuple[int, ...]:
    token_ids = list(token_ids)
    for _ in range(num_tokens):
        token_ids.append(int(last_logits(token_ids).argmax()))
    return tuple(token_ids[-num_tokens:])


def greedy(token_ids: list[int], request_id: str = "a") -> Sequence:
    return make_sequence(token_ids, request_id, temperature=0.0)


def propose(model: DraftModel, sequence: Sequence, max_tokens: int) -> Draft:
    (draft,) = model.propose([(sequence, max_tokens)])
    return draft


def text(seed: int, length: int = 12) -> list[int]:
    return random.Random(seed).choices(range(256), k=length)


@pytest.mark.parametrize("num_tokens", [1, 2, 7])
def test_a_greedy_request_gets_the_models_own_greedy_continuation(num_tokens: int) -> None:
    draft = propose(make_model(), greedy(text(1)), num_tokens)
    assert draft.token_ids == greedy_continuation(text(1), num_tokens)
    assert draft.probabilities is None


def test_a_drawn_guess_comes_with_the_distribution_it_was_drawn_from() -> None:
    sequence = make_sequence(text(2), seed=5, temperature=1.3, top_k=20, repetition_penalty=1.2)
    draft = propose(make_model(), sequence, 4)
    assert draft.probabilities is not None
    assert draft.probabilities.shape == (4, SPEC.vocab_size)
    sampler = Sampler(load_backend("reference"))
    for place, row in enumerate(draft.probabilities):
        logits = last_logits([*sequence.token_ids, *draft.token_ids[:place]])
        params = sampler.tensors([Draw(sequence, draft.token_ids[:place])])
        np.testing.assert_allclose(row, distributions(logits[np.newaxis], params)[0], atol=1e-5, rtol=1e-4)
        assert row[draft.token_ids[place]] > 0


def test_guesses_do_not_depend_on_the_company() -> None:
    def sequences() -> list[Sequence]:
        return [greedy(text(3, 9)), make_sequence(text(4, 17), "b", seed=2, top_k=3), greedy(text(5, 3), "c")]

    model = make_model()
    together = model.propose([(sequence, 2 + place) for place, sequence in enumerate(sequences())])
    alone = [propose(make_model(), sequence, 2 + place) for place, sequence in enumerate(sequences())]
    assert [draft.token_ids for draft in together] == [draft.token_ids for draft in alone]


@pytest.mark.parametrize("backend_name", ["reference", "cpu"])
def test_after_any_history_the_guesses_are_those_of_a_fresh_model(backend_name: str) -> None:
    rng, model = random.Random(6), make_model(backend_name=backend_name)
    sequences = [greedy(text(seed, 5 + seed), str(seed)) for seed in range(3)]
    for _ in range(12):
        wanted = [(sequence, rng.randint(0, 5)) for sequence in sequences]
        for (sequence, limit), draft in zip(wanted, model.propose(wanted), strict=True):
            fresh = propose(make_model(backend_name=backend_name), greedy(sequence.token_ids), limit)
            assert draft.token_ids == fresh.token_ids
            # Some of the guesses were right, then another token came; or no step was made at all.
            if rng.random() < 0.8:
                sequence.token_ids += [*draft.token_ids[: rng.randint(0, limit)], rng.randrange(256)]


def test_all_guesses_right_leaves_one_token_more_to_compute() -> None:
    model, sequence = make_model(), greedy(text(7))
    for _ in range(4):
        draft = propose(model, sequence, 3)
        sequence.token_ids += [*draft.token_ids, 17]
    assert propose(model, sequence, 3).token_ids == greedy_continuation(sequence.token_ids, 3)


def test_a_long_prompt_is_computed_over_several_steps_and_delays_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draft_model, "MAX_CATCH_UP_TOKENS", 16)
    model, long, short = make_model(), greedy(text(8, 50)), greedy(text(9, 5), "b")
    drafts = [model.propose([(long, 2), (short, 2)]) for _ in range(4)]
    assert [len(long_draft.token_ids) for long_draft, _ in drafts] == [0, 0, 0, 2]
    assert [len(short_draft.token_ids) for _, short_draft in drafts] == [2, 2, 2, 2]
    assert drafts[-1][0].token_ids == greedy_continuation(long.token_ids, 2)


def test_a_prompt_long_enough_for_the_wide_kernel_is_guessed_on_beside_a_narrow_one() -> None:
    model, long, short = make_model(backend_name="cpu"), greedy(text(10, 120)), greedy(text(11, 6), "b")
    long_draft, short_draft = model.propose([(long, 1), (short, 1)])
    assert short_draft.token_ids == propose(make_model(backend_name="cpu"), greedy(text(11, 6)), 1).token_ids
    assert len(long_draft.token_ids) == 1


def test_a_sequence_without_room_goes_without_guesses_and_harms_nobody() -> None:
    model, first, second = make_model(num_blocks=5), greedy(text(12, 14)), greedy(text(13, 10), "b")
    drafts = model.propose([(first, 2), (second, 2)])
    assert [len(draft.token_ids) for draft in drafts] == [0, 2]
    assert model.num_free_blocks == 2
    # Room that comes later is for others: nobody is computed anew in each step, only to be given up again.
    model.forget(second)
    assert propose(model, first, 2).token_ids == ()
    assert model.num_free_blocks == 5
    assert propose(model, greedy(text(12, 14)), 2).token_ids == greedy_continuation(text(12, 14), 2)


def test_a_sequence_that_outgrows_the_pool_gives_its_blocks_back() -> None:
    model, sequence = make_model(num_blocks=4), greedy(text(14, 10))
    lengths = []
    for _ in range(5):
        lengths.append(len(propose(model, sequence, 2).token_ids))
        sequence.token_ids += text(15, 2)
    assert lengths == [2, 2, 2, 0, 0]
    assert model.num_free_blocks == 4


def test_no_guess_stands_behind_the_models_context() -> None:
    model, sequence = make_model(max_context=16), greedy(text(16, 13))
    lengths = []
    while len(sequence.token_ids) < 20:
        lengths.append(len(propose(model, sequence, 3).token_ids))
        sequence.token_ids.append(1)
    assert lengths == [3, 3, 2, 1, 0, 0, 0]


def test_forgetting_gives_all_blocks_back_and_may_be_done_twice() -> None:
    model, sequences = make_model(num_blocks=20), [greedy(text(seed, 9), str(seed)) for seed in range(3)]
    model.propose([(sequence, 3) for sequence in sequences])
    assert model.num_free_blocks == 20 - 3 * 3
    for sequence in [*sequences, *sequences, greedy([1], "unknown")]:
        model.forget(sequence)
    assert model.num_free_blocks == 20


@pytest.mark.parametrize("backend_name", ["reference", "cpu"])
def test_greedy_answers_of_the_engine_are_the_same_with_a_draft_model(backend_name: str) -> None:
    def answers(engine: DecoderEngine) -> list[list[int]]:
        for index in range(3):
            engine.submit(str(index), f"prompt number {index}", max_tokens=40)
        engine.run()
        return [engine.token_ids(str(index)) for index in range(3)]

    model = make_model(backend_name=backend_name)
    guessed = DecoderEngine(backend_name, proposer=model, row_cost=0.05)
    assert answers(guessed) == answers(DecoderEngine(backend_name))
    assert guessed.core.metrics.num_drafted_tokens > 20
    assert model.num_free_blocks == 100


PAIR_PARAMS: dict[str, object] = {"temperature": 1.0, "top_p": 1.0, "top_k": 4}


def pair_probabilities(prompt: str) -> dict[tuple[int, int], float]:
    """Of the first two tokens after a prompt, by the tiny decoder itself."""
    decoder, backend = tiny_decoder("reference")
    sampler = Sampler(backend)

    def next_token(token_ids: list[int]) -> dict[int, float]:
        pool = make_pool(SPEC, 1, len(token_ids), backend)
        batch = forward_input([Span(token_ids, 0, [1])], len(token_ids))
        logits = decoder.logits(decoder.hidden(batch, pool)[-1:])
        (row,) = distributions(logits, sampler.tensors([Draw(make_sequence(token_ids, **PAIR_PARAMS))]))
        return {token_id: float(row[token_id]) for token_id in np.flatnonzero(row).tolist()}

    start = list(prompt.encode())
    return {(a, b): p * q for a, p in next_token(start).items() for b, q in next_token([*start, a]).items()}


def test_answers_of_the_engine_are_distributed_as_the_model_says() -> None:
    model, num_answers = make_model(num_blocks=200), 800
    engine = DecoderEngine(proposer=model, num_blocks=200, max_batched_tokens=128, max_waiting_requests=num_answers)
    for index in range(num_answers):
        engine.submit(str(index), "ab", max_tokens=3, seed=index, ignore_eos=True, **PAIR_PARAMS)
    engine.run(max_steps=10_000)
    pairs = Counter(tuple(engine.token_ids(str(index))[:2]) for index in range(num_answers))
    probabilities = pair_probabilities("ab")
    assert set(pairs) <= set(probabilities)
    counts = [pairs[pair] for pair in probabilities]
    statistic, critical = chi_square(counts, list(probabilities.values()))
    assert statistic < critical
    drafted, accepted = engine.core.metrics.num_drafted_tokens, engine.core.metrics.num_accepted_tokens
    assert 0 < accepted < drafted
