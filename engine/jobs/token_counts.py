"""Counts tokens on a thread of its own, so that a long text delays no answer. Knows nothing of requests."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from threading import Thread

from engine.errors import TextError
from engine.messages import CountTokens, Event, TokensCounted

_log = logging.getLogger(__name__)


class TokenCounts:
    """Each question gets exactly one answer; `sink` is called on the questions' threads."""

    def __init__(self, sink: Callable[[Sequence[Event]], None]) -> None:
        self._sink = sink

    def ask(self, question: CountTokens, count_text: Callable[[str], int] | None) -> None:
        """Returns at once. `count_text` is the loaded model's and may be called on any thread; None without a model."""
        Thread(target=self._run, args=(question, count_text), name="count-tokens", daemon=True).start()

    def _run(self, question: CountTokens, count_text: Callable[[str], int] | None) -> None:
        counts = None
        if count_text is not None:
            try:
                counts = tuple(count_text(text) for text in question.texts)
            except TextError:
                _log.warning("a text was not counted", exc_info=True)
        self._sink([TokensCounted(question.count_id, counts)])
