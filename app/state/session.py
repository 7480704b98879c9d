"""Owns one chat: its messages, and what its unfinished answer is doing.

Does not know the window, the database or the engine; it is plain Python and is told of each event.
"""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import chain, count

from app.state.message import AnswerStats, Attachment, ForgottenTurns, Message, new_id
from app.state.message_tree import MessageTree
from app.state.parameters import ChatParameters, Preset
from app.state.title_text import without_marks
from engine.messages import (
    ChatMessage,
    ContextTrimmed,
    PrefillProgress,
    RequestFailed,
    RequestFinished,
    RequestPreempted,
    RequestQueued,
    RequestResumed,
    TextDelta,
    WhenFull,
)

AnswerEvent = (
    ContextTrimmed
    | RequestQueued
    | RequestPreempted
    | RequestResumed
    | PrefillProgress
    | TextDelta
    | RequestFinished
    | RequestFailed
)

NEW_CHAT_TITLE = "New chat"
MAX_TITLE_LENGTH = 48


class Phase(Enum):
    """What the chat's newest request is doing."""

    IDLE = "idle"
    SENT = "sent"
    WAITING = "waiting"
    PREFILL = "prefill"
    STREAMING = "streaming"
    THINKING = "thinking"
    """The model thinks, which is not part of its answer."""
    SWAPPED = "swapped"
    """Its blocks lie in host memory, as another chat needed the pool."""
    FAILED = "failed"


BUSY_PHASES = frozenset({Phase.SENT, Phase.WAITING, Phase.PREFILL, Phase.STREAMING, Phase.THINKING, Phase.SWAPPED})


