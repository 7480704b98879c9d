"""What has come for each prompt of `generate`, and how it is told to programs. Knows nothing of terminals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.commands.session import EngineSession
from engine.messages import (
    AnswerFinished,
    FinishReason,
    PromptLogprobs,
    RequestFailed,
    RequestFinished,
    TextDelta,
    TokenLogprobs,
)

_PHASES = ("tpot_s", "queue_s", "prefill_s", "decode_s", "preempted_s", "num_preemptions")


@dataclass(slots=True)
class CompletedAnswer:
    """One answer so far; `reason` None until it has ended."""

    text: str = ""
    reasoning: str = ""
    token_ids: list[int] = field(default_factory=list)
    logprobs: list[TokenLogprobs] = field(default_factory=list)
    reason: FinishReason | None = None

    def add(self, delta: TextDelta) -> None:
        self.text += delta.text
        self.reasoning += delta.reasoning
        self.token_ids += delta.token_ids
        self.logprobs += delta.logprobs

    def to_json(self) -> dict[str, Any]:
        return {
            "text": self.text,
            **({"reasoning": self.reasoning} if self.reasoning else {}),
            "token_ids": self.token_ids,
            **({"logprobs": _logprobs_json(self.token_ids, self.logprobs)} if self.logprobs else {}),
        }


@dataclass(slots=True)
class Completion:
    """What came for one prompt so far: `end` or `error` when that is all."""

    answers: list[CompletedAnswer]
    prompt_token_ids: list[int] = field(default_factory=list)
    """Those that have log-probabilities: all but the first, if they were asked for."""
    prompt_logprobs: list[TokenLogprobs] = field(default_factory=list)
    end: RequestFinished | None = None
    error: RequestFailed | None = None

    def to_json(self) -> dict[str, Any]:
        """The first answer's fields stand on top; several answers stand in `answers`, the first one too."""
        if self.error is not None:
            return {"error": {"code": self.error.code, "message": self.error.message}}
        assert self.end is not None
        answers = [
            {**answer.to_json(), "completion_tokens": len(answer.token_ids), "finish_reason": answer.reason}
            for answer in self.answers
        ]
        prompt_logprobs = _logprobs_json(self.prompt_token_ids, self.prompt_logprobs)
        return {
            **self.answers[0].to_json(),
            **({"answers": answers} if len(answers) > 1 else {}),
            **({"prompt_logprobs": prompt_logprobs} if prompt_logprobs else {}),
            "prompt_tokens": self.end.num_prompt_tokens,
            "cached_tokens": self.end.num_cached_tokens,
            "completion_tokens": self.end.num_completion_tokens,
            "drafted_tokens": self.end.num_drafted_tokens,
            "accepted_tokens": self.end.num_accepted_tokens,
            "finish_reason": self.end.reason,
            "ttft_s": self.end.ttft_s,
            "tokens_per_s": self.end.tokens_per_s,
            **{name: getattr(self.end, name) for name in _PHASES},
        }


def _logprobs_json(token_ids: Sequence[int], logprobs: Sequence[TokenLogprobs]) -> list[dict[str, Any]]:
    return [
        {
            "token_id": token_id,
            "logprob": told.logprob,
            "top": [{"token_id": top_id, "logprob": logprob} for top_id, logprob in told.top],
        }
        for token_id, told in zip(token_ids, logprobs, strict=True)
    ]


def collect(session: EngineSession, completions: dict[str, Completion]) -> None:
    """Read events until every request, by id, has ended."""
    num_open = len(completions)
    events: Iterator[object] = session.events()
    while num_open:
        match next(events):
            case TextDelta(request_id, index=index) as delta:
                completions[request_id].answers[index].add(delta)
            case PromptLogprobs(request_id, _, token_ids, logprobs):
                completions[request_id].prompt_token_ids += token_ids
                completions[request_id].prompt_logprobs += logprobs
            case AnswerFinished(request_id, index, reason):
                completions[request_id].answers[index].reason = reason
            case RequestFinished(request_id) as end:
                completions[request_id].end = end
                num_open -= 1
            case RequestFailed(request_id) as error:
                completions[request_id].error = error
                num_open -= 1
