"""Owns why a message cannot be sent, or should not be: what the model would have to read for it leaves no room, or
hardly any, to the answer.

Does not count; the engine refuses what is found too late.
"""

from __future__ import annotations

from app.chat.chat_words import tokens_text
from app.chat.context_gauge import ContextParts
from app.i18n import sentences, translate
from engine.messages import WhenFull

_FEW_TOKENS = 256
_FEW_PART = 8
"""Fewer tokens than that, or than this part of a short context, are few for an answer: some paragraphs."""
_WORDS_PER_TOKEN = 0.75
"""Of English."""


def forgetting_helps(parts: ContextParts, when_full: WhenFull) -> bool:
    """Whether what is refused could be sent if the chat forgot its oldest turns."""
    is_refused = bool(refusal_words(parts, when_full))
    return is_refused and not refusal_words(parts, "drop_oldest")


def refusal_words(parts: ContextParts, when_full: WhenFull) -> str:
    """What to do before this can be sent; empty if it can be: a token of answer is enough."""
    fixed = parts.all_systems + 1
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


def warning_words(parts: ContextParts, when_full: WhenFull) -> str:
    """That hardly any room is left for the answer, and what to do; empty if there is enough, or none at all."""
    if refusal_words(parts, when_full) or not _is_tight(parts, when_full):
        return ""
    room = max(1, parts.room if when_full == "stop" else parts.room + parts.history)
    words = translate("app", "Only {tokens} are left for the answer, about {words} words: it may break off.")
    words = words.format(tokens=tokens_text(room), words=max(1, round(room * _WORDS_PER_TOKEN)))
    longer = translate("app", "“Memory for chats” in the settings makes chats longer.")
    return sentences(words, _advice(parts), *([longer] if parts.is_bound_by_memory else []))


def forgetting_makes_room(parts: ContextParts, when_full: WhenFull) -> bool:
    """Whether what is warned of would not be so if the chat forgot its oldest turns."""
    return bool(warning_words(parts, when_full)) and not _is_tight(parts, "drop_oldest")


def _is_tight(parts: ContextParts, when_full: WhenFull) -> bool:
    """A chat that may forget leaves out as much as the answer needs."""
    room = parts.room if when_full == "stop" else parts.room + parts.history
    return room < min(_FEW_TOKENS, parts.limit // _FEW_PART)


def _advice(parts: ContextParts) -> str:
    if _is_tight(parts, "drop_oldest"):
        return translate("app", "Shorten the message or remove what is attached.")
    return translate("app", "Start a new chat, or let this one forget its oldest turns.")
