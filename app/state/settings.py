"""Owns the settings: a table of what there is, and the file of what a person chose.

Does not know the window; a view is told by the one who sets.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

from app.state.advice import file_advice
from app.state.set_aside import set_aside

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Setting(Generic[T]):
    """One setting. Without a `label` it is remembered, but not shown on the settings page."""

    key: str
    default: T
    label: str | None = None
    note: str = ""
    minimum: float | None = None
    minimum_words: str | None = None
    """What is shown in place of the minimum, where that number has a meaning of its own."""
    maximum: float | None = None
    choices: tuple[tuple[str, str], ...] = ()
    """(value, words), for a setting that is one of a few."""

    def accepts(self, value: object) -> bool:
        """Whether a value read from a file may stand for this setting."""
        if isinstance(self.default, bool) or isinstance(value, bool):
            return isinstance(value, bool) and isinstance(self.default, bool)
        if isinstance(self.default, float) and not isinstance(value, int | float):
            return False
        if not isinstance(self.default, float) and not isinstance(value, type(self.default)):
            return False
        if self.choices and value not in [choice for choice, _ in self.choices]:
            return False
        if isinstance(value, int | float):
            # Written so that NaN, which json can hold, is refused.
            return (self.minimum is None or value >= self.minimum) and (self.maximum is None or value <= self.maximum)
        return True


THEME: Setting[Literal["light", "dark", "system"]] = Setting(
    "theme", "system", "Theme", choices=(("system", "As the system"), ("light", "Light"), ("dark", "Dark"))
)
ZOOM_PERCENT = Setting("zoom_percent", 100, "Zoom", "Ctrl+plus, Ctrl+minus; Ctrl+0 resets.", minimum=80, maximum=200)
TEMPERATURE = Setting("temperature", 0.7, "Temperature", "0 always takes the likeliest word.", minimum=0.0, maximum=2.0)
TOP_P = Setting("top_p", 0.95, "Top-p", "1 is off.", minimum=0.01, maximum=1.0)
MAX_TOKENS = Setting(
    "max_tokens",
    0,
    "Longest answer",
    "In tokens. Automatic is up to 1,024, and less where the chat has nearly filled the model's context.",
    minimum=0,
    minimum_words="automatic",
    maximum=131072,
)
SYSTEM_PROMPT = Setting("system_prompt", "", "System prompt", "Stands before the first message of new chats.")
LAST_MODEL_ID = Setting("last_model_id", "")
WINDOW_GEOMETRY = Setting("window_geometry", "")
"""Base64 of what Qt saves."""
WINDOW_STATE = Setting("window_state", "")
SIDEBAR_WIDTH_PX = Setting("sidebar_width_px", 230, minimum=80, maximum=4096)
MEMORY_WIDTH_PX = Setting("memory_width_px", 390, minimum=80, maximum=4096)

SETTINGS: tuple[Setting[Any], ...] = (
    THEME,
    ZOOM_PERCENT,
    TEMPERATURE,
    TOP_P,
    MAX_TOKENS,
    SYSTEM_PROMPT,
    LAST_MODEL_ID,
    WINDOW_GEOMETRY,
    WINDOW_STATE,
    SIDEBAR_WIDTH_PX,
    MEMORY_WIDTH_PX,
)


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
        self._write()

    def listen(self, listener: Callable[[Setting[Any]], None]) -> None:
        """Calls `listener` with each setting that changes."""
        self._listeners.append(listener)

    def _read(self) -> dict[str, Any]:
        try:
            values = json.loads(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except OSError as error:
            self._start_anew("unreadable", f"could not be read: {error.strerror}")
            return {}
        except (ValueError, RecursionError):
            values = None
        if isinstance(values, dict):
            return values
        self._start_anew("damaged", "was damaged")
        return {}

    def _start_anew(self, reason: str, why: str) -> None:
        """Moves the file out of the way, so that the next change does not take its place."""
        try:
            rest = f"It was kept as {set_aside(self._path, reason).name}."
        except OSError as error:
            rest = f"It cannot be moved away: {error.strerror}. {file_advice(error)}"
        self.notice = f"The settings file {why}. The settings are the default ones. {rest}"

    def _write(self) -> None:
        temporary = self._path.with_name(self._path.name + ".new")
        with temporary.open("w", encoding="utf-8") as file:
            json.dump(self._values, file, indent=2)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(self._path)
