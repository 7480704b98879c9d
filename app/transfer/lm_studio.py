"""Owns reading the chats that LM Studio keeps, one a file: `<number>.conversation.json`.

A file has `name`, `createdAt` (in ms), `systemPrompt` and `messages`; each of these has `versions` and the number of
the one that is `currentlySelected`. A version has a `role` and either `content` (`type` "singleStep") or `steps`
("multiStep"), whose blocks have `content` again, and the `style.type` "thinking" where the model thought. Of content
the parts of type "text" are taken over, but not `isStructural` ones, which are the marks around a thought. What came
behind an unselected version is not kept by LM Studio. Does not know files.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from app.state.archive import ChatCopy
from app.state.message import Message
from app.transfer.fields import Fields
from app.transfer.imported import imported_chat

_MS_PER_S = 1000


def is_lm_studio(data: Any) -> bool:
    messages = data.get("messages") if isinstance(data, dict) else None
    return isinstance(messages, list) and all(isinstance(one, dict) and "versions" in one for one in messages)


def read_lm_studio(data: Any) -> list[ChatCopy]:
    """Raises `TransferError`."""
    chat = Fields(data, "conversation")
    created_at_s = (chat.optional_number("createdAt") or 0.0) / _MS_PER_S
    model = chat.data.get("lastUsedModel")
    model_name = Fields(model, "lastUsedModel").optional_text("identifier") if model is not None else None
    messages: list[Message] = []
    before: str | None = None
    for turn in chat.objects("messages"):
        versions = [_message(version, model_name, created_at_s) for version in turn.objects("versions")]
        selected = versions[min(turn.optional_whole("currentlySelected") or 0, len(versions) - 1)] if versions else None
        for message in versions:
            if message is not None:
                message.parent_id = before
                messages.append(message)
        if selected is not None:
            before = selected.id
    return [
        imported_chat(
            chat.optional_text("name"),
            messages,
            before,
            created_at_s,
            None,
            system_prompt=chat.optional_text("systemPrompt") or "",
            is_pinned=chat.data.get("pinned") is True,
        )
    ]


def _message(version: Fields, model_name: str | None, created_at_s: float) -> Message | None:
    """None of one that has no text, as of a tool."""
    role = version.data.get("role")
    texts: list[str] = []
    thoughts: list[str] = []
    for block in version.objects("steps") if "steps" in version.data else [version]:
        style = block.data.get("style")
        is_thought = isinstance(style, dict) and style.get("type") == "thinking"
        (thoughts if is_thought else texts).extend(_parts(block))
    text = "\n\n".join(texts)
    if role not in ("user", "assistant") or not (text or thoughts):
        return None
    if role == "user":
        return Message("user", text, created_at_s=created_at_s)
    sender = version.data.get("senderInfo")
    name = sender.get("senderName") if isinstance(sender, dict) else None
    model = name if isinstance(name, str) and name else model_name
    reasoning = "\n\n".join(thoughts)
    return Message("assistant", text, model, "stop", reasoning=reasoning, created_at_s=created_at_s)


def _parts(block: Fields) -> Iterator[str]:
    if not isinstance(block.data.get("content"), list):
        return
    for part in block.objects("content"):
        if part.data.get("type") == "text" and not part.data.get("isStructural"):
            text = part.text("text")
            if text.strip():
                yield text
