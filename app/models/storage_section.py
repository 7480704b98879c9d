"""Owns the part of the page of models that says where each byte is, and what of it may go.

Knows nothing of the disk; it asks by signals and shows what is reported.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMessageBox, QPushButton, QVBoxLayout, QWidget

from app.i18n import sentences, translate
from app.widgets.elided_label import ElidedLabel
from app.widgets.error_note import ErrorNote
from app.widgets.question import ask_before_loss
from app.widgets.text_label import TextLabel
from app.widgets.units import file_size
from engine.messages import StorageItem, StorageKind, StorageReport

_KINDS: tuple[StorageKind, ...] = ("model", "partial", "download", "trash", "leftover", "cache", "chats", "other")

_WHOLE: tuple[StorageKind, ...] = ("chats", "other")
"""Kinds of which only the sum is told: their files are the program's own."""
_GROUP_GAP_PX = 8


class StorageSection(QWidget):
    """Folded until it is asked for."""

    asked = Signal()
    """The report is wanted."""
    clean_requested = Signal(tuple)
    """Paths to remove."""
    restore_requested = Signal(str)
    """A trash id."""
    empty_requested = Signal()
    unfolded = Signal()
    """It was opened, and what it tells has come: there is more of it to see."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.fold_button = QPushButton(translate("app", "Disk use"))
        self.fold_button.setCheckable(True)
        self.fold_button.toggled.connect(self._on_folded)
        self.error = ErrorNote()
        self.free_label = TextLabel("", "muted")
        self.buttons: list[QPushButton] = []
        self._rows = QVBoxLayout()
        self._rows.setSpacing(4)
        self._is_awaited = False
        self._content = QWidget()
        inner = QVBoxLayout(self._content)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.addWidget(self.error)
        inner.addLayout(self._rows)
        inner.addSpacing(_GROUP_GAP_PX)
        inner.addWidget(self.free_label)
        head = QHBoxLayout()
        head.addWidget(self.fold_button)
        head.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(head)
        column.addWidget(self._content)
        self._content.hide()

    @property
    def is_open(self) -> bool:
        return self.fold_button.isChecked()

    def show_report(self, report: StorageReport) -> None:
        self.error.clear()
        self._clear()
        for kind in _KINDS:
            items = [item for item in report.items if item.kind == kind and (item.size_bytes or item.trash_id)]
            if items:
                self._add_kind(kind, items, report.total_bytes(kind))
        self.free_label.setText(
            "\n".join(
                translate("app", "{free} free in {folder}").format(
                    free=file_size(folder.free_bytes), folder=folder.path
                )
                if folder.free_bytes is not None
                else translate("app", "{folder} is not there now").format(folder=folder.path)
                for folder in report.folders
            )
        )
        if self._is_awaited and self.is_open:
            self._is_awaited = False
            self.unfolded.emit()

    def show_error(self, message: str) -> None:
        self.error.show_error(message)

    def ask_to_empty(self, num_models: int, size_bytes: int) -> QMessageBox:
        """Opens the question; the trash is emptied only after a yes."""
        words = translate("app", "Delete %n model(s) in the trash for good?", None, num_models)
        freed = translate("app", "{size} become free.").format(size=file_size(size_bytes))
        button = translate("app", "Empty the trash")
        question = ask_before_loss(self, button, sentences(words, freed), button)
        question.accepted.connect(self.empty_requested)
        return question

    def _on_folded(self, is_open: bool) -> None:
        self._content.setVisible(is_open)
        self._is_awaited = is_open
        if is_open:
            self.asked.emit()

    def _clear(self) -> None:
        self.buttons = []
        while (entry := self._rows.takeAt(0)) is not None:
            if (widget := entry.widget()) is not None:
                widget.hide()
                widget.deleteLater()

    def _add_kind(self, kind: StorageKind, items: list[StorageItem], size_bytes: int) -> None:
        button = None
        if kind == "trash":
            button = self._button(
                translate("app", "Empty the trash"), lambda: self.ask_to_empty(len(items), size_bytes)
            )
        heading = _Row(kind_words(kind), size_bytes, "heading", button)
        heading.setContentsMargins(0, _GROUP_GAP_PX if self._rows.count() else 0, 0, 0)
        self._rows.addWidget(heading)
        for item in [] if kind in _WHOLE else items:
            self._rows.addWidget(_Row(item.name, item.size_bytes, None, self._item_button(item), item.path))

    def _item_button(self, item: StorageItem) -> QPushButton | None:
        if item.trash_id is not None:
            trash_id = item.trash_id
            return self._button(translate("app", "Restore"), lambda: self.restore_requested.emit(trash_id))
        if item.is_removable:
            return self._button(translate("app", "Remove"), lambda: self.clean_requested.emit((item.path,)))
        return None

    def _button(self, words: str, run: object) -> QPushButton:
        button = QPushButton(words)
        button.clicked.connect(run)
        self.buttons.append(button)
        return button


class _Row(QWidget):
    def __init__(
        self, words: str, size_bytes: int, kind: str | None, button: QPushButton | None, path: str = ""
    ) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        label = ElidedLabel(words, kind)
        label.setAccessibleDescription(path)
        row.addWidget(label, 1)
        size = QLabel(file_size(size_bytes))
        size.setProperty("kind", kind or "muted")
        row.addWidget(size)
        if button is not None:
            button.setAccessibleName(f"{button.text()}: {words}")
            row.addWidget(button)


def kind_words(kind: StorageKind) -> str:
    return {
        "model": translate("app", "Models"),
        "partial": translate("app", "Unfinished conversions"),
        "download": translate("app", "Downloads"),
        "trash": translate("app", "Trash"),
        "leftover": translate("app", "Remains"),
        "cache": translate("app", "Prepared copies, made again when needed"),
        "chats": translate("app", "Chats"),
        "other": translate("app", "Settings and other small files"),
    }[kind]
