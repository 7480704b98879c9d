"""Owns what a chat's tab says by itself: what it waits for, and why a message stays where it was written.

Does not know the tab.
"""

from __future__ import annotations

from app.i18n import translate
from app.state.message import AnswerEnd
from engine.messages import ModelLoaded


def kept_hint(end: AnswerEnd | None) -> str:
    """Why a message that waited, for the answer's end or for a model, is in the field again."""
    if end == "length":
        return translate("app", "The answer stopped at its limit, so your message was not sent: continue it, or send.")
    return translate("app", "Your message was not sent: it stands here again.")


def penalty_hint(penalty: float) -> str:
    """What was set as an answer had repeated itself."""
    words = translate("app", "“Repetition penalty” is {penalty} in this chat from now on; its options have it.")
    return words.format(penalty=f"{penalty:g}")


def empty_words(model: ModelLoaded | None, loading_name: str) -> str:
    """What stands in a chat without messages."""
    if loading_name:
        return translate("app", "Loading {model} …").format(model=loading_name)
    if model is None:
        return translate("app", "No model is loaded yet.")
    words = translate("app", "{model} · Ask something; Shift+Enter breaks the line.")
    return words.format(model=model.name)