@dataclass(slots=True)
class Session:
    """A chat. At most its last message is an answer that is being written."""

    id: str = field(default_factory=new_id)
    title: str = NEW_CHAT_TITLE
    system_prompt: str = ""
    is_pinned: bool = False
    created_at_s: float = field(default_factory=time.time)
    when_full: WhenFull = "stop"
    parameters: ChatParameters = field(default_factory=ChatParameters)
    preset: Preset | None = None
    """What it was made from, as it was then."""
    folder_id: str | None = None
    messages: list[Message] = field(default_factory=list)
    """Those that are shown, which are those that the model reads."""
    aside: list[Message] = field(default_factory=list)
    """Other versions, and what lies in the trash."""
    phase: Phase = Phase.IDLE
    is_stopping: bool = False
    """Whether the answer that is awaited was asked to end: the engine does so after its running step."""
    queue_position: int = 0
    """While waiting: how many requests are ahead."""
    num_computed_tokens: int = 0
    num_prompt_tokens: int = 0
    num_cached_tokens: int = 0
    num_answer_tokens: int = 0
    """Of the newest answer, as they come."""
    asked_at_s: float = 0.0
    first_token_at_s: float | None = None
    last_token_at_s: float = 0.0
    """Of the newest answer, on the monotonic clock."""
    continues_answer: bool = False
    """Whether the unfinished answer goes on behind text that it had before."""
    thinking_since_s: float | None = None
    """On the monotonic clock; None while the newest answer has not begun to think."""

    @property
    def tree(self) -> MessageTree:
        """All its messages, and what can be done with their versions."""
        return MessageTree(self.messages, self.aside)

    @property
    def is_busy(self) -> bool:
        return self.phase in BUSY_PHASES

    @property
    def answer(self) -> Message:
        """The newest answer. A chat without one is the caller's mistake."""
        newest = self.messages[-1]
        assert newest.role == "assistant", f"the newest message is the {newest.role}'s"
        return newest

    @property
    def can_retry(self) -> bool:
        return not self.is_busy and bool(self.messages) and self.messages[-1].role == "assistant"

    @property
    def prefill_percent(self) -> int:
        return 100 * self.num_computed_tokens // self.num_prompt_tokens if self.num_prompt_tokens else 0

    @property
    def num_context_tokens(self) -> int:
        """The tokens of prompt and answer together, as far as they are known."""
        if self.is_busy and self.num_prompt_tokens:
            return self.num_prompt_tokens + self.num_answer_tokens
        for message in reversed(self.messages):
            if message.stats is not None:
                return message.stats.num_prompt_tokens + message.stats.num_completion_tokens
        return 0

    def uncounted(self) -> list[Message]:
        """The messages behind those that `num_context_tokens` counts: they were sent, and no answer read them."""
        if self.is_busy and self.num_prompt_tokens:
            return []
        behind: list[Message] = []
        for message in reversed(self.messages):
            if message.stats is not None:
                break
            behind.insert(0, message)
        return [message for message in behind if read_text(message)]

    def ask(
        self, text: str, model_name: str | None = None, attachments: tuple[Attachment, ...] = ()
    ) -> tuple[Message, Message]:
        """Appends the user's message and the empty answer to it."""
        assert not self.is_busy, f"the chat is {self.phase.value}"
        if not self.messages and self.title == NEW_CHAT_TITLE:
            self.title = automatic_title(text, attachments)
        question = Message("user", text, attachments=attachments)
        self.messages.append(question)
        return question, self.begin_answer(model_name)

    def prompt(self) -> tuple[ChatMessage, ...]:
        """What the model is to read: all but the unfinished answer, unless that is continued, and empty answers."""
        return tuple(message for message, _ in self._numbered_prompt())

    def _numbered_prompt(self) -> list[tuple[ChatMessage, int]]:
        """The prompt; with each message, how many of the chat's questions are asked by then."""
        prompt = [(ChatMessage("system", self.system_prompt), 0)] if self.system_prompt.strip() else []
        num_questions = 0
        for message in self.messages:
            num_questions += message.role == "user"
            is_unfinished = message.role == "assistant" and message.end is None
            text = read_text(message)
            if not text or (is_unfinished and not self.continues_answer):
                continue
            prompt.append((ChatMessage(message.role, text), num_questions))
        return prompt

    def forgotten_before(self, answer: Message) -> ForgottenTurns | None:
        """What was forgotten when the answer before this one was written."""
        former = None
        for message in self.messages:
            if message is answer:
                break
            if message.role == "assistant":
                former = message.forgotten
        return former

    def apply(self, event: AnswerEvent) -> None:
        """Moves the unfinished answer on. The text of a `TextDelta` is added by `append_text`, in larger pieces."""
        match event:
            case ContextTrimmed():
                num_turns = self._numbered_prompt()[max(event.dropped)][1]
                self.answer.forgotten = ForgottenTurns(num_turns, event.num_dropped_tokens)
            case RequestQueued(position=position):
                self.phase = Phase.WAITING
                self.queue_position = position
            case RequestPreempted(how=how):
                self.phase = Phase.SWAPPED if how == "swap" else Phase.WAITING
            case RequestResumed():
                self.phase = Phase.STREAMING if self.answer.text else Phase.PREFILL
            case PrefillProgress():
                self.num_computed_tokens = event.num_computed_tokens
                self.num_prompt_tokens = event.num_prompt_tokens
                self.num_cached_tokens = event.num_cached_tokens
                self.phase = Phase.PREFILL
            case TextDelta(token_ids=token_ids, reasoning=reasoning):
                self._count(len(token_ids))
                self._time_thinking(bool(reasoning))
                self.phase = Phase.THINKING if reasoning and not self.answer.text else Phase.STREAMING
            case RequestFinished():
                self._finish(event)
            case RequestFailed(message=error, code=code):
                self.measure()
                self.answer.end = "failed"
                self.answer.error = error
                self.answer.error_code = code
                self.phase = Phase.FAILED

    def append_text(self, text: str) -> None:
        self.answer.text += text

    def append_reasoning(self, text: str) -> None:
        self.answer.reasoning += text

    def _time_thinking(self, is_thinking: bool) -> None:
        now_s = time.monotonic()
        if is_thinking and self.thinking_since_s is None:
            self.thinking_since_s = now_s
        if self.thinking_since_s is not None and (is_thinking or self.answer.reasoning_s is None):
            self.answer.reasoning_s = now_s - self.thinking_since_s

    def interrupt(self) -> None:
        """Ends an unfinished answer here, with the text it has: its tab or the program is being closed."""
        if self.is_busy:
            self.measure()
            self.answer.end = "cancelled"
            self.phase = Phase.IDLE

    def measure(self) -> None:
        """Gives the unfinished answer the figures that are known by now; those of its end take their place."""
        if not self.num_prompt_tokens:
            return
        first_s, num_tokens = self.first_token_at_s, self.num_answer_tokens
        duration_s = 0.0 if first_s is None else self.last_token_at_s - first_s
        self.answer.stats = AnswerStats(
            self.num_prompt_tokens,
            self.num_cached_tokens,
            num_tokens,
            None if first_s is None else first_s - self.asked_at_s,
            (num_tokens - 1) / duration_s if num_tokens > 1 and duration_s > 0 else None,
        )

    def _count(self, num_tokens: int) -> None:
        self.num_answer_tokens += num_tokens
        if num_tokens:
            self.last_token_at_s = time.monotonic()
            if self.first_token_at_s is None:
                self.first_token_at_s = self.last_token_at_s

    def begin_answer(self, model_name: str | None, parent_id: str | None = None) -> Message:
        """Appends an empty answer: to the message before it, or as a version of what follows `parent_id`."""
        answer = Message("assistant", model_name=model_name, parent_id=parent_id)
        self.messages.append(answer)
        self.continues_answer = False
        self._start_clock()
        return answer

    def go_on(self) -> Message:
        """Opens the newest answer again, to be continued behind its text."""
        assert not self.is_busy, f"the chat is {self.phase.value}"
        answer = self.answer
        answer.end = answer.error = answer.error_code = None
        self.continues_answer = bool(answer.text)
        self._start_clock()
        return answer

    def _start_clock(self) -> None:
        self.phase = Phase.SENT
        self.is_stopping = False
        self.num_computed_tokens = 0
        self.num_prompt_tokens = 0
        self.num_cached_tokens = 0
        self.num_answer_tokens = 0
        self.asked_at_s = time.monotonic()
        self.first_token_at_s = None
        self.thinking_since_s = None

    def _finish(self, event: RequestFinished) -> None:
        self.answer.end = event.reason
        self.answer.seed = event.seed
        self.answer.stats = AnswerStats(
            event.num_prompt_tokens,
            event.num_cached_tokens,
            event.num_completion_tokens,
            event.ttft_s,
            event.tokens_per_s,
            event.queue_s,
            event.prefill_s,
            event.decode_s,
            event.preempted_s,
            event.num_drafted_tokens,
            event.num_accepted_tokens,
        )
        self.phase = Phase.IDLE


