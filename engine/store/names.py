"""Which names are safe as a file or folder on every system, and model ids. Knows nothing of what they hold."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from pathlib import Path

from engine.errors import InvalidRequestError

MAX_ID_LENGTH = 64

# A dot stands only between digits ("2.5"), so an id never ends in a suffix of ours such as ".partial".
_ID = re.compile(r"[a-z0-9](?:[a-z0-9_-]|(?<=[0-9])\.(?=[0-9]))*")
# Windows takes the superscripts for digits.
_PORTS = (f"{port}{digit}" for port in ("com", "lpt") for digit in "123456789¹²³")
_RESERVED = frozenset({"con", "prn", "aux", "nul", "conin$", "conout$", *_PORTS})
_REPLACEMENT = "\ufffd"
_HALVES = re.compile("[\ud800-\udfff]")
"""What Python has in a name for bytes that are no text, or Windows by itself."""
_REFUSED = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]')


def readable_name(name: str) -> str:
    """The name of a file with U+FFFD for bytes of it that are no UTF-8: such a name can be in no text."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def name_problem(path: Path) -> str | None:
    """Why nothing of this program can lie in a folder of this name: the libraries that read it know names as text."""
    text = str(path)
    told = _HALVES.sub(_REPLACEMENT, text)
    return None if told == text else f"The name {told} has bytes that are no text (UTF-8)"


def lost_name_problem(path: Path) -> str | None:
    """Why a file that was named cannot be found, where its name is none: who named it had no way to write it."""
    if _REPLACEMENT not in str(path) or path.exists():
        return None
    return f"There is no {path}, its real name seems to have bytes that are no text (UTF-8)"


def is_safe_name(name: str) -> bool:
    """Whether a file or folder can have this name on every system, and no other file is meant by it on any.

    Windows opens a device for its own names, whatever suffix they have; a stream of another file behind a colon; and
    the name without them where dots or spaces are at its end.
    """
    if _REFUSED.search(name) or name in ("", ".", "..") or name.endswith((".", " ")):
        return False
    return name.partition(".")[0].rstrip(" ").lower() not in _RESERVED


def is_model_id(text: str) -> bool:
    """Whether `text` can be a model's folder: no separators, no name that Windows keeps for itself."""
    return len(text) <= MAX_ID_LENGTH and _ID.fullmatch(text) is not None and text.split(".")[0] not in _RESERVED


def model_id_of(name: str) -> str:
    """The id for a display name: "Qwen2.5 Coder (0.5B)" becomes "qwen2.5-coder-0.5b".

    A name in letters of which none can be kept, as in Chinese, has a number made of it. Raises `InvalidRequestError`
    for a name without letters and digits.
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    dashed = re.sub(r"[^a-z0-9_.]+|(?<![0-9])\.|\.(?![0-9])", "-", plain)
    dashed = re.sub(r"-{2,}", "-", dashed).strip("-_.")
    if dashed.split(".")[0] in _RESERVED:
        dashed = f"model-{dashed}"
    model_id = dashed[:MAX_ID_LENGTH].rstrip("-_.")
    if not model_id and any(map(str.isalnum, name)):
        model_id = f"model-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
    if not is_model_id(model_id):
        raise InvalidRequestError(f"The name {name!r} makes no folder name: give a --name with latin letters or digits")
    return model_id
