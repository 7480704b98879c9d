"""Typed reading of a model file's keys (GGUF's, config.json's): what is missing or of another type is a clear error.

Knows nothing of what the values are for.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.errors import SourceError


class Metadata:
    """The keys of one file. Without a default a missing key raises `SourceError`; a wrong type always does.

    A key with None for its value counts as missing: config.json has many.
    """

    def __init__(self, path: Path, values: Mapping[str, Any]) -> None:
        self.path = path
        self.values = values

    def has(self, key: str) -> bool:
        return self.values.get(key) is not None

    def section(self, key: str) -> Metadata | None:
        """The keys under this one, None if it is missing."""
        value = self.values.get(key)
        if value is None:
            return None
        if not isinstance(value, Mapping):
            raise self._wrong(key, value, "a group of keys")
        return Metadata(self.path, value)

    def integer(self, key: str, default: int | None = None) -> int:
        value = self._get(key, default)
        if type(value) is not int:
            raise self._wrong(key, value, "a whole number")
        return value

    def size(self, key: str, default: int | None = None) -> int:
        """A whole number above zero."""
        value = self.integer(key, default)
        if value < 1:
            raise self._wrong(key, value, "above zero")
        return value

    def number(self, key: str, default: float | None = None) -> float:
        """A finite number above zero."""
        value = self._get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value <= 0:
            raise self._wrong(key, value, "a number above zero")
        return float(value)

    def text(self, key: str, default: str | None = None) -> str:
        value = self._get(key, default)
        if not isinstance(value, str):
            raise self._wrong(key, value, "text")
        return value

    def flag(self, key: str, default: bool) -> bool:
        value = self._get(key, default)
        if not isinstance(value, bool):
            raise self._wrong(key, value, "true or false")
        return value

    def texts(self, key: str) -> list[str]:
        return self._list(key, str, "a list of texts")

    def flags(self, key: str) -> list[bool]:
        return self._list(key, bool, "a list of true and false")

    def integers(self, key: str) -> list[int]:
        return self._list(key, int, "a list of whole numbers")

    def numbers(self, key: str) -> list[float]:
        return self._list(key, float, "a list of numbers")

    def factors(self, key: str) -> list[float]:
        """Finite numbers above zero."""
        value = self._get(key, None)
        is_good = isinstance(value, list) and all(
            isinstance(item, int | float) and not isinstance(item, bool) and 0 < item < math.inf for item in value
        )
        if not is_good:
            raise self._wrong(key, "another kind of value", "a list of numbers above zero")
        return [float(item) for item in value]

    def optional_integer(self, key: str) -> int | None:
        return self.integer(key) if self.has(key) else None

    def optional_number(self, key: str) -> float | None:
        return self.number(key) if self.has(key) else None

    def optional_weight(self, key: str) -> float | None:
        """A number above zero, None where it is missing or 0, which switches off what it weighs."""
        return None if self.values.get(key) in (None, 0) else self.number(key)

    def optional_text(self, key: str) -> str | None:
        return self.text(key) if self.has(key) else None

    def _list(self, key: str, kind: type, what: str) -> list[Any]:
        value = self._get(key, None)
        if not isinstance(value, list) or any(type(item) is not kind for item in value):
            raise self._wrong(key, "another kind of value", what)
        return value

    def _get(self, key: str, default: Any) -> Any:
        value = self.values.get(key)
        value = default if value is None else value
        if value is None:
            raise SourceError(f"{self.path} lacks the key {key}: get a complete model file")
        return value

    def _wrong(self, key: str, value: Any, wanted: str) -> SourceError:
        shown = repr(value)
        return SourceError(f"{self.path}: {key} is {shown[:60]}, must be {wanted}: get the file again")
