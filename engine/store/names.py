"""Model ids: which names are safe as a folder on every system. Knows nothing of what the folders hold."""

from __future__ import annotations

import hashlib
import re
import unicodedata

from engine.errors import InvalidRequestError

MAX_ID_LENGTH = 64

# A dot stands only between digits ("2.5"), so an id never ends in a suffix of ours such as ".partial".
_ID = re.compile(r"[a-z0-9](?:[a-z0-9_-]|(?<=[0-9])\.(?=[0-9]))*")
_RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{digit}" for port in ("com", "lpt") for digit in range(1, 10))}


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
