"""Owns the chosen settings and their file.

Does not know the window; a view is told by the one who sets.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from app.i18n import translate
from app.state.advice import file_advice
from app.state.json_file import write_json
from app.state.set_aside import set_aside
from app.state.setting import Setting

T = TypeVar("T")


class Settings:
    """The chosen values. Each change is written at once, to a new file that then takes the old one's place."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._listeners: list[Callable[[Setting[Any]], None]] = []
        self.notice: str | None = None
        """What a person should know about how the file was read; None if all is well."""
        self._values: dict[str, Any] = self._read()

    def get(self, setting: Setting[T]) -> T:
        """The chosen value, or the default where none, or none that fits, was stored."""
        value = self._values.get(setting.key)
        return value if value is not None and setting.accepts(value) else setting.default

    def set(self, setting: Setting[T], value: T) -> None:
        """Raises OSError if the file cannot be written; the value holds until the program ends all the same."""
        assert setting.accepts(value), f"{setting.key} cannot be {value!r}"
        if self.get(setting) == value:
            return
        self._values[setting.key] = value
        for listener in self._listeners:
            listener(setting)
        write_json(self._path, self._values)

    def is_chosen(self, setting: Setting[Any]) -> bool:
        """Whether the value was chosen, and is not the default."""
        return bool(self.get(setting) != setting.default)

    def listen(self, listener: Callable[[Setting[Any]], None]) -> None:
        """Calls `listener` with each setting that changes."""
        self._listeners.append(listener)

    def _read(self) -> dict[str, Any]:
        try:
            values = json.loads(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except OSError as error:
            self._start_anew("unreadable", translate("app", "could not be read: {cause}").format(cause=error.strerror))
            return {}
        except (ValueError, RecursionError):
            values = None
        if isinstance(values, dict):
            return values
        self._start_anew("damaged", translate("app", "was damaged"))
        return {}

    def _start_anew(self, reason: str, why: str) -> None:
        """Moves the file out of the way, so that the next change does not take its place."""
        try:
            rest = translate("app", "It was kept as {name}.").format(name=set_aside(self._path, reason).name)
        except OSError as error:
            words = translate("app", "It cannot be moved away: {cause}. {advice}")
            rest = words.format(cause=error.strerror, advice=file_advice(error))
        words = translate("app", "The settings file {why}. The settings are the default ones. {rest}")
        self.notice = words.format(why=why, rest=rest)
