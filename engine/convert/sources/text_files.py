"""The texts of a model's folder, plain or JSON. Knows nothing of what is in them, nor of tensors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from engine.errors import SourceError

MAX_TEXT_BYTES = 1 << 28
"""Beyond any tokenizer.json."""


def read_text(path: Path) -> str:
    """A file of a model as text. Raises `SourceError`."""
    try:
        if path.stat().st_size > MAX_TEXT_BYTES:
            raise SourceError(f"{path} has {path.stat().st_size} bytes, more than any such file: get it again")
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise SourceError(f"{path.parent} has no {path.name}: get it from where the model came from") from error
    except UnicodeDecodeError as error:
        raise SourceError(f"{path} is no text in UTF-8: save it as UTF-8, or get the file again") from error
    except OSError as error:
        raise SourceError(f"Cannot read {path}: {error.strerror}") from error


def read_json(path: Path) -> dict[str, Any]:
    """A file of a model as a JSON object. Raises `SourceError`."""
    try:
        value = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{path} is damaged ({error}): get the file again") from error
    if not isinstance(value, dict):
        raise SourceError(f"{path} is no JSON object: get the file again")
    return value


def read_optional_json(path: Path) -> dict[str, Any]:
    """As `read_json`; empty if there is no such file."""
    return read_json(path) if path.exists() else {}
