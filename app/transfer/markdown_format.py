"""Owns chats as Markdown: to be read by people anywhere, and to be read in again exactly.

What is shown of a chat is exported: one path through its versions. A chat begins with a comment and its title, and each
message stands between two comments:

    <!-- deepinfer-chats 1 {the chat's object of `json_format`, without its messages} -->
    # Title
    <!-- message {the message's object without its text} -->
    ## You
    (an empty line)
    the text, character by character
    (an empty line)
    <!-- end of <the message's id> -->

In the comments `-` and `>` are written as \\u002d and \\u003e where they would end them. Texts may be edited; what
stands outside of the two comments is ignored. Does not know files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from app.i18n import translate
from app.state.archive import ChatCopy
from app.transfer.errors import TransferError
from app.transfer.json_format import FORMAT, VERSION, read_data, to_data

_CHAT = re.compile(rf"^<!-- {FORMAT} (\d+) (\{{.*\}}) -->$", re.MULTILINE)
_MESSAGE = re.compile(r"^<!-- message (\{.*\}) -->\n## .*\n\n", re.MULTILINE)


def write_markdown(copies: Iterable[ChatCopy]) -> str:
    """The file's whole text."""
    return "\n".join(_chat_text(chat) for chat in to_data(copies, only_shown=True)["chats"])


def is_markdown(text: str) -> bool:
    """Whether it says that it is of this format."""
    return f"<!-- {FORMAT} " in text


def read_markdown(text: str) -> list[ChatCopy]:
    """Raises `TransferError`."""
    first_line, _, _ = text.partition("\n")
    if first_line.endswith("\r"):
        # An editor gave all lines the ends of its system.
        text = text.replace("\r\n", "\n")
    found = _CHAT.search(text)
    if found is None:
        raise TransferError(translate("app", "The comment before the first chat is damaged."))
    return read_data({"format": FORMAT, "version": int(found.group(1)), "chats": list(_chats(text))})


def _chat_text(chat: dict[str, Any]) -> str:
    messages = chat.pop("messages")
    lines = [f"<!-- {FORMAT} {VERSION} {_comment(chat)} -->", f"# {_one_line(chat['title'])}", ""]
    for message in messages:
        text = message.pop("text")
        author = translate("app", "You") if message["role"] == "user" else message.get("model_name")
        lines += [
            f"<!-- message {_comment(message)} -->",
            f"## {_one_line(author or translate('app', 'Answer'))}",
            "",
            text,
            "",
            _end(message["id"]),
            "",
        ]
    return "\n".join(lines)


def _comment(data: dict[str, Any]) -> str:
    """On one line, and without what would end the comment."""
    return json.dumps(data, ensure_ascii=True).replace("--", "\\u002d\\u002d").replace(">", "\\u003e")


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _end(message_id: str) -> str:
    return f"<!-- end of {message_id} -->"


def _chats(text: str) -> Iterator[dict[str, Any]]:
    place = 0
    while (found := _CHAT.search(text, place)) is not None:
        chat = _object(found.group(2))
        place, messages = _messages(text, found.end())
        ids = [message.get("id") for message in messages]
        # A message may have been cut out of the file: what follows it then follows the one before it.
        for before, message in zip([None, *ids], messages, strict=False):
            message["parent_id"] = before
        yield {**chat, "messages": messages, "leaf_id": ids[-1] if ids else None}


def _messages(text: str, place: int) -> tuple[int, list[dict[str, Any]]]:
    """The messages of the chat that begins here, and where they end. What looks like one within a text is none."""
    messages: list[dict[str, Any]] = []
    while (found := _MESSAGE.search(text, place)) is not None:
        following = _CHAT.search(text, place)
        if following is not None and following.start() < found.start():
            break
        message = _object(found.group(1))
        ending = f"\n\n{_end(str(message.get('id')))}"
        end = text.find(ending, found.end())
        if end < 0:
            words = translate("app", "Message {number} has no end: the file is cut off.")
            raise TransferError(words.format(number=len(messages) + 1))
        messages.append({**message, "text": text[found.end() : end]})
        place = end + len(ending)
    return place, messages


def _object(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except ValueError as error:
        raise TransferError(translate("app", "A comment of the export is damaged: {why}").format(why=error)) from error
    return data if isinstance(data, dict) else {}
