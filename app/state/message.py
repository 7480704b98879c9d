"""Owns one turn of a chat: its text, who wrote it, how it came about, and what was attached to it.

Does not know the chat around it, the database or the engine.
"""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass, field
from typing import Literal

Role = Literal["user", "assistant"]
AnswerEnd = Literal["stop", "length", "cancelled", "failed", "interrupted", "edited"]
"""How an answer ended. `interrupted`: the program ended while it was being written. `edited`: a person wrote it."""


def new_id() -> str:
    return uuid.uuid4().hex


@dataclass(frozen=True, slots=True)
class AnswerStats:
    """The figures of one finished answer; counts are in tokens. Of the phases see `RequestFinished`."""

    num_prompt_tokens: int
    num_cached_tokens: int
    num_completion_tokens: int
    ttft_s: float | None
    tokens_per_s: float | None
    queue_s: float | None = None
    prefill_s: float | None = None
    decode_s: float | None = None
    preempted_s: float | None = None
    num_drafted_tokens: int | None = None
    num_accepted_tokens: int | None = None
    """Of the tokens that were guessed, those that were right."""


@dataclass(frozen=True, slots=True)
class ForgottenTurns:
    """The chat's first `num_turns` questions with their answers, `num_tokens` in all, which the model did not read."""

    num_turns: int
    num_tokens: int


@dataclass(frozen=True, slots=True)
class Attachment:
    """A text that goes with a message; `num_tokens` is None until it has been counted."""

    name: str
    text: str
    num_tokens: int | None = None
    id: str = field(default_factory=new_id)


@dataclass(slots=True)
class Message:
    """One turn. An answer whose `end` is None is still being written."""

    role: Role
    text: str = ""
    model_name: str | None = None
    end: AnswerEnd | None = None
    error: str | None = None
    stats: AnswerStats | None = None
    id: str = field(default_factory=new_id)
    error_code: str | None = None
    """See `RequestFailed`; None also for failures from before this was kept."""
    forgotten: ForgottenTurns | None = None
    """What did not fit any more when this was answered."""
    reasoning: str = ""
    """What the model thought before it answered; no part of the answer."""
    reasoning_s: float | None = None
    """How long it thought."""
    seed: int | None = None
    """From which an answer's random numbers came; None if that is not known."""
    attachments: tuple[Attachment, ...] = ()
    created_at_s: float = field(default_factory=time.time)
    """Of a message from before this was kept, its chat's."""
    parent_id: str | None = None
    """The message that this one follows; of what is shown the list itself tells (see `MessageTree`)."""
    deleted_at_s: float | None = None
    """Since when it lies in the trash."""
