"""Owns the row of buttons below the composer: what of it is shortened, and in which order, where there is little room.

Does not know what its parts do. What gives way can be reached or read elsewhere: in tips, and in the chat's options.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

_SPACING_PX = 4

Shortening = tuple[int, Callable[[bool], object]]
"""Its rank, the lowest of which comes first, and the call that shortens a part or shows it whole again."""


class ComposerRow(QWidget):
    """Some parts at the left, the others at the right. Never wider than it is allowed to be."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(_SPACING_PX)
        self._row.addStretch(1)
        self._num_left = 0
        self._parts: list[tuple[QWidget, Callable[[], str]]] = []
        self._shortenings: list[Shortening] = []
        self._fitted: tuple[object, ...] = ()
        """How it was after it was fitted last."""
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def add_left(
        self, part: QWidget, words: Callable[[], str], shortenings: Sequence[Shortening], place: int | None = None
    ) -> None:
        """Adds a part behind the others at the left, or at a place. `words` are what its width depends on."""
        self._row.insertWidget(self._num_left if place is None else place, part)
        self._num_left += 1
        self._add(part, words, shortenings)

    def add_right(self, part: QWidget, shortenings: Sequence[Shortening] = ()) -> None:
        self._row.addWidget(part)
        self._add(part, str, shortenings)

    def _add(self, part: QWidget, words: Callable[[], str], shortenings: Sequence[Shortening]) -> None:
        self._parts.append((part, words))
        self._shortenings = sorted([*self._shortenings, *shortenings], key=lambda one: one[0])
        self._fitted = ()

    def wanted_width(self) -> int:
        """Of all parts as they are now. Read off them, as the layout hears of their changes only later."""
        widths = [part.sizeHint().width() for part, _ in self._parts if _has_room(part)]
        # The stretch between the two sides is a place of its own.
        return sum(widths) + _SPACING_PX * len(widths)

    def minimumSizeHint(self) -> QSize:
        # It gives way before the panels beside the chat do.
        return QSize(0, super().minimumSizeHint().height())

    def event(self, event: QEvent) -> bool:
        is_taken = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return is_taken

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Shortens as little as the width allows."""
        # Each shortening asks for another layout, and that for another fit.
        if not self.isVisible() or self._fitted == self._state():
            return
        self._shorten()
        self._fitted = self._state()

    def _state(self) -> tuple[object, ...]:
        words = (read() for _, read in self._parts)
        return (self.width(), self.wanted_width(), self.font().toString(), *words)

    def _shorten(self) -> None:
        for num_short in range(len(self._shortenings) + 1):
            for number, (_, shorten) in enumerate(self._shortenings):
                shorten(number < num_short)
            if self.wanted_width() <= self.width():
                self._lengthen(num_short - 1)
                return

    def _lengthen(self, num_short: int) -> None:
        """Shows of so many shortened parts those whole again for which the last shortening has made room."""
        for _, shorten in reversed(self._shortenings[: max(0, num_short)]):
            shorten(False)
            if self.wanted_width() > self.width():
                shorten(True)


def _has_room(part: QWidget) -> bool:
    return not part.isHidden() or part.sizePolicy().retainSizeWhenHidden()
