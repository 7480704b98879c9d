"""What a chat on the terminal says of turns that no longer fit. Does not know why they do not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from engine.messages import ChatMessage, ContextTrimmed


class TrimNotice:
    """One line each time more, or other, turns are left out than the time before."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._dropped: tuple[int, ...] = ()

    def show(self, trimmed: ContextTrimmed, messages: Sequence[ChatMessage]) -> None:
        """`messages` are those that were submitted."""
        if trimmed.dropped == self._dropped:
            return
        self._dropped = trimmed.dropped
        num_turns = sum(messages[index].role == "user" for index in trimmed.dropped)
        turns = "turn 1" if num_turns == 1 else f"turns 1 to {num_turns}"
        print(
            f"[the context is full: the model no longer sees {turns} ({trimmed.num_dropped_tokens:,} tokens)]",
            file=self._stream,
            flush=True,
        )
