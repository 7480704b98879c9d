"""Owns one part of the memory view that folds: its title, its content, and its copy as text.

Knows nothing of what it shows.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from app.i18n import translate
from app.widgets.icons import confirm_by_icon, show_icon

_SPACING_PX = 6


class Section(QWidget):
    """`text` gives all that the section shows as lines of text."""

    folded_changed = Signal(bool)

    def __init__(self, key: str, title: str, text: Callable[[], str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.key = key
        self.title = title
        self._text = text
        self.fold_button = QToolButton()
        self.fold_button.setProperty("kind", "section")
        self.fold_button.setText(title)
        self.fold_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.fold_button.setCheckable(True)
        self.fold_button.clicked.connect(lambda is_open: self._on_clicked(not is_open))
        self.copy_button = QToolButton()
        self.copy_button.setProperty("kind", "small")
        words = translate("app", "Copy “{title}” as text").format(title=title)
        self.copy_button.setToolTip(words)
        self.copy_button.setAccessibleName(words)
        show_icon(self.copy_button, "copy", "muted")
        self.copy_button.clicked.connect(self.copy)
        header = QHBoxLayout()
        header.setContentsMargins(0, 0, 0, 0)
        header.addWidget(self.fold_button)
        header.addStretch(1)
        header.addWidget(self.copy_button)
        self._body = QWidget()
        self.column = QVBoxLayout(self._body)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(_SPACING_PX)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(_SPACING_PX)
        outer.addLayout(header)
        outer.addWidget(self._body, 1)
        self.fold(False)

    @property
    def is_folded(self) -> bool:
        return not self.fold_button.isChecked()

    def fold(self, is_folded: bool) -> None:
        self.fold_button.setChecked(not is_folded)
        self._body.setVisible(not is_folded)
        show_icon(self.fold_button, "chevron-right" if is_folded else "chevron-down", "muted")
        words = translate("app", "{title}, folded") if is_folded else translate("app", "{title}, open")
        self.fold_button.setAccessibleName(words.format(title=self.title))

    def text(self) -> str:
        """The title, and below it what the section shows."""
        return f"{self.title}\n{self._text()}".rstrip()

    def copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text())
        confirm_by_icon(self.copy_button)

    def _on_clicked(self, is_folded: bool) -> None:
        self.fold(is_folded)
        self.folded_changed.emit(is_folded)
