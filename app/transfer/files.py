"""Owns exporting chats into files and reading files of chats, whatever program wrote them.

Does not know the window nor the history. All of it is file work, for another thread than the window's.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from app.i18n import translate
from app.state.advice import file_advice
from app.state.archive import ChatCopy
from app.transfer.chatgpt import is_chatgpt, read_chatgpt
from app.transfer.errors import TransferError
from app.transfer.html_format import is_html, read_html, write_html
from app.transfer.json_format import FORMAT, read_data, write_json
from app.transfer.lm_studio import is_lm_studio, read_lm_studio
from app.transfer.markdown_format import is_markdown, read_markdown, write_markdown
from app.transfer.open_webui import is_open_webui, read_open_webui

WRITERS: dict[str, Callable[[Sequence[ChatCopy]], str]] = {
    ".json": write_json,
    ".md": write_markdown,
    ".html": write_html,
}
"""By the file's suffix."""
_MAX_FILE_BYTES = 1 << 30
_CHATS_IN_ZIP = "conversations"


def write_chats(path: Path, copies: Sequence[ChatCopy]) -> None:
    """Writes the whole file, or leaves the former one as it is. The suffix decides the format.

    Raises `TransferError`.
    """
    partial = path.with_name(f"{path.name}.partial")
    try:
        # As they are: a text may have line ends of its own.
        partial.write_text(WRITERS[path.suffix.lower()](copies), encoding="utf-8", newline="")
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        words = translate("app", "{path} cannot be written: {why}. {advice}")
        raise TransferError(words.format(path=path, why=error.strerror, advice=file_advice(error))) from error


def read_chats(path: Path) -> list[ChatCopy]:
    """All chats of a file. Raises `TransferError`, which names the file, if it is none of chats or is damaged."""
    try:
        texts = list(_texts(path))
        copies = [copy for text in texts for copy in _read(text)]
    except TransferError as error:
        raise TransferError(f"{path.name}: {error}") from error
    except OSError as error:
        words = translate("app", "{name} cannot be read: {why}. {advice}")
        raise TransferError(
            words.format(name=path.name, why=error.strerror or error, advice=file_advice(error))
        ) from error
    if not copies:
        raise TransferError(translate("app", "{name} holds no chats.").format(name=path.name))
    return copies


def _texts(path: Path) -> Iterator[str]:
    """The file's text; of a zip file, as ChatGPT sends it, those of the files with chats in it."""
    if path.stat().st_size > _MAX_FILE_BYTES:
        raise TransferError(translate("app", "it is larger than 1 GiB, which no export of chats is."))
    if not zipfile.is_zipfile(path):
        yield _decoded(path.read_bytes())
        return
    with zipfile.ZipFile(path) as archive:
        members = [member for member in archive.infolist() if _is_of_chats(member.filename)]
        if not members:
            raise TransferError(translate("app", "no conversations.json is in this zip file."))
        if sum(member.file_size for member in members) > _MAX_FILE_BYTES:
            raise TransferError(translate("app", "it is larger than 1 GiB, which no export of chats is."))
        try:
            yield from (_decoded(archive.read(member)) for member in members)
        except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
            raise TransferError(translate("app", "the zip file is damaged: {why}").format(why=error)) from error


def _is_of_chats(name: str) -> bool:
    leaf = name.rpartition("/")[2]
    return leaf.startswith(_CHATS_IN_ZIP) and leaf.endswith(".json")


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _none_of_chats() from error


def _read(text: str) -> list[ChatCopy]:
    start = text.lstrip()[:1]
    if start in ("{", "["):
        return _read_parsed(_parsed(text))
    if is_html(text):
        return read_html(text)
    if is_markdown(text):
        return read_markdown(text)
    raise _none_of_chats()


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        words = translate("app", "it is no whole JSON file (line {line}, column {column}: {why}).")
        raise TransferError(words.format(line=error.lineno, column=error.colno, why=error.msg)) from error
    except (RecursionError, ValueError) as error:  # brackets in brackets; a number of thousands of digits
        raise _none_of_chats() from error


def _read_parsed(data: Any) -> list[ChatCopy]:
    if isinstance(data, dict) and data.get("format") == FORMAT:
        return read_data(data)
    for is_it, read in (
        (is_chatgpt, read_chatgpt),
        (is_open_webui, read_open_webui),
        (is_lm_studio, read_lm_studio),
    ):
        if is_it(data):
            return read(data)
    raise _none_of_chats()


def _none_of_chats() -> TransferError:
    return TransferError(
        translate(
            "app",
            "it is not an export of chats. Those of DeepInfer (JSON, Markdown, HTML), ChatGPT (conversations.json or"
            " its zip file), Open WebUI and LM Studio (.conversation.json) can be imported.",
        )
    )
