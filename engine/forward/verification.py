"""The exact rule by which guessed tokens are accepted or replaced, so that answers are distributed as without guesses.

Leviathan, Kalman, Matias, "Fast inference from transformers via speculative decoding", 2023; Chen et al. 2023. A token
d that was drawn from q, where the model's own distribution is p, is accepted with probability min(1, p(d) / q(d));
else it is replaced by one drawn from max(p - q, 0), normalised, and what was guessed after it is void.

For a token that was guessed with certainty, q has all its mass at d. The rule then accepts d with probability p(d) and
else draws from p without d. Drawing from p, and accepting d if it is what was drawn, is the same, and it gives the very
tokens that the same random numbers would have given without a guess.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as Chunks

import numpy as np

from engine.chunk_result import SampledToken
from engine.draft import Draft
from engine.forward.randomness import Stream, uniform
from engine.forward.sampler import Draw, Sampler
from engine.scheduler import ScheduledChunk
from kernels.arrays import Array
from kernels.distribution import distributions, draw_token


class Verifier:
    """Decides which tokens follow each chunk of a batch. Knows nothing of who guessed, nor of keys and values."""

    def __init__(self, sampler: Sampler) -> None:
        self._sampler = sampler

    def tokens(
        self, logits: Array, draws: Chunks[Draw], chunks: Chunks[ScheduledChunk]
    ) -> list[tuple[tuple[SampledToken, ...], tuple[SampledToken, ...]]]:
        """For each chunk its own next tokens and the first of each of its forks; none for a chunk that leaves a gap.

        logits [draws, V] and `draws` chunk by chunk, as in `Batch`.
        """
        verified = [
            self._verify(chunk.draft, logits[own.start : own.stop], draws[own.start : own.stop])
            for chunk, own, _ in _places(chunks)
        ]
        unverified: list[int] = []
        for (chunk, own, forks), known in zip(_places(chunks), verified, strict=True):
            if known == chunk.draft.token_ids[: len(known)]:
                unverified += own[len(known) :]
            unverified += forks
        drawn = dict(zip(unverified, self._draw(logits, draws, unverified), strict=True))

        def told(place: int, token_id: int) -> SampledToken:
            return self._sampler.told(logits[place], token_id, draws[place])

        result = []
        for (chunk, own, forks), known in zip(_places(chunks), verified, strict=True):
            own_ids = accepted(chunk.draft, [*known, *(drawn[place] for place in own if place in drawn)])
            own_tokens = tuple(told(place, token_id) for place, token_id in zip(own, own_ids, strict=False))
            result.append((own_tokens, tuple(told(place, drawn[place]) for place in forks)))
        return result

    def _draw(self, logits: Array, draws: Chunks[Draw], places: list[int]) -> list[int]:
        if not places:
            return []
        # Where all tokens are drawn in the plain way, which is most often, nothing is copied.
        rows = logits if len(places) == len(draws) else logits[places]
        return self._sampler.draw(rows, [draws[place] for place in places])

    def _verify(self, draft: Draft, logits: Array, draws: Chunks[Draw]) -> tuple[int, ...]:
        """Of a draft with probabilities the tokens that are accepted and, unless all are, the one after them."""
        token_ids: list[int] = []
        if draft.probabilities is not None:
            for token_id, proposed, row, draw in zip(draft.token_ids, draft.probabilities, logits, draws, strict=False):
                token_ids.append(self._verify_token(token_id, proposed, row, draw))
                if token_ids[-1] != token_id:
                    break
        return tuple(token_ids)

    def _verify_token(self, token_id: int, proposed: Array, logits: Array, draw: Draw) -> int:
        """The guessed token, or the one that replaces it; proposed and logits: [V]."""
        target = distributions(logits[np.newaxis], self._sampler.tensors([draw]))[0]
        seed, position = draw.sequence.seed, draw.position
        if uniform(seed, position, Stream.ACCEPT) * float(proposed[token_id]) < float(target[token_id]):
            return token_id
        residual = np.maximum(target - proposed, 0)
        # Without any mass p and q are one, and only rounding refused the token.
        return draw_token(residual, uniform(seed, position, Stream.RESIDUAL)) if bool(residual.any()) else token_id


def _places(chunks: Chunks[ScheduledChunk]) -> Iterator[tuple[ScheduledChunk, range, range]]:
    """Each chunk with the places of its own draws and of its forks' among all."""
    first = 0
    for chunk in chunks:
        last = first + (len(chunk.draft.token_ids) + 1 if chunk.closes_gap else 0)
        yield chunk, range(first, last), range(last, last + len(chunk.forks))
        first = last + len(chunk.forks)


def accepted(draft: Draft, token_ids: list[int]) -> list[int]:
    """The tokens up to the first that is not the drafted one: that one replaces it."""
    num_accepted = 0
    while num_accepted < len(draft.token_ids) and token_ids[num_accepted] == draft.token_ids[num_accepted]:
        num_accepted += 1
    return token_ids[: num_accepted + 1]
