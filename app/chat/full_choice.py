"""Owns the small button that says what becomes of a chat when it is full, and lets that be chosen.

Does not know the chat.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolButton, QWidget

from app.i18n import QT_TRANSLATE_NOOP, translate
from engine.messages import WhenFull

_HEADING = QT_TRANSLATE_NOOP("app", "When the chat is full")
_CHOICES: tuple[tuple[WhenFull, str, str], ...] = (
    (
        "stop",
        QT_TRANSLATE_NOOP("app", "stop"),
        QT_TRANSLATE_NOOP("app", "Stop: nothing is forgotten, and a new message is refused"),
    ),
    (
        "drop_oldest",
        QT_TRANSLATE_NOOP("app", "forget"),
        QT_TRANSLATE_NOOP("app", "Forget the oldest turns: they stay here, but the model no longer sees them"),
    ),
)
"""(choice, words on the button, words in the menu)"""


class FullChoice(QToolButton):
    """`When full: stop ▾`."""

    chosen = Signal(str)
    """A `WhenFull`, by the person."""
    shown = Signal(str)
    """The choice in words; where there is no room for the button, they are to be read elsewhere."""

    def __init__(self, when_full: WhenFull, parent: QWidget | None = None) -> None:
        super().__init__(parent, popupMode=QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        menu = QMenu(self)
        menu.addAction(translate("app", _HEADING)).setEnabled(False)
        group = QActionGroup(self)
        self.actions_by_choice: dict[WhenFull, QAction] = {}
        for choice, _, words in _CHOICES:
            action = self.actions_by_choice[choice] = menu.addAction(translate("app", words))
            action.setCheckable(True)
            group.addAction(action)
            action.triggered.connect(lambda _, choice=choice: self._on_chosen(choice))
        self.setMenu(menu)
        self.show_choice(when_full)

    def show_choice(self, when_full: WhenFull) -> None:
        short, words = next((short, words) for choice, short, words in _CHOICES if choice == when_full)
        self.actions_by_choice[when_full].setChecked(True)
        self.setText(translate("app", "When full: {choice}").format(choice=translate("app", short)) + " ▾")
        heading, words = translate("app", _HEADING), translate("app", words)
        self.setToolTip(f"{heading}. {words}.")
        self.setAccessibleName(f"{heading}: {words}")
        self.shown.emit(self.note())

    def note(self) -> str:
        return translate("app", "{choice}.\nChange it in the options of the chat.").format(choice=self.accessibleName())

    def _on_chosen(self, choice: WhenFull) -> None:
        self.show_choice(choice)
        self.chosen.emit(choice)
