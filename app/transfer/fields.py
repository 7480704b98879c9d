"""Owns reading typed values out of parsed JSON, so that a damaged file is told where it is damaged.

Does not know what the values mean.
"""

from __future__ import annotations

from typing import Any

from app.i18n import translate
from app.transfer.errors import TransferError

_MAX_NUMBER = 1e19
"""Times are told in nanoseconds, too."""


class Fields:
    """One JSON object; `place` names it in errors. Every method raises `TransferError`."""

    def __init__(self, data: Any, place: str) -> None:
        if not isinstance(data, dict):
            raise _wrong(place, translate("app", "is no object"))
        self.data: dict[str, Any] = data
        self.place = place

    def text(self, name: str) -> str:
        value = self.data.get(name)
        if not isinstance(value, str):
            raise self._missing(name, translate("app", "a text"))
        # Half of a character that JSON can write and no file can hold.
        return value.encode("utf-8", "replace").decode("utf-8")

    def optional_text(self, name: str) -> str | None:
        return None if self.data.get(name) is None else self.text(name)

    def number(self, name: str) -> float:
        value = self.data.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < _MAX_NUMBER:
            raise self._missing(name, translate("app", "a number"))
        return float(value)

    def optional_number(self, name: str) -> float | None:
        return None if self.data.get(name) is None else self.number(name)

    def whole(self, name: str) -> int:
        value = self.data.get(name)
        # What a column of the database can hold.
        if not isinstance(value, int) or isinstance(value, bool) or abs(value) >= 2**63:
            raise self._missing(name, translate("app", "a whole number"))
        return value

    def optional_whole(self, name: str) -> int | None:
        return None if self.data.get(name) is None else self.whole(name)

    def flag(self, name: str) -> bool:
        value = self.data.get(name)
        if not isinstance(value, bool):
            raise self._missing(name, translate("app", "true or false"))
        return value

    def one_of(self, name: str, choices: tuple[str, ...]) -> str:
        value = self.data.get(name)
        if not isinstance(value, str) or value not in choices:
            raise self._missing(name, ", ".join(choices))
        return value

    def objects(self, name: str) -> list[Fields]:
        value = self.data.get(name)
        if not isinstance(value, list):
            raise self._missing(name, translate("app", "a list"))
        return [Fields(item, f"{self.place}, {name} {number}") for number, item in enumerate(value, 1)]

    def object(self, name: str) -> Fields:
        return Fields(self.data.get(name), f"{self.place}, {name}")

    def _missing(self, name: str, wanted: str) -> TransferError:
        return _wrong(self.place, translate("app", "“{name}” must be {wanted}").format(name=name, wanted=wanted))


def _wrong(place: str, words: str) -> TransferError:
    return TransferError(f"{place}: {words}")
