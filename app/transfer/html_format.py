"""Owns chats as one page of HTML: to be read in any browser, and to be read in again exactly.

What is shown of a chat is exported: one path through its versions. The page shows the texts as Markdown; what is read
in again is the object of `json_format` that the page carries in a `<script type="application/json">` of the id
"deepinfer-chats", in which `<` is written as \\u003c. The page has no other script and loads nothing.
Does not know files.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable
from typing import Any

from markdown_it import MarkdownIt

from app.i18n import translate
from app.state.archive import ChatCopy
from app.transfer.errors import TransferError
from app.transfer.json_format import FORMAT, read_data, to_data

_OPEN = f'<script type="application/json" id="{FORMAT}">'
_DATA = re.compile(re.escape(_OPEN) + r"(.*?)</script>", re.DOTALL)
# A page's own colours: it stands alone, outside of any theme.
_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; padding: 0 1rem; }
article { margin: 1.5rem 0; } article.user .text { background: #8882; border-radius: 8px; padding: .5rem 1rem; }
h1 { margin-top: 3rem; } h2 { font-size: 1rem; margin: 0; } pre { overflow-x: auto; background: #8882; padding: .5rem; }
table { border-collapse: collapse; } td, th { border: 1px solid #8886; padding: .2rem .5rem; }
.user .text { white-space: pre-wrap; } :root { color-scheme: light dark; }
"""


def write_html(copies: Iterable[ChatCopy]) -> str:
    """The file's whole text."""
    data = to_data(copies, only_shown=True)
    # Of a text nothing is passed through as HTML.
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    chats = "\n".join(_chat_text(chat, markdown) for chat in data["chats"])
    titles = [chat["title"] for chat in data["chats"]]
    title = titles[0] if len(titles) == 1 else translate("app", "Chats")
    carried = json.dumps(data, ensure_ascii=True).replace("<", "\\u003c")
    return (
        f'<!doctype html>\n<html><head><meta charset="utf-8"><title>{html.escape(title)}</title>\n'
        f"<style>{_STYLE}</style></head>\n<body>\n{chats}\n{_OPEN}{carried}</script>\n</body></html>\n"
    )


def is_html(text: str) -> bool:
    """Whether it says that it is of this format."""
    return _OPEN in text


def read_html(text: str) -> list[ChatCopy]:
    """Raises `TransferError`."""
    found = _DATA.search(text)
    try:
        data = None if found is None else json.loads(found.group(1))
    except ValueError:
        data = None
    if data is None:
        raise TransferError(translate("app", "The page is cut off: it does not carry its chats any more."))
    return read_data(data)


def _chat_text(chat: dict[str, Any], markdown: MarkdownIt) -> str:
    articles = "\n".join(_message_text(message, markdown) for message in chat["messages"])
    return f"<h1>{html.escape(chat['title'])}</h1>\n{articles}"


def _message_text(message: dict[str, Any], markdown: MarkdownIt) -> str:
    is_question = message["role"] == "user"
    author = translate("app", "You") if is_question else message.get("model_name") or translate("app", "Answer")
    text = html.escape(message["text"]) if is_question else markdown.render(message["text"])
    role = message["role"]
    return f'<article class="{role}"><h2>{html.escape(author)}</h2><div class="text">{text}</div></article>'
