"""Owns the card of a model in the library: what it is, and the step that comes next for it.

Knows neither the library nor how a model is loaded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QMessageBox, QProgressBar, QPushButton, QWidget

from app.models.load_text import load_text
from app.models.model_facts import fidelity_text, nature_text, storage_text
from app.widgets.card import Card
from app.widgets.elided_label import ElidedLabel
from app.widgets.icons import show_icon
from app.widgets.text_label import TextLabel
from app.widgets.units import file_size
from engine.messages import ModelLoaded, ModelLoadFailed, ModelLoadProgress

if TYPE_CHECKING:
    from engine.api import ModelEntry


class ModelCard(Card):
    """Load or Unload, the load's progress, and why it failed."""

    load_requested = Signal(str)
    """The model id."""
    unload_requested = Signal()
    delete_requested = Signal(str)
    """The model id; a person has said yes."""

    def __init__(self, entry: ModelEntry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.entry = entry
        self._is_loaded = False
        self._error = TextLabel("", "error")
        self._text = TextLabel("", "muted")
        self._bar = QProgressBar(textVisible=False)
        self.button = QPushButton()
        self.button.clicked.connect(self._on_pressed)
        self.delete_button = QPushButton("Delete…")
        show_icon(self.delete_button, "trash")
        self.delete_button.clicked.connect(self.ask_to_delete)
        buttons = QHBoxLayout()
        buttons.addWidget(self.button)
        buttons.addWidget(self._text, 1)
        buttons.addWidget(self.delete_button)
        self.column.addWidget(TextLabel(entry.name, "heading"))
        self.column.addWidget(TextLabel(nature_text(entry)))
        self.column.addWidget(TextLabel(storage_text(entry), "muted"))
        if fidelity := fidelity_text(entry):
            self.column.addWidget(TextLabel(fidelity, "muted"))
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
                self.show_error(load.message)
                self._show_rest()
            case ModelLoadProgress():
                self._error.hide()
                self._bar.setMaximum(load.num_layers)
                self._bar.setValue(load.num_layers_loaded)
                self._show_busy(load_text(load))

    def show_error(self, message: str) -> None:
        """Why something that was asked for could not be done."""
        self._error.setText(message)
        self._error.show()

    def ask_to_delete(self) -> QMessageBox:
        """Opens the question; the model is deleted only after a yes."""
        name, size = self.entry.name, file_size(self.entry.disk_bytes)
        question = QMessageBox(QMessageBox.Icon.Question, "Delete model", f"Delete {name}?", parent=self)
        question.setInformativeText(f"It frees {size} on the disk. To use the model again, get or convert it anew.")
        delete = question.addButton("Delete", QMessageBox.ButtonRole.DestructiveRole)
        question.addButton(QMessageBox.StandardButton.Cancel)
        question.setDefaultButton(QMessageBox.StandardButton.Cancel)
        question.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        delete.clicked.connect(lambda: self.delete_requested.emit(self.entry.model_id))
        question.open()
        return question

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
        self._allow_delete("It is being loaded.")

    def _allow_delete(self, obstacle: str) -> None:
        self.delete_button.setEnabled(not obstacle)
        self.delete_button.setToolTip(obstacle)

    def _show_rest(self) -> None:
        self._text.setText("Loaded" if self._is_loaded else "")
        self._allow_delete("It is loaded: unload it first." if self._is_loaded else "")
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
        self._show_busy("Starting")
        self.load_requested.emit(self.entry.model_id)
