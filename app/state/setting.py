"""Owns what a setting is: its key, its default, what it accepts, and the words of its row.

Does not know which settings there are. Words are marked for translation and stand here in English.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

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
    is_line: bool = False
    """Of a text: it is one line."""
    keywords: str = ""
    """What else a person may call it, parted by blanks: it is found by these too."""
    section: str = ""
    """Of `SECTIONS`, where it is shown on the settings page."""

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
        if isinstance(value, str):
            # Half a character, which json can hold, cannot be written anywhere.
            return not any("\ud800" <= char <= "\udfff" for char in value)
        if isinstance(value, int | float):
            # Written so that NaN, which json can hold, is refused.
            return (self.minimum is None or value >= self.minimum) and (self.maximum is None or value <= self.maximum)
        return True
