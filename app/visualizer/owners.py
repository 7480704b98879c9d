"""Owns who is who in the memory view: each owner's colour index and title.

Knows neither blocks nor the colours themselves.
"""

from __future__ import annotations

from collections.abc import Mapping

_LONGEST_ID = 24


class Owners:
    """Colour indexes in the order in which owners were first seen, and titles as the chats have them."""

    def __init__(self) -> None:
        self._indexes: dict[str, int] = {}
        self._titles: dict[str, str] = {}

    def color_index(self, owner: str) -> int:
        """The owner's index; it stays the same for as long as the view lives."""
        return self._indexes.setdefault(owner, len(self._indexes))

    def set_titles(self, titles: Mapping[str, str]) -> None:
        self._titles = dict(titles)

    def title(self, owner: str) -> str:
        """The chat's title, or the start of its id where no chat is known for it."""
        return self._titles.get(owner) or owner[:_LONGEST_ID] or "without a chat"
