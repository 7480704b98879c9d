"""Chats of other programs keep their texts, their versions and their times; what is no export is refused in words."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from app.state.history import History
from app.state.session import Session
from app.transfer.errors import TransferError
from app.transfer.files import read_chats


def node(
    node_id: str, parent: str | None, children: list[str], message: dict[str, Any] | None = None
) -> dict[str, Any]:
    return {"id": node_id, "parent": parent, "children": children, "message": message}


def said(role: str, *parts: Any, kind: str = "text", at_s: float | None = None, **more: Any) -> dict[str, Any]:
    content = {"content_type": kind, "parts": list(parts)}
    return {
        "author": {"role": role, "name": None, "metadata": {}}, "create_time": at_s, "content": content,
        "recipient": "all", "metadata": {}, "weight": 1.0, **more,
    }  # fmt: skip


def chatgpt() -> list[dict[str, Any]]:
    thoughts = said("assistant")
    thoughts["content"] = {"content_type": "thoughts", "thoughts": [{"summary": "s", "content": "ferries, hm"}]}
    mapping = {
        "root": node("root", None, ["sys"]),
        "sys": node("sys", "root", ["q"], said("system", "")),
        "q": node("q", "sys", ["t", "a2"], said("user", "Where to?", at_s=1000.0)),
        "t": node("t", "q", ["a1"], thoughts),
        "a1": node("a1", "t", [], said("assistant", "To sea", at_s=1001.0, metadata={"model_slug": "gpt-4o"})),
        "a2": node("a2", "q", ["tool"], said("assistant", "To the hills", at_s=1000.5)),
        "tool": node("tool", "a2", ["call"], said("tool", "result")),
        "call": node("call", "tool", ["q2"], said("assistant", "search()", recipient="browser")),
        "q2": node(
            "q2",
            "call",
            ["hidden"],
            said("user", {"asset_pointer": "file"}, "And this picture?", kind="multimodal_text"),
        ),
        "hidden": node(
            "hidden", "q2", [], said("assistant", "x", metadata={"is_visually_hidden_from_conversation": True})
        ),
    }
    return [
        {"title": "Trip", "create_time": 999.0, "update_time": 1002.0, "mapping": mapping, "current_node": "hidden"},
        {"title": None, "create_time": 5.0, "update_time": None, "mapping": {"r": node("r", None, [])}},
    ]


def lm_studio() -> dict[str, Any]:
    def text(words: str, **more: Any) -> dict[str, Any]:
        return {"type": "text", "text": words, **more}

    def answer(words: str) -> dict[str, Any]:
        thinking = {"type": "contentBlock", "style": {"type": "thinking", "ended": True, "title": "Thought"}}
        return {
            "type": "multiStep", "role": "assistant", "senderInfo": {"senderName": "qwen"},
            "steps": [
                {**thinking, "content": [text("<think>", isStructural=True), text("hm")]},
                {"type": "contentBlock", "content": [text(words)], "genInfo": {"stats": {}}},
                {"type": "debugInfoBlock", "debugInfo": "x"},
            ],
        }  # fmt: skip

    question = {"type": "singleStep", "role": "user", "content": [text("Where to?")]}
    more = {"type": "singleStep", "role": "user", "content": [text("Thanks")]}
    return {
        "name": "Trip", "pinned": True, "createdAt": 1_700_000_000_000, "tokenCount": 3, "systemPrompt": "Be brief.",
        "messages": [
            {"versions": [question], "currentlySelected": 0},
            {"versions": [answer("To sea"), answer("To the hills")], "currentlySelected": 1},
            {"versions": [more], "currentlySelected": 0},
        ],
        "usePerChatPredictionConfig": True, "lastUsedModel": {"identifier": "qwen2.5"}, "notes": [],
    }  # fmt: skip


def open_webui() -> list[dict[str, Any]]:
    def message(message_id: str, parent: str | None, role: str, content: str, **more: Any) -> dict[str, Any]:
        return {"id": message_id, "parentId": parent, "childrenIds": [], "role": role, "content": content, **more}

    thought = '<details type="reasoning" done="true" duration="12">\n<summary>Thought for 12 seconds</summary>\n'
    messages = {
        "a2": message("a2", "q", "assistant", "To the hills", model="llama3", timestamp=1001),
        "a1": message(
            "a1", "q", "assistant", f"{thought}> ferries &gt; cars\n> hm\n</details>\nTo sea", timestamp=1001
        ),
        "q": message("q", None, "user", "Where to?", timestamp=1000, models=["llama3"]),
        "q2": message("q2", "a1", "user", "Thanks", timestamp=1002),
    }
    chat = {
        "title": "inner", "models": ["llama3"], "params": {"system": "Be brief."}, "timestamp": 1_000_000,
        "history": {"messages": messages, "currentId": "q2"}, "messages": [],
    }  # fmt: skip
    return [
        {
            "id": "c",
            "user_id": "u",
            "title": "Trip",
            "chat": chat,
            "created_at": 999,
            "updated_at": 1002,
            "pinned": True,
        }
    ]


def read(tmp_path: Path, data: Any, name: str = "conversations.json") -> list[Session]:
    path = tmp_path / name
    path.write_text(json.dumps(data), encoding="utf-8")
    return [copy.session for copy in read_chats(path)]


def shown(session: Session) -> list[str]:
    return [message.text for message in session.messages]


def test_chatgpt(tmp_path: Path) -> None:
    trip, empty = read(tmp_path, chatgpt())
    assert (trip.title, trip.created_at_s) == ("Trip", 999.0)
    assert shown(trip) == ["Where to?", "To the hills", "And this picture?"]
    first, second = trip.tree.versions(trip.messages[1])
    assert (first.text, first.model_name, first.reasoning) == ("To sea", "gpt-4o", "ferries, hm")
    assert second is trip.messages[1]
    assert (empty.title, empty.messages) == ("New chat", [])


def test_chatgpt_as_the_zip_file_that_comes(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("user.json", "{}")
        archive.writestr("conversations-000.json", json.dumps(chatgpt()[:1]))
        archive.writestr("conversations-001.json", json.dumps(chatgpt()[1:]))
    assert [copy.session.title for copy in read_chats(path)] == ["Trip", "New chat"]


def test_lm_studio(tmp_path: Path) -> None:
    (chat,) = read(tmp_path, lm_studio(), "1700000000000.conversation.json")
    assert (chat.title, chat.system_prompt, chat.is_pinned) == ("Trip", "Be brief.", True)
    assert shown(chat) == ["Where to?", "To the hills", "Thanks"]
    first, second = chat.tree.versions(chat.messages[1])
    assert (first.text, first.reasoning, first.model_name) == ("To sea", "hm", "qwen")
    assert second is chat.messages[1]
    assert chat.created_at_s == 1_700_000_000.0


def test_open_webui(tmp_path: Path) -> None:
    (chat,) = read(tmp_path, open_webui(), "chat-export.json")
    assert (chat.title, chat.system_prompt, chat.is_pinned) == ("Trip", "Be brief.", True)
    assert shown(chat) == ["Where to?", "To sea", "Thanks"]
    assert chat.messages[1].reasoning == "ferries > cars\nhm"
    assert chat.messages[1].reasoning_s == 12.0
    assert {version.text for version in chat.tree.versions(chat.messages[1])} == {"To sea", "To the hills"}


def test_open_webui_tells_times_in_nanoseconds_too(tmp_path: Path) -> None:
    data = open_webui()
    data[0] |= {"created_at": 1_700_000_000_000_000_000}
    (chat,) = read(tmp_path, data)
    assert chat.created_at_s == 1_700_000_000.0


def test_open_webui_with_a_message_that_follows_itself_is_refused(tmp_path: Path) -> None:
    data = open_webui()
    data[0]["chat"]["history"]["messages"]["again"] = {"id": "q", "parentId": "q", "role": "user", "content": "?"}
    with pytest.raises(TransferError, match="ring"):
        read(tmp_path, data)


def test_halves_of_characters_are_replaced_wherever_they_stand(tmp_path: Path) -> None:
    half = "\ud83d"
    gpt, studio, webui = chatgpt()[:1], lm_studio(), open_webui()
    mapping = gpt[0]["mapping"]
    mapping["a1"]["message"]["metadata"]["model_slug"] = half
    mapping["t"]["message"]["content"]["thoughts"][0]["content"] = half
    studio["lastUsedModel"] = {"identifier": half}
    webui[0]["chat"]["params"]["system"] = half
    webui[0]["chat"]["history"]["messages"]["a1"]["model"] = half
    history = History(None)
    for data in (gpt, studio, webui):
        path = tmp_path / "export.json"
        path.write_text(json.dumps(data), encoding="utf-8")
        assert len(history.archive.add(read_chats(path))) == 1


def test_open_webui_of_one_chat_without_a_tree(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "Where to?"}, {"role": "assistant", "content": "To sea"}]
    (chat,) = read(tmp_path, {"title": "Trip", "chat": {"messages": messages}})
    assert shown(chat) == ["Where to?", "To sea"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"\x89PNG\r\n\x1a\n\xff\xfe", "not an export of chats"),
        (b"just words", "not an export of chats"),
        (b"# A note\n\nwritten by hand\n", "not an export of chats"),
        (b"<html><body>a page</body></html>", "not an export of chats"),
        (b'{"model": "x"}', "not an export of chats"),
        (b"[1, 2]", "not an export of chats"),
        (b"[]", "not an export of chats"),
        (b"[" * 100_000, "no"),
        (b'[{"title": "Trip", "mapping"', "no whole JSON file"),
        (b'[{"title": "Trip", "mapping": 3}]', "conversation 1, mapping: is no object"),
        (b'[{"title": "T", "mapping": {}}, {"title": 3, "mapping": {}}]', "conversation 2: .title. must be a text"),
        (b'{"format": "deepinfer-chats", "version": 2, "chats": []}', "newer DeepInfer"),
        (b'{"format": "deepinfer-chats", "version": 1, "chats": []}', "holds no chats"),
        (b'{"format": "deepinfer-chats", "version": 1, "chats": [{"messages": []}]}', "chats 1"),
        (b'{"messages": [{"versions": [{"role": "user", "content": [{"type": "text"}]}]}]}', "must be a text"),
        (b'<script type="application/json" id="deepinfer-chats">{"a"', "cut off"),
    ],
)  # fmt: skip
def test_what_is_no_export_is_refused_with_the_reason(tmp_path: Path, content: bytes, why: str) -> None:
    path = tmp_path / "some.file"
    path.write_bytes(content)
    with pytest.raises(TransferError, match=why) as refused:
        read_chats(path)
    assert "some.file" in str(refused.value)


def test_messages_in_a_ring_are_refused(tmp_path: Path) -> None:
    chats = open_webui()
    chats[0]["chat"]["history"]["messages"]["q"]["parentId"] = "a1"
    with pytest.raises(TransferError, match="ring"):
        read(tmp_path, chats)


def test_a_chatgpt_tree_with_a_ring_ends(tmp_path: Path) -> None:
    chats = chatgpt()
    chats[0]["mapping"]["call"]["children"].append("q")
    assert shown(read(tmp_path, chats)[0])[-1] == "And this picture?"


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(TransferError, match=r"gone\.json cannot be read"):
        read_chats(tmp_path / "gone.json")
