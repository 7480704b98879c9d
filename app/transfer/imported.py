"""Owns making a chat of what another program's export says: a tree in order, with a title and times.

Does not know the other programs.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from app.state.archive import ChatCopy
from app.state.message import Message
from app.state.message_tree import MessageTree
from app.state.session import NEW_CHAT_TITLE, Session, title_of

_STEP_S = 1e-3


def imported_chat(
    title: str | None,
    messages: Sequence[Message],
    leaf_id: str | None,
    created_at_s: float,
    updated_at_s: float | None,
    *,
    system_prompt: str = "",
    is_pinned: bool = False,
) -> ChatCopy:
    """The chat; each of the messages comes behind the one that it follows."""
    newest_s = 0.0
    for message in messages:
        # Versions are told apart by their times, which other programs keep by the second or not at all.
        message.created_at_s = max(message.created_at_s, newest_s + _STEP_S)
        newest_s = message.created_at_s
        message.text, message.reasoning = _whole(message.text), _whole(message.reasoning)
        message.model_name = None if message.model_name is None else _whole(message.model_name)
    tree = MessageTree.grown(messages, leaf_id)
    first = next((message.text for message in messages if message.role == "user"), "")
    session = Session(
        title=" ".join((title or "").split()) or title_of(first) or NEW_CHAT_TITLE,
        system_prompt=_whole(system_prompt),
        is_pinned=is_pinned,
        created_at_s=created_at_s or newest_s or time.time(),
        messages=tree.path,
        aside=tree.aside,
    )
    return ChatCopy(session, updated_at_s or newest_s or session.created_at_s)


def _whole(text: str) -> str:
    """Without the halves of characters that JSON can write and no file can hold."""
    return text.encode("utf-8", "replace").decode()
