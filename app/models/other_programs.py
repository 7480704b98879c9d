"""Owns the card of models that other programs have on this computer.

Knows nothing of where those keep them; it asks by a signal.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.i18n import translate
from app.widgets.card import Card
from app.widgets.error_note import ErrorNote
from app.widgets.icons import show_icon
from app.widgets.text_label import TextLabel
from app.widgets.units import file_size
from engine.messages import DiscoveredModel


class OtherPrograms(Card):
    """LM Studio, Ollama, llama.cpp and the hub's own cache; their files stay as they are."""

    asked = Signal()
    convert_requested = Signal(str)
    """The file's path."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.is_waiting = False
        self.button = QPushButton(translate("app", "Look for them"))
        show_icon(self.button, "search")
        self.button.clicked.connect(self._ask)
        self.error = ErrorNote()
        self.note = TextLabel(
            translate("app", "GGUF files of LM Studio, Ollama, llama.cpp and the Hugging Face cache on this computer."),
            "muted",
        )
        self.convert_buttons: dict[str, QPushButton] = {}
        self._rows = QVBoxLayout()
        head = QHBoxLayout()
        head.addWidget(TextLabel(translate("app", "From other programs"), "heading"), 1)
        head.addWidget(self.button)
        self.column.addLayout(head)
        self.column.addWidget(self.note)
        self.column.addWidget(self.error)
        self.column.addLayout(self._rows)

    def show_models(self, models: Sequence[DiscoveredModel]) -> None:
        self._show_waiting(False)
        self._clear()
        self.note.setText(
            translate(
                "app", "%n model(s) found. To use one, it is converted; the file stays as it is.", None, len(models)
            )
            if models
            else translate("app", "None found. You can still drop a file on the window.")
        )
        for model in models:
            row = self._row(model)
            self._rows.addWidget(row)
            # Now, not when the loop comes round: the height is wanted at once.
            row.show()

    def _show_waiting(self, is_waiting: bool) -> None:
        """The button stays enabled: the focus is on it, and would go elsewhere."""
        self.is_waiting = is_waiting
        self.button.setText(translate("app", "Looking…") if is_waiting else translate("app", "Look for them"))

    def show_error(self, message: str) -> None:
        self._show_waiting(False)
        self.error.show_error(message)

    def _row(self, model: DiscoveredModel) -> QWidget:
        row = QWidget()
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        words = f"{model.name} · {model.program} · {file_size(model.size_bytes)}"
        button = self.convert_buttons[model.path] = QPushButton(translate("app", "Convert"))
        button.setAccessibleName(translate("app", "Convert {file}").format(file=model.name))
        button.clicked.connect(lambda: self.convert_requested.emit(model.path))
        line.addWidget(TextLabel(words), 1)
        line.addWidget(button)
        return row

    def _clear(self) -> None:
        self.error.clear()
        self.convert_buttons = {}
        while (entry := self._rows.takeAt(0)) is not None:
            if (widget := entry.widget()) is not None:
                widget.hide()
                widget.deleteLater()

    def _ask(self) -> None:
        if not self.is_waiting:
            self._show_waiting(True)
            self.asked.emit()
