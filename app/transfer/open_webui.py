"""Owns reading the chats that Open WebUI exports: a list of them, or the file of one.

Each is an object with `chat`, and beside it `title`, `created_at`, `updated_at` (in s), `pinned`. A chat's `history`
has `messages`, from ids to objects with `parentId`, `role`, `content`, `timestamp` and `model`, and `currentId`, the
newest that is shown; older files have the list `messages` alone. What was thought stands in the content, as
`<details type="reasoning" duration="12">…</details>`, each line behind `> `. Does not know files.
"""

from __future__ import annotations

import html
import re
from typing import Any

from app.state.archive import ChatCopy
from app.state.message import Message
from app.transfer.errors import TransferError
from app.transfer.fields import Fields
from app.transfer.imported import imported_chat

_REASONING = re.compile(r'<details type="reasoning"([^>]*)>\s*(?:<summary>.*?</summary>)?(.*?)</details>\s*', re.DOTALL)
_DURATION = re.compile(r'duration="(\d+(?:\.\d+)?)"')
_MAX_SECONDS = 1e11
"""Times above it are in ms, or ns."""


def is_open_webui(data: Any) -> bool:
    chats = data if isinstance(data, list) else [data]
    return bool(chats) and all(isinstance(one, dict) and isinstance(one.get("chat"), dict) for one in chats)


def read_open_webui(data: Any) -> list[ChatCopy]:
    """Raises `TransferError`."""
    chats = data if isinstance(data, list) else [data]
    return [_chat(Fields(one, f"chat {number}")) for number, one in enumerate(chats, 1)]


def _chat(outer: Fields) -> ChatCopy:
    chat = outer.object("chat")
    created_at_s = _seconds(outer.optional_number("created_at") or chat.optional_number("timestamp"))
    found, leaf_id = _messages(chat)
    messages: list[Message] = []
    kept: dict[str, str | None] = {}
    """A message of the file, or one that was passed over -> the message that what follows it follows"""
    for fields in _in_order(found, chat.place):
        message = _message(fields, created_at_s)
        parent = kept.get(fields.optional_text("parentId") or "")
        if message is not None:
            message.parent_id = parent
            messages.append(message)
        kept[fields.text("id")] = parent if message is None else message.id
    updated_at = outer.optional_number("updated_at")
    return imported_chat(
        outer.optional_text("title") or chat.optional_text("title"),
        messages,
        kept.get(leaf_id or ""),
        created_at_s,
        None if updated_at is None else _seconds(updated_at),
        system_prompt=_system_prompt(chat),
        is_pinned=outer.data.get("pinned") is True,
    )


def _messages(chat: Fields) -> tuple[list[Fields], str | None]:
    if isinstance(chat.data.get("history"), dict):
        history = chat.object("history")
        messages = history.object("messages")
        found = [messages.object(message_id) for message_id in messages.data]
        for message_id, fields in zip(messages.data, found, strict=True):
            fields.data.setdefault("id", message_id)
        return found, history.optional_text("currentId")
    found = chat.objects("messages")
    for before, fields in zip([None, *found], found, strict=False):
        fields.data.setdefault("id", f"{id(fields)}")
        fields.data.setdefault("parentId", None if before is None else before.data["id"])
    return found, found[-1].text("id") if found else None


def _in_order(found: list[Fields], place: str) -> list[Fields]:
    """What a message follows stands before it, else as in the file."""
    by_parent: dict[str | None, list[Fields]] = {}
    ids = {fields.text("id") for fields in found}
    for fields in found:
        parent = fields.optional_text("parentId")
        by_parent.setdefault(parent if parent in ids else None, []).append(fields)
    ordered: list[Fields] = []
    waiting = by_parent.get(None, [])[::-1]
    while waiting and len(ordered) <= len(found):
        fields = waiting.pop()
        ordered.append(fields)
        waiting += by_parent.get(fields.text("id"), [])[::-1]
    if len(ordered) != len(found):
        raise TransferError(f"{place}: messages follow each other in a ring")
    return ordered


def _message(fields: Fields, created_at_s: float) -> Message | None:
    role = fields.data.get("role")
    text = _content(fields)
    timestamp = fields.optional_number("timestamp")
    at_s = created_at_s if timestamp is None else _seconds(timestamp)
    if role not in ("user", "assistant") or not text.strip():
        return None
    if role == "user":
        return Message("user", text, created_at_s=at_s)
    model_name = fields.data.get("modelName") or fields.data.get("model")
    answer = Message("assistant", text, model_name if isinstance(model_name, str) else None, "stop", created_at_s=at_s)
    thoughts = list(_REASONING.finditer(text))
    if thoughts:
        answer.text = _REASONING.sub("", text)
        answer.reasoning = "\n\n".join(_unquoted(one.group(2)) for one in thoughts)
        durations = [float(one.group(1)) for one in map(_DURATION.search, (t.group(1) for t in thoughts)) if one]
        answer.reasoning_s = sum(durations) if durations else None
    return answer


def _content(fields: Fields) -> str:
    content = fields.data.get("content")
    if isinstance(content, list):
        return "\n\n".join(part.text("text") for part in fields.objects("content") if part.data.get("type") == "text")
    return fields.optional_text("content") or ""


def _unquoted(text: str) -> str:
    lines = html.unescape(text).strip().split("\n")
    return "\n".join(line.removeprefix("> ").removeprefix(">") for line in lines)


def _system_prompt(chat: Fields) -> str:
    params = chat.data.get("params")
    nested = params.get("system") if isinstance(params, dict) else None
    system = chat.data.get("system") or nested
    return system if isinstance(system, str) else ""


def _seconds(at: float | None) -> float:
    at_s = at or 0.0
    while at_s > _MAX_SECONDS:
        at_s /= 1000
    return at_s
