"""Owns making a text of a file that a person attaches: text and source files, and the text of PDF.

Does not know the window. Reading takes time, so it is called on a thread.
"""

from __future__ import annotations

import codecs
import logging
from pathlib import Path

from app.i18n import translate
from app.state.advice import file_advice
from app.state.message import Attachment
from app.widgets.units import file_size

MAX_FILE_BYTES = 64_000_000
"""More is no text that a person means to attach; a PDF has pictures too."""
MAX_CHARACTERS = 2_000_000
"""Of the text: longer ones fit no model's context."""
_MODEL_SUFFIXES = frozenset({".gguf", ".safetensors"})
_GGUF_MARK = b"GGUF"
_TORCH_MARK = b"data.pkl"
"""The first name in the zip archive that torch writes; what stands before it is short."""
_OLD_TORCH_MARK = b"\x80\x02\x8a\x0al\xfc\x9cF"
_NUM_TORCH_BYTES = 256
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_log = logging.getLogger(__name__)


class AttachmentError(Exception):
    """The file cannot be attached; the message says why and what to do."""


def is_model(path: Path) -> bool:
    """Whether a file that is dropped on a chat is meant for the library: folders and models are no attachments."""
    return path.is_dir() or path.suffix.lower() in _MODEL_SUFFIXES


def read_attachment(path: Path) -> Attachment:
    """Raises `AttachmentError`."""
    _refuse_model(path, is_model(path))
    try:
        size_bytes = path.stat().st_size
        with path.open("rb") as file:
            start = file.read(_NUM_TORCH_BYTES)
        _refuse_model(path, start.startswith(_GGUF_MARK))
        _refuse_weights(path, start)
        if size_bytes > MAX_FILE_BYTES:
            words = translate("app", "{name} is too large: {size}, at most {most}. Attach a part of it.")
            raise AttachmentError(
                words.format(name=path.name, size=file_size(size_bytes), most=file_size(MAX_FILE_BYTES))
            )
        content = path.read_bytes()
    except OSError as error:
        words = translate("app", "{name} cannot be read: {cause}. {advice}")
        raise AttachmentError(words.format(name=path.name, cause=error.strerror, advice=file_advice(error))) from error
    text = _pdf_text(path, content) if content.startswith(b"%PDF-") else _decoded(path, content)
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    if not text.strip():
        raise AttachmentError(translate("app", "{name} has no text in it.").format(name=path.name))
    if len(text) > MAX_CHARACTERS:
        words = translate("app", "{name} is too long: {number} characters, at most {most}. Attach a part of it.")
        raise AttachmentError(words.format(name=path.name, number=f"{len(text):,}", most=f"{MAX_CHARACTERS:,}"))
    return Attachment(path.name, text)


def _refuse_model(path: Path, is_one: bool) -> None:
    if is_one:
        words = translate("app", "{name} is a folder or a model, and no text: drop it alone to use it as a model.")
        raise AttachmentError(words.format(name=path.name))


def _refuse_weights(path: Path, start: bytes) -> None:
    """Of models that are not read here; safetensors of the same are. By the bytes: such suffixes stand for anything."""
    if start.startswith(_OLD_TORCH_MARK) or (start.startswith(b"PK") and _TORCH_MARK in start):
        words = translate(
            "app",
            "{name} has weights of a model, and no text. To use the model, drop its GGUF file, or its folder with "
            "safetensors.",
        )
        raise AttachmentError(words.format(name=path.name))


def _decoded(path: Path, content: bytes) -> str:
    encoding = next((name for mark, name in _MARKS if content.startswith(mark)), "utf-8")
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        if b"\0" in content:
            raise _not_text(path) from None
        # Of texts that are not UTF-8, those of Windows' Western Europe are by far the most.
        text = content.decode("cp1252", errors="replace")
    if "\0" in text:
        raise _not_text(path)
    return text


def _not_text(path: Path) -> AttachmentError:
    words = translate("app", "{name} is not a text file: attach text, source code or PDF.")
    return AttachmentError(words.format(name=path.name))


def _pdf_text(path: Path, content: bytes) -> str:
    # Imported late: few people attach PDF, and everybody waits for the window.
    import io

    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    try:
        pages = PdfReader(io.BytesIO(content)).pages
        text = "\n\n".join(page.extract_text() for page in pages)
    except (PyPdfError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        # A damaged file breaks the library in any of these ways.
        # Neither the file's name nor what stands in it belongs into a log.
        _log.info("the text of a PDF could not be read: %s", type(error).__name__)
        words = translate("app", "The text of {name} cannot be read: it is damaged or protected.")
        raise AttachmentError(words.format(name=path.name)) from error
    if not text.strip():
        words = translate("app", "{name} has no text in it: its pages are pictures.")
        raise AttachmentError(words.format(name=path.name))
    # A page may have halves of characters.
    return text.encode("utf-8", "replace").decode()
