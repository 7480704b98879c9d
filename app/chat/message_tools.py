"""Owns the tools of a message: quiet buttons, the menu of the rarer ones, and the switch between versions.

Does not know what a tool does: it names the one that was used.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal

from PySide6.QtCore import Signal
from PySide6.QtGui import QFocusEvent, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QToolButton, QWidget

from app.i18n import QT_TRANSLATE_NOOP, translate
from app.widgets.icons import show_icon
from app.widgets.kept_room import keep_room

Tool = Literal[
    "copy",
    "copy_text",
    "copy_figures",
    "edit",
    "again",
    "again_same_seed",
    "go_on",
    "branch",
    "delete",
    "delete_turn",
    "version_before",
    "version_behind",
]
WORDS: dict[Tool, str] = {
    "copy": QT_TRANSLATE_NOOP("app", "Copy this message"),
    "copy_text": QT_TRANSLATE_NOOP("app", "Copy as plain text"),
    "copy_figures": QT_TRANSLATE_NOOP("app", "Copy speed, tokens and seed"),
    "edit": QT_TRANSLATE_NOOP("app", "Edit"),
    "again": QT_TRANSLATE_NOOP("app", "Answer again"),
    "again_same_seed": QT_TRANSLATE_NOOP("app", "Answer again with the same seed"),
    "go_on": QT_TRANSLATE_NOOP("app", "Continue this answer"),
    "branch": QT_TRANSLATE_NOOP("app", "Branch: a new chat from here"),
    "delete": QT_TRANSLATE_NOOP("app", "Delete this message"),
    "delete_turn": QT_TRANSLATE_NOOP("app", "Delete question and answer"),
    "version_before": QT_TRANSLATE_NOOP("app", "The version before"),
    "version_behind": QT_TRANSLATE_NOOP("app", "The next version"),
}
_ICONS: dict[Tool, str] = {"copy": "copy", "edit": "edit", "again": "retry", "go_on": "forward"}


class QuietButton(QToolButton):
    """A tool that keeps its place while it does not show, so that nothing moves under the pointer."""

    focus_changed = Signal()

    def __init__(self, icon_name: str, words: str) -> None:
        super().__init__()
        self.is_revealed = False
        self.setToolTip(words)
        self.setAccessibleName(words)
        show_icon(self, icon_name, "muted")

    def reveal(self, is_revealed: bool) -> None:
        self.is_revealed = is_revealed
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focus_changed.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focus_changed.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.is_revealed or self.hasFocus():
            super().paintEvent(event)


class MessageTools(QWidget):
    """A row of buttons, with a menu at its end.

    They show while the message is pointed at, one of them has the focus, or the menu is open; of the newest answer
    always.
    """

    used = Signal(str)
    """A `Tool`."""

    def __init__(self, buttons: Sequence[Tool], in_menu: Sequence[Tool], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._in_menu = in_menu
        self._is_pointed_at = False
        self._is_kept = False
        self._is_menu_open = False
        self._refused: set[Tool] = set()
        self.buttons: dict[Tool, QuietButton] = {}
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(0)
        for tool in buttons:
            button = self.buttons[tool] = QuietButton(_ICONS[tool], translate("app", WORDS[tool]))
            button.clicked.connect(partial(self._use, tool))
            self._add(button)
        self.more_button = QuietButton("more", translate("app", "More for this message"))
        self.more_button.clicked.connect(self.open_menu)
        self._add(self.more_button)

    def _add(self, button: QuietButton) -> None:
        # A tool that is not offered keeps its place too, or the figures beside it would be wrapped anew.
        keep_room(button)
        button.focus_changed.connect(self._show_reveal)
        self._row.addWidget(button)

    def allow(self, tool: Tool, is_allowed: bool) -> None:
        """Whether the tool is offered."""
        (self._refused.discard if is_allowed else self._refused.add)(tool)
        if tool in self.buttons:
            self.buttons[tool].setVisible(is_allowed)

    def is_allowed(self, tool: Tool) -> bool:
        return tool not in self._refused

    def point_at(self, is_pointed_at: bool) -> None:
        self._is_pointed_at = is_pointed_at
        self._show_reveal()

    def keep(self, is_kept: bool) -> None:
        """Whether they show at all times."""
        self._is_kept = is_kept
        self._show_reveal()

    def open_menu(self) -> QMenu:
        menu = QMenu(self)
        self._is_menu_open = True
        menu.aboutToHide.connect(self._on_menu_left)
        menu.aboutToHide.connect(menu.deleteLater)
        for tool in self._in_menu:
            if tool not in self._refused:
                menu.addAction(translate("app", WORDS[tool])).triggered.connect(partial(self._use, tool))
        menu.popup(self.more_button.mapToGlobal(self.more_button.rect().bottomLeft()))
        return menu

    def _on_menu_left(self) -> None:
        self._is_menu_open = False
        self._show_reveal()

    def _use(self, tool: Tool, is_checked: bool = False) -> None:
        self.used.emit(tool)

    def _show_reveal(self) -> None:
        buttons = [*self.buttons.values(), self.more_button]
        is_used = self._is_menu_open or any(button.hasFocus() for button in buttons)
        is_revealed = self._is_kept or self._is_pointed_at or is_used
        for button in buttons:
            if button.is_revealed != is_revealed:
                button.reveal(is_revealed)


class VersionSwitch(QWidget):
    """`‹ 2 of 3 ›`; hidden where there is but one version."""

    used = Signal(str)
    """A `Tool`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.before_button = self._button("chevron-left", "version_before")
        self.behind_button = self._button("chevron-right", "version_behind")
        self._label = QLabel()
        self._label.setProperty("kind", "muted")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.before_button)
        row.addWidget(self._label)
        row.addWidget(self.behind_button)
        self.hide()

    def text(self) -> str:
        return self._label.text()

    def show_place(self, place: int, count: int) -> None:
        """Which version this is, from 1 on, and how many there are."""
        self._label.setText(translate("app", "{place} of {count}").format(place=place, count=count))
        self.before_button.setEnabled(place > 1)
        self.behind_button.setEnabled(place < count)
        self.setVisible(count > 1)

    def _button(self, icon_name: str, tool: Tool) -> QToolButton:
        button = QToolButton()
        button.setToolTip(translate("app", WORDS[tool]))
        button.setAccessibleName(translate("app", WORDS[tool]))
        button.setProperty("kind", "small")
        show_icon(button, icon_name, "muted")
        button.clicked.connect(lambda: self.used.emit(tool))
        return button
