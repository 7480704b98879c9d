"""Turns that alternate, as many templates want them: questions on both sides of an answer that never came are one.

Knows messages alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.messages import ChatMessage

_BETWEEN = "\n\n"


def join_alike(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Neighbours of one role as one message, a blank line between their texts."""
    joined: list[ChatMessage] = []
    for message in messages:
        if joined and joined[-1].role == message.role:
            joined[-1] = replace(message, content=f"{joined[-1].content}{_BETWEEN}{message.content}")
        else:
            joined.append(message)
    return joined
