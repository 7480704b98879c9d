"""One request while it is live: what was asked for, its answers so far, and the record it leaves.

Knows nothing of queues, blocks and events.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.answer import Answer
from engine.messages import FinishReason, Submit
from engine.records import RequestEnd, RequestRecord
from engine.sequence import Sequence

_REASONS: tuple[FinishReason, ...] = ("cancelled", "length", "stop")
"""Of several answers, the first of these that holds for any is the request's."""


@dataclass(slots=True)
class LiveRequest:
    """`answers` by index, those that ended too; all of them once the prompt is computed."""

    submit: Submit
    answers: list[Answer]
    reasons: dict[int, FinishReason] = field(default_factory=dict)
    """Why those that ended did, by index."""

    @property
    def first(self) -> Sequence:
        return self.answers[0].sequence

    @property
    def num_answers(self) -> int:
        return self.submit.params.n

    @property
    def reason(self) -> FinishReason:
        """Why it ended. One of its answers must have."""
        return next(reason for reason in _REASONS if reason in self.reasons.values())

    def record(self, end: RequestEnd, code: str | None = None) -> RequestRecord:
        """What remains of it after its end; `code` is the error's, if it failed.

        Of several answers the phases are of the one that ended last, the tokens and preemptions of all together.
        """
        sequences = [answer.sequence for answer in self.answers]
        last = max(sequences, key=lambda sequence: sequence.end_s)
        return RequestRecord(
            request_id=last.request_id,
            end=end,
            arrival_s=last.arrival_s,
            end_s=last.end_s,
            code=code,
            queue_s=last.queue_s,
            prefill_s=last.prefill_s,
            decode_s=last.decode_s,
            preempted_s=last.preempted_s,
            ttft_s=self.first.ttft_s(),
            tpot_s=_mean_tpot_s(sequences),
            num_prompt_tokens=last.num_prompt_tokens,
            num_cached_tokens=self.first.num_cached_tokens,
            num_output_tokens=sum(sequence.num_output_tokens for sequence in sequences),
            num_drafted_tokens=sum(sequence.num_drafted_tokens for sequence in sequences),
            num_accepted_tokens=sum(sequence.num_accepted_tokens for sequence in sequences),
            num_swaps=sum(sequence.num_swaps for sequence in sequences),
            num_recomputes=sum(sequence.num_recomputes for sequence in sequences),
            seed=self.first.seed,
        )


def _mean_tpot_s(sequences: list[Sequence]) -> float | None:
    """Seconds of each token after its answer's first; None if there is none."""
    duration_s, num_tokens = 0.0, 0
    for sequence in sequences:
        if sequence.first_token_s is not None and sequence.last_token_s is not None:
            duration_s += sequence.last_token_s - sequence.first_token_s
            num_tokens += sequence.num_output_tokens - 1
    return duration_s / num_tokens if num_tokens else None
