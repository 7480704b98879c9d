"""Guesses by a smaller model of the same vocabulary, which draws as the request wants the model itself to draw.

Knows nothing of the model whose tokens it guesses, nor of what becomes of the guesses: it sees a sequence's tokens.
"""

from __future__ import annotations

from collections.abc import Sequence as Wanted
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np

from engine.draft import NO_DRAFT, Draft
from engine.forward.randomness import Stream, uniform
from engine.forward.sampler import Draw, Sampler
from engine.forward.spans import Span, forward_input
from engine.models.decoder import Decoder, make_pool
from engine.sequence import Sequence
from engine.speculation.draft_cache import ComputedTokens, DraftCache
from kernels.arrays import Array
from kernels.distribution import distributions, draw_token
from kernels.ops import Backend

MAX_CATCH_UP_TOKENS = 128
"""Tokens of prompts computed in one step, so that a long prompt delays nobody's next token for long."""


@dataclass(slots=True)
class _Guesses:
    """The guesses for one sequence as they grow."""

    sequence: Sequence
    max_tokens: int
    computed: ComputedTokens
    rope_offset: int
    num_pending: int = 0
    """The sequence's own tokens to compute in this step."""
    token_ids: list[int] = field(default_factory=list)
    probabilities: list[Array] = field(default_factory=list)
    """float64 [vocab] each; none for a greedy request, whose guesses are certain."""

    @property
    def num_missing(self) -> int:
        """The sequence's own tokens that are not computed."""
        return max(0, len(self.sequence.token_ids) - len(self.computed.token_ids))

    @property
    def is_greedy(self) -> bool:
        return self.sequence.params.temperature == 0

    @property
    def draw(self) -> Draw:
        return Draw(self.sequence, tuple(self.token_ids))

    def next_span(self) -> Span:
        """The tokens to compute next: those of the sequence, then the last guess."""
        start = len(self.computed.token_ids)
        token_ids = self.token_ids[-1:] or self.sequence.token_ids[start : start + self.num_pending]
        return Span(token_ids, start, self.computed.block_ids, rope_offset=self.rope_offset)

    def to_draft(self) -> Draft:
        return Draft(tuple(self.token_ids), np.stack(self.probabilities) if self.probabilities else None)


class DraftModel:
    """A `Proposer`. Every forward has all sequences: one for what they have new, and one for each further guess.

    A sequence for which the pool has no room, or which outgrows the model's context, gets no guesses.
    """

    def __init__(self, decoder: Decoder, backend: Backend, num_blocks: int, block_size: int) -> None:
        self._decoder = decoder
        self._backend = backend
        self._sampler = Sampler(backend)
        self._pool = make_pool(decoder.spec, num_blocks, block_size, backend)
        self._cache = DraftCache(num_blocks, block_size)

    @property
    def num_free_blocks(self) -> int:
        return self._cache.pool.num_free

    def propose(self, wanted: Wanted[tuple[Sequence, int]]) -> list[Draft]:
        with self._backend.computing():
            return self._propose(wanted)

    def _propose(self, wanted: Wanted[tuple[Sequence, int]]) -> list[Draft]:
        started = self._start(wanted)
        growing = started
        while growing:
            growing, hidden = self._compute(growing)
            if growing:
                self._guess(growing, self._decoder.logits(hidden))
            growing = [guesses for guesses in growing if len(guesses.token_ids) < guesses.max_tokens]
        drafts = {guesses.sequence: guesses.to_draft() for guesses in started if guesses.token_ids}
        return [drafts.get(sequence, NO_DRAFT) for sequence, _ in wanted]

    def forget(self, sequence: Sequence) -> None:
        self._cache.forget(sequence)

    def _start(self, wanted: Wanted[tuple[Sequence, int]]) -> list[_Guesses]:
        """Those that have something to compute in this step, with room for it and for their guesses."""
        opened: list[_Guesses] = []
        for sequence, max_tokens in wanted:
            # The last guess needs no place: its keys and values are never computed here.
            max_guesses = min(max_tokens, self._decoder.spec.max_context - len(sequence.token_ids) + 1)
            computed = self._cache.open(sequence) if max_guesses > 0 else None
            if computed is not None:
                rope_offset = self._decoder.spec.rope.offset(sequence.num_prompt_tokens + sequence.max_tokens)
                opened.append(_Guesses(sequence, max_guesses, computed, rope_offset))
        budget = MAX_CATCH_UP_TOKENS
        started: list[_Guesses] = []
        # Those that lack least go first: a long prompt takes what they leave.
        for guesses in sorted(opened, key=lambda guesses: guesses.num_missing):
            guesses.num_pending = min(guesses.num_missing, budget)
            num_tokens = len(guesses.computed.token_ids) + guesses.num_pending
            if guesses.num_pending == guesses.num_missing:
                num_tokens += guesses.max_tokens - 1
            if guesses.num_pending and self._cache.reserve(guesses.sequence, num_tokens):
                budget -= guesses.num_pending
                started.append(guesses)
        return started

    def _compute(self, growing: list[_Guesses]) -> tuple[list[_Guesses], Array]:
        """One forward. Returns who can guess after it, and the last row of each: [sequences, hidden]."""
        wide_rows = self._backend.wide_rows
        spans = [(guesses.next_span(), guesses) for guesses in growing]
        if wide_rows is not None:
            spans.sort(key=lambda pair: len(pair[0].token_ids) >= wide_rows)
        sizes = [len(span.token_ids) for span, _ in spans]
        num_narrow_rows = sum(size for size in sizes if wide_rows is None or size < wide_rows)
        batch = forward_input([span for span, _ in spans], self._pool.block_size, num_narrow_rows)
        hidden = self._decoder.hidden(batch, self._pool)
        ready: list[_Guesses] = []
        last_rows: list[int] = []
        for (span, guesses), end in zip(spans, accumulate(sizes), strict=True):
            guesses.computed.token_ids += span.token_ids
            if not guesses.num_missing:
                ready.append(guesses)
                last_rows.append(end - 1)
        return ready, hidden[last_rows]

    def _guess(self, growing: list[_Guesses], logits: Array) -> None:
        """Add a guess to each; logits: [sequences, vocab]."""
        greedy = [place for place, guesses in enumerate(growing) if guesses.is_greedy]
        if greedy:
            token_ids = self._sampler.draw(logits[greedy], [growing[place].draw for place in greedy])
            for place, token_id in zip(greedy, token_ids, strict=True):
                growing[place].token_ids.append(token_id)
        drawn = [place for place, guesses in enumerate(growing) if not guesses.is_greedy]
        if drawn:
            draws = [growing[place].draw for place in drawn]
            rows = distributions(logits[drawn], self._sampler.tensors(draws))
            for place, draw, row in zip(drawn, draws, rows, strict=True):
                number = uniform(draw.sequence.seed, draw.position, Stream.DRAFT)
                growing[place].token_ids.append(draw_token(row, number))
                growing[place].probabilities.append(row)