def read_text(message: Message) -> str:
    """A message as the model reads it: the files that were attached, each under its name, and then its text."""
    return "\n\n".join([*map(file_text, message.attachments), *([message.text] if message.text else [])])


def file_text(attachment: Attachment) -> str:
    """An attached file as the model reads it: its name and its text as a block of code."""
    fence = "```"
    while fence in attachment.text:
        fence += "`"
    return f"File {attachment.name}:\n{fence}\n{attachment.text}\n{fence}"


def title_of(text: str) -> str:
    """A chat's title from its first question: its first words, on one line and without Markdown's marks."""
    words = " ".join(without_marks(text).split())
    if len(words) <= MAX_TITLE_LENGTH:
        return words or NEW_CHAT_TITLE
    cut = words[:MAX_TITLE_LENGTH]
    # Break between words where there are some; a text without spaces is cut anywhere.
    return f"{cut.rsplit(' ', 1)[0] if ' ' in cut[MAX_TITLE_LENGTH // 2 :] else cut}…"


def automatic_title(text: str, attachments: Sequence[Attachment]) -> str:
    """The title of a chat that begins with this question."""
    return title_of(text or ", ".join(attachment.name for attachment in attachments))


def marked_title(title: str, mark: str, taken: Collection[str]) -> str:
    """`Sea (branch)`, or if that is taken `Sea (branch 2)`; a mark that is there already gives way to the new one.

    The sign of a title that was cut goes: lists cut a title before the mark.
    """
    plain = re.sub(rf" \({re.escape(mark)}( \d+)?\)$", "", title).removesuffix("…").rstrip()
    numbered = (f"{plain} ({mark} {number})" for number in count(2))
    return next(one for one in chain([f"{plain} ({mark})"], numbered) if one not in taken)


def restored_phase(messages: Sequence[Message]) -> Phase:
    """The phase of a chat read from disk."""
    return Phase.FAILED if messages and messages[-1].end == "failed" else Phase.IDLE
