"""Owns the card of a model in the library: what it is, and the step that comes next for it.

Knows neither the library nor how a model is loaded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QWidget

from app.models.load_text import load_text
from app.models.model_facts import nature_text, storage_text
from app.widgets.card import Card
from app.widgets.elided_label import ElidedLabel
from app.widgets.icons import show_icon
from app.widgets.text_label import TextLabel
from engine.messages import ModelLoaded, ModelLoadFailed, ModelLoadProgress

if TYPE_CHECKING:
    from engine.api import ModelEntry


class ModelCard(Card):
    """Load or Unload, the load's progress, and why it failed."""

    load_requested = Signal(str)
    """The model id."""
    unload_requested = Signal()

    def __init__(self, entry: ModelEntry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.entry = entry
        self._is_loaded = False
        self._error = TextLabel("", "error")
        self._text = TextLabel("", "muted")
        self._bar = QProgressBar(textVisible=False)
        self.button = QPushButton()
        self.button.clicked.connect(self._on_pressed)
        buttons = QHBoxLayout()
        buttons.addWidget(self.button)
        buttons.addWidget(self._text, 1)
        self.column.addWidget(TextLabel(entry.name, "heading"))
        self.column.addWidget(TextLabel(nature_text(entry)))
        self.column.addWidget(TextLabel(storage_text(entry), "muted"))
        self.column.addWidget(ElidedLabel(f"from {entry.source}", "muted", Qt.TextElideMode.ElideMiddle))
        self.column.addWidget(self._error)
        self.column.addWidget(self._bar)
        self.column.addLayout(buttons)
        self._error.hide()
        self._show_rest()

    def set_loaded(self, is_loaded: bool) -> None:
        """Whether this is the model that is loaded now."""
        self._is_loaded = is_loaded
        if is_loaded:
            self._error.hide()
        self._show_rest()

    def show_load(self, load: ModelLoadProgress | ModelLoaded | ModelLoadFailed) -> None:
        """Show how loading this model goes."""
        match load:
            case ModelLoaded():
                self.set_loaded(True)
            case ModelLoadFailed():
                self._error.setText(load.message)
                self._error.show()
                self._show_rest()
            case ModelLoadProgress():
                self._error.hide()
                self._bar.setMaximum(load.num_layers)
                self._bar.setValue(load.num_layers_loaded)
                self._show_busy(load_text(load))

    def text(self) -> str:
        """The line beside the button, as it is shown."""
        return self._text.text()

    def error_text(self) -> str:
        """Why loading failed, empty if it did not."""
        return self._error.text() if self._error.isVisibleTo(self) else ""

    def _show_busy(self, text: str) -> None:
        self._text.setText(text)
        self._bar.show()
        self.button.setEnabled(False)

    def _show_rest(self) -> None:
        self._text.setText("loaded" if self._is_loaded else "")
        self._bar.hide()
        self.button.setEnabled(True)
        self.button.setText("Unload" if self._is_loaded else "Load")
        self.button.setProperty("kind", None if self._is_loaded else "primary")
        self.button.style().unpolish(self.button)
        self.button.style().polish(self.button)
        if self._is_loaded:
            show_icon(self.button, "close")
        else:
            show_icon(self.button, "play", "on_accent")

    def _on_pressed(self) -> None:
        if self._is_loaded:
            self.unload_requested.emit()
            return
        self._error.hide()
        self._bar.setRange(0, 0)
        self._show_busy("starting")
        self.load_requested.emit(self.entry.model_id)
