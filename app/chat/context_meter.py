"""Owns the numbers of a chat's context gauge: what is known of the answers, and what is counted while a person writes.

Does not know how they are shown.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from app.bridge.engine_client import EngineClient
from app.bridge.throttle import Throttle
from app.chat.composer_panel import ComposerPanel
from app.chat.context_gauge import ContextParts
from app.chat.send_check import forgetting_helps, forgetting_makes_room, refusal_words, warning_words
from app.state.drafts import Draft
from app.state.message import Attachment, Message
from app.state.session import Session, file_text, read_text
from engine.api import EngineConfig
from engine.messages import ModelLoaded

COUNT_INTERVAL_MS = 300
SHOW_INTERVAL_MS = 250
"""Numbers that follow an answer change no faster than they can be read."""
_REPLY_RESERVE = EngineConfig().reply_reserve
_RESERVED_PART = 4
"""Of the context, as the engine does it (`RequestReader`)."""


class ContextMeter(QObject):
    """Counts system prompt, draft and attachments by the engine, at most about three times a second."""

    refusal_changed = Signal(str, bool)
    """Why what is being written cannot be sent, empty if it can be; whether it could if the chat forgot."""
    warning_changed = Signal(str, bool)
    """What is to be known before it is sent, empty if nothing; whether it were otherwise if the chat forgot."""

    message_counted = Signal(object)
    """A `Message` that was sent, whose attachments have their numbers of tokens now."""

    def __init__(self, session: Session, client: EngineClient, panel: ComposerPanel, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._client = client
        self._composer = panel.composer
        self._attachments = panel.attachments
        self._queued = panel.queued
        self._gauge = panel.gauge
        self._model: ModelLoaded | None = None
        self._max_tokens: int | None = None
        self._counts: dict[str, int] = {}
        """Tokens, see `_texts`."""
        self._num_draft_tokens = 0
        """Of the text when it was last counted: one letter more does not make it empty."""
        self._counting: asyncio.Task[None] | None = None
        self._throttle = Throttle(COUNT_INTERVAL_MS, self._count, self)
        self._show_throttle = Throttle(SHOW_INTERVAL_MS, self.show, self)
        for changed in (self._composer.textChanged, self._attachments.changed, self._queued.changed):
            changed.connect(self._throttle.request)

    def show_model(self, model: ModelLoaded | None) -> None:
        if model is None or self._model is None or model.model_id != self._model.model_id:
            # Another model counts otherwise.
            self._counts = {}
        self._model = model
        self._throttle.request()
        self.show()

    def show_max_tokens(self, max_tokens: int | None) -> None:
        """The longest answer that is asked for; None leaves it to the engine."""
        self._max_tokens = max_tokens
        self._throttle.request()
        self.show()

    def refresh(self) -> None:
        """The chat has come into view: shows what is known, and counts what has changed, soon."""
        self.show()
        self._throttle.request()

    def show_soon(self) -> None:
        """The answer has grown; of many tabs only those that are seen are told."""
        if self._composer.isVisible():
            self._show_throttle.request()

    def close(self) -> None:
        """The chat is being left."""
        self._throttle.cancel()
        self._show_throttle.cancel()
        if self._counting is not None:
            # Its answer may come when there is nothing left to show it.
            self._counting.cancel()

    def show(self) -> None:
        model = self._model
        if model is None:
            self._gauge.show_parts(None)
            self.refusal_changed.emit("", False)
            self.warning_changed.emit("", False)
            return
        text = self._composer.toPlainText()
        self._num_draft_tokens = self._counts.get(text, self._num_draft_tokens) if text else 0
        written = self._num_draft_tokens + self._num_tokens(Draft("", self._attachments.attachments))
        parts = self._parts(model, written + self._num_tokens(self._queued.draft))
        self._gauge.show_parts(parts)
        told = (parts, self._session.when_full)
        self.refusal_changed.emit(refusal_words(*told), forgetting_helps(*told))
        self.warning_changed.emit(warning_words(*told), forgetting_makes_room(*told))

    def refuses(self, draft: Draft) -> bool:
        """Whether this alone cannot be sent now, as far as it is counted."""
        if self._model is None:
            return True
        parts = self._parts(self._model, self._num_tokens(draft))
        return bool(refusal_words(parts, self._session.when_full))

    def _num_tokens(self, draft: Draft) -> int:
        attached = sum(self._counts.get(one.id, one.num_tokens or 0) for one in draft.attachments)
        return self._counts.get(draft.text, 0) + attached

    def _parts(self, model: ModelLoaded, draft: int) -> ContextParts:
        """What fills the context, with so many tokens that are not sent."""
        limit = context_limit(model)
        system = self._counts.get(self._session.system_prompt, 0)
        model_system = 0 if self._session.system_prompt.strip() else model.own_system_tokens
        # What is known of an answer's prompt has the system prompt in it.
        num_read = max(0, self._session.num_context_tokens - system - model_system)
        uncounted = self._session.uncounted()
        history = num_read + sum(self._counts.get(message.id, 0) for message in uncounted)
        wanted = min(self._max_tokens or _REPLY_RESERVE, _REPLY_RESERVE, limit // _RESERVED_PART)
        parts = ContextParts(system, history, draft, 0, limit, model_system, limit < model.max_context)
        return replace(parts, reserve=min(wanted, parts.room))

    def _texts(self) -> dict[str, str]:
        """What is to be counted: files and messages by their ids, other texts by themselves."""
        queued = self._queued.draft
        files = {one.id: file_text(one) for one in (*queued.attachments, *self._attachments.attachments)}
        # They were sent before they could be counted.
        files |= {one.id: file_text(one) for message in self._session.messages for one in _uncounted_files(message)}
        files |= {message.id: read_text(message) for message in self._session.uncounted()}
        texts = (self._session.system_prompt, queued.text, self._composer.toPlainText())
        return files | {text: text for text in texts if text}

    def _count(self) -> None:
        if not self._composer.isVisible():
            # Of many tabs only those that are seen; `refresh` comes when this one is.
            return
        texts = self._texts()
        missing = {key: text for key, text in texts.items() if key not in self._counts}
        self._counts = {key: number for key, number in self._counts.items() if key in texts}
        if self._model is not None and missing and self._counting is None:
            self._counting = self._client.run(self._ask(missing))
        self._keep_sizes()
        self.show()

    async def _ask(self, texts: dict[str, str]) -> None:
        counts = await self._client.count_tokens(tuple(texts.values()))
        self._counting = None
        if counts is not None:
            self._counts |= dict(zip(texts, counts, strict=True))
            self._attachments.show_sizes(self._counts)
            self._keep_sizes()
            # More may have been written meanwhile.
            self._throttle.request()
            self.show()

    def _keep_sizes(self) -> None:
        """Of what was sent before it was counted."""
        for message in self._session.messages:
            if any(one.id in self._counts for one in _uncounted_files(message)):
                message.attachments = tuple(
                    replace(one, num_tokens=self._counts.get(one.id, one.num_tokens)) for one in message.attachments
                )
                self.message_counted.emit(message)


def _uncounted_files(message: Message) -> list[Attachment]:
    return [one for one in message.attachments if one.num_tokens is None]


def context_limit(model: ModelLoaded) -> int:
    """The most tokens that a chat can have: a small pool holds less than the model could read."""
    return min(model.max_context, model.num_blocks * model.block_size)
