"""Owns why a message cannot be sent: what the model would have to read for it does not fit.

Does not count; the engine refuses what is found too late.
"""

from __future__ import annotations

from app.chat.chat_words import tokens_text
from app.chat.context_gauge import ContextParts
from app.i18n import translate
from engine.messages import WhenFull


def refusal_words(parts: ContextParts, num_unread: int, when_full: WhenFull, num_answer_tokens: int) -> str:
    """What to do before this can be sent; empty if it can be.

    `num_unread` tokens of the history were sent, but no answer read them: they stay with the newest message, also in a
    chat that forgets its oldest turns.
    """
    fixed = parts.system + num_answer_tokens
    newest = fixed + num_unread + parts.draft
    needed = newest if when_full == "drop_oldest" else fixed + parts.history + parts.draft
    if needed <= parts.limit:
        return ""
    if fixed + parts.draft > parts.limit:
        needed = fixed + parts.draft
        words = translate(
            "app", "Too long to send: {needed}, and {limit} fit. Shorten the message or remove what is attached."
        )
    elif newest > parts.limit:
        needed = newest
        words = translate(
            "app",
            "The message before was not answered and goes along: {needed} together, and {limit} fit. "
            "Remove it, or shorten the two.",
        )
    else:
        words = translate(
            "app",
            "This chat is full: {needed} with this message, and {limit} fit. "
            "Shorten it, delete earlier messages, or choose to forget the oldest turns.",
        )
    return words.format(needed=tokens_text(needed), limit=f"{parts.limit:,}")
