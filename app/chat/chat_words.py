"""Owns what a chat's state is called: what a person waits for, and what the model no longer reads.

Does not know the views that say it.
"""

from __future__ import annotations

from app.i18n import translate
from app.state.message import Message
from app.state.session import NEW_CHAT_TITLE, Phase, Session


def state_words(session: Session) -> str:
    """What the person waits for while there is no text yet."""
    match session.phase:
        case Phase.SENT | Phase.WAITING | Phase.SWAPPED | Phase.PREFILL if session.is_stopping:
            return translate("app", "Stopping…")
        case Phase.SENT:
            return translate("app", "Sent")
        case Phase.WAITING:
            return translate("app", "Waiting, {place} in line").format(place=ordinal(session.queue_position + 1))
        case Phase.SWAPPED:
            return translate("app", "Waiting for memory: other chats need it, this one's part is kept")
        case Phase.PREFILL:
            return translate("app", "Reading the chat, {percent} %").format(percent=session.prefill_percent)
        case _:
            return ""


def mark_words(session: Session) -> str:
    """What a tab's mark says, in words; empty for a chat that does nothing."""
    match session.phase:
        case Phase.STREAMING:
            return translate("app", "answering")
        case Phase.THINKING:
            return translate("app", "thinking")
        case Phase.FAILED:
            return translate("app", "the last answer failed")
        case _:
            return state_words(session)


def forgotten_words(session: Session, answer: Message) -> str:
    """What the model does not see any more, at the answer from which on that is so."""
    forgotten = answer.forgotten
    if forgotten is None or forgotten == session.forgotten_before(answer):
        return ""
    match forgotten.num_turns:
        case 1:
            turns = translate("app", "turn 1")
        case 2:
            turns = translate("app", "turns 1 and 2")
        case num_turns:
            turns = translate("app", "turns 1 to {last}").format(last=num_turns)
    words = translate("app", "The chat is full: from here on the model no longer sees {turns} ({number} tokens).")
    return words.format(turns=turns, number=f"{forgotten.num_tokens:,}")


def tokens_text(number: int) -> str:
    """`1 token`, `1,204 tokens`."""
    if number == 1:
        return translate("app", "1 token")
    return translate("app", "{number} tokens").format(number=f"{number:,}")


def ordinal(number: int) -> str:
    """`1st`, `2nd`, `3rd`, `4th`, `11th`, as the language has it."""
    if number % 100 in (11, 12, 13):
        return translate("app", "{number}th").format(number=number)
    match number % 10:
        case 1:
            return translate("app", "{number}st").format(number=number)
        case 2:
            return translate("app", "{number}nd").format(number=number)
        case 3:
            return translate("app", "{number}rd").format(number=number)
        case _:
            return translate("app", "{number}th").format(number=number)


def title_words(title: str) -> str:
    """A chat's title; that of a chat that has none yet, in the language of the window."""
    return translate("app", "New chat") if title == NEW_CHAT_TITLE else title
