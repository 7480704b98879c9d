"""Owns why a message cannot be sent: what the model would have to read for it does not fit.

Does not count; the engine refuses what is found too late.
"""

from __future__ import annotations

from app.chat.chat_words import tokens_text
from app.chat.context_gauge import ContextParts
from app.i18n import translate
from engine.messages import WhenFull


def forgetting_helps(parts: ContextParts, when_full: WhenFull, num_answer_tokens: int) -> bool:
    """Whether what is refused could be sent if the chat forgot its oldest turns."""
    is_refused = bool(refusal_words(parts, when_full, num_answer_tokens))
    return is_refused and not refusal_words(parts, "drop_oldest", num_answer_tokens)


def refusal_words(parts: ContextParts, when_full: WhenFull, num_answer_tokens: int) -> str:
    """What to do before this can be sent; empty if it can be."""
    fixed = parts.system + num_answer_tokens
    newest = fixed + parts.draft
    needed = newest if when_full == "drop_oldest" else newest + parts.history
    if needed <= parts.limit:
        return ""
    if newest > parts.limit:
        needed = newest
        words = translate(
            "app", "Too long to send: {needed}, but only {limit} fit. Shorten the message or remove what is attached."
        )
    else:
        words = translate(
            "app",
            "This chat is full: {needed} with this message, but only {limit} fit. "
            "Shorten it, delete earlier messages, or choose to forget the oldest turns.",
        )
    return words.format(needed=tokens_text(needed), limit=f"{parts.limit:,}")
