"""Owns reading the chats that ChatGPT exports: `conversations.json`, a list of conversations.

Each has a `title`, times, `current_node` and a `mapping` from ids to nodes with `parent`, `children` and a `message`:
`author.role`, `content.content_type` with `parts` (or `text`), `metadata.model_slug`. Regenerated answers and edited
questions are siblings. Taken over are the texts of users and assistants with all their versions, and what was thought;
passed over are pictures, tools, what is addressed to tools, and what ChatGPT hides. Does not know files.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from app.state.archive import ChatCopy
from app.state.message import Message, new_id
from app.transfer.fields import Fields
from app.transfer.imported import imported_chat

_THOUGHTS = "thoughts"


def is_chatgpt(data: Any) -> bool:
    return isinstance(data, list) and bool(data) and all(isinstance(one, dict) and "mapping" in one for one in data)


def read_chatgpt(data: Any) -> list[ChatCopy]:
    """Raises `TransferError`."""
    return [_chat(Fields(one, f"conversation {number}")) for number, one in enumerate(data, 1)]


def _chat(chat: Fields) -> ChatCopy:
    mapping = chat.object("mapping")
    nodes = {node_id: mapping.object(node_id) for node_id in mapping.data}
    created_at_s = chat.optional_number("create_time") or 0.0
    messages: list[Message] = []
    followed: dict[str, str | None] = {}
    """node -> the message that what follows the node follows"""
    thoughts: dict[str, str] = {}
    """node -> what was thought before what follows it"""
    for node_id in _in_order(nodes):
        node = nodes[node_id]
        parent = node.optional_text("parent") or ""
        message = _message(node, created_at_s)
        if message is not None:
            message.parent_id = followed.get(parent)
            if message.role == "assistant":
                message.reasoning = thoughts.pop(parent, "")
            messages.append(message)
        followed[node_id] = followed.get(parent) if message is None else message.id
        thought = _thought(node) or (thoughts.get(parent, "") if message is None else "")
        if thought:
            thoughts[node_id] = thought
    leaf_id = followed.get(chat.optional_text("current_node") or "")
    return imported_chat(
        chat.optional_text("title"), messages, leaf_id, created_at_s, chat.optional_number("update_time")
    )


def _in_order(nodes: dict[str, Fields]) -> Iterator[str]:
    """Each node that a root leads to, once, what it follows first."""
    waiting = [node_id for node_id, node in nodes.items() if node.data.get("parent") not in nodes][::-1]
    seen = set()
    while waiting:
        node_id = waiting.pop()
        if node_id in seen or node_id not in nodes:
            continue
        seen.add(node_id)
        yield node_id
        children = nodes[node_id].data.get("children")
        if isinstance(children, list):
            waiting += [child for child in reversed(children) if isinstance(child, str)]


def _message(node: Fields, created_at_s: float) -> Message | None:
    if not isinstance(node.data.get("message"), dict):
        return None
    message = node.object("message")
    role = message.object("author").data.get("role")
    metadata = message.data.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    is_hidden = metadata.get("is_visually_hidden_from_conversation") or message.data.get("recipient", "all") != "all"
    text = _text(message)
    if role not in ("user", "assistant") or is_hidden or not text.strip():
        return None
    at_s = message.optional_number("create_time") or created_at_s
    model_name = metadata.get("model_slug")
    if role == "user":
        return Message("user", text, id=new_id(), created_at_s=at_s)
    model_name = model_name if isinstance(model_name, str) else None
    return Message("assistant", text, model_name, "stop", id=new_id(), created_at_s=at_s)


def _text(message: Fields) -> str:
    content = message.data.get("content")
    if not isinstance(content, dict) or content.get("content_type") not in ("text", "multimodal_text", "code"):
        return ""
    fields = Fields(content, f"{message.place}, content")
    if fields.data.get("content_type") == "code":
        return f"```\n{fields.text('text')}\n```" if fields.data.get("text") else ""
    parts = fields.data.get("parts")
    texts = [part for part in parts if isinstance(part, str)] if isinstance(parts, list) else []
    return "\n\n".join(text for text in texts if text)


def _thought(node: Fields) -> str:
    message = node.data.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, dict) or content.get("content_type") != _THOUGHTS:
        return ""
    thoughts = content.get(_THOUGHTS)
    texts = [one.get("content") for one in thoughts if isinstance(one, dict)] if isinstance(thoughts, list) else []
    return "\n\n".join(text for text in texts if isinstance(text, str) and text)
