"""Owns the section about the program: version, folders, what it sends (nothing), and the diagnostics file.

Does not know how the file is made.
"""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app import __version__
from app.i18n import translate
from app.widgets.flow import Flow
from app.widgets.text_label import TextLabel
from engine.api import HOME_VARIABLE, default_home

_SPACING_PX = 8
_LABEL_SPACING_PX = 24


class About(QWidget):
    """Facts that can be copied, and the buttons a person in trouble needs."""

    diagnostics_requested = Signal()
    shortcuts_requested = Signal()

    def __init__(self, home: Path, home_origin: str, parent: QWidget | None = None) -> None:
        """`home_origin` says in words why the data folder is this one."""
        super().__init__(parent)
        self._home = home
        self._heading = TextLabel(translate("app", "About and privacy"), "heading")
        facts = self._facts = QGridLayout()
        facts.setHorizontalSpacing(_LABEL_SPACING_PX)
        facts.setColumnStretch(1, 1)
        rows = (
            (translate("app", "Version"), f"DeepInfer {__version__}"),
            (translate("app", "Data folder"), f"{home}\n{home_origin}"),
            (
                translate("app", "Privacy"),
                translate(
                    "app",
                    "Chats, models and settings stay in the data folder. Nothing is sent anywhere; the network is used "
                    "only for what you ask for, such as a model's download.",
                ),
            ),
        )
        for number, (name, text) in enumerate(rows):
            label = QLabel(name)
            facts.addWidget(label, number, 0, Qt.AlignmentFlag.AlignTop)
            facts.addWidget(TextLabel(text, "muted"), number, 1)
        self._text = "\n".join(f"{name} {text}" for name, text in rows)
        buttons = Flow()
        self.folder_button = QPushButton(translate("app", "Open the data folder"))
        self.folder_button.setToolTip(translate("app", "The log, app.log, lies there too"))
        self.folder_button.clicked.connect(self._open_folder)
        self.diagnostics_button = QPushButton(translate("app", "Save diagnostics…"))
        self.diagnostics_button.setToolTip(
            translate("app", "A file for a report of a fault: log, versions, machine and models, without any chat")
        )
        self.diagnostics_button.clicked.connect(self.diagnostics_requested)
        self.shortcuts_button = QPushButton(translate("app", "Keys"))
        self.shortcuts_button.clicked.connect(self.shortcuts_requested)
        for button in (self.folder_button, self.diagnostics_button, self.shortcuts_button):
            buttons.add(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(_SPACING_PX)
        column.addWidget(self._heading)
        column.addLayout(facts)
        column.addWidget(buttons)

    def set_label_width(self, width_px: int) -> None:
        """How wide the column of names is at least, so that what they tell stands in line with other columns."""
        self._facts.setColumnMinimumWidth(0, width_px)

    def has(self, text: str) -> bool:
        """Whether the section's words contain `text`, whatever its case."""
        buttons = " ".join(button.text() for button in self.findChildren(QPushButton))
        return text.casefold() in f"{self._heading.text()} {self._text} {buttons}".casefold()

    def _open_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._home)))


def home_origin(home: Path) -> str:
    """In words, why the data folder is this one."""
    if home != default_home():
        return translate("app", "Not the usual place: the program was started with the option --home.")
    if os.environ.get(HOME_VARIABLE):
        words = translate("app", "Not the usual place: the environment variable {name} says so.")
        return words.format(name=HOME_VARIABLE)
    return translate("app", "The usual place on this system.")
