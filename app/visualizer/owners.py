"""Owns who is who in the memory view: each owner's colour index and title.

Knows neither blocks nor the colours themselves.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from itertools import count

from app.i18n import translate

_LONGEST_ID = 24


class Owners:
    """Colour indexes, and titles as the chats have them.

    An owner that is first seen gets the index it had in an earlier start, if it is free, or else the smallest free one.
    """

    def __init__(self) -> None:
        self._indexes: dict[str, int] = {}
        self._titles: dict[str, str] = {}
        self._former: dict[str, int] = {}

    def color_index(self, owner: str) -> int:
        """The owner's index; it stays the same until the owner is forgotten."""
        if owner not in self._indexes:
            used = set(self._indexes.values())
            former = self._former.get(owner)
            smallest = next(index for index in count() if index not in used)
            self._indexes[owner] = smallest if former is None or former in used else former
        return self._indexes[owner]

    def colors_text(self, owners: Iterable[str]) -> str:
        """The indexes of these owners in a line, for `remember`."""
        return " ".join(f"{owner}={self._indexes[owner]}" for owner in sorted(owners) if owner in self._indexes)

    def remember(self, text: str) -> None:
        """The line of an earlier start; what cannot be read of it is passed over."""
        pairs = (pair.rpartition("=") for pair in text.split())
        self._former = {owner: int(index) for owner, _, index in pairs if owner and index.isdecimal()}

    def set_titles(self, titles: Mapping[str, str]) -> None:
        """The titles of the chats there are; a deleted one keeps its own for as long as it has a colour."""
        kept = {owner: title for owner, title in self._titles.items() if owner in self._indexes}
        self._titles = {**kept, **titles}

    def forget_all_but(self, shown: Container[str]) -> None:
        """Frees the colour indexes of owners that are not shown anywhere."""
        self._indexes = {owner: index for owner, index in self._indexes.items() if owner in shown}

    def title(self, owner: str) -> str:
        """The chat's title, or the start of its id where no chat is known for it."""
        return self._titles.get(owner) or owner[:_LONGEST_ID] or translate("app", "without a chat")
