"""Owns the dropping of models on the window: a file or a folder, wherever it falls.

Does not know what becomes of them.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget

SUFFIXES = (".gguf", ".safetensors")


class WindowDrop(QObject):
    """What a child takes for itself, such as the composer a text, does not come here."""

    dropped = Signal(str)
    """The path of a model file, or of a folder."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() not in (QEvent.Type.DragEnter, QEvent.Type.DragMove, QEvent.Type.Drop):
            return False
        assert isinstance(event, QDropEvent), f"a drag is {event!r}"
        path = model_path(event.mimeData())
        if path is None:
            return False
        event.acceptProposedAction()
        if event.type() is QEvent.Type.Drop:
            self.dropped.emit(path)
        return True


def model_path(data: QMimeData) -> str | None:
    """The one model file or folder on this computer that is being dropped, None for anything else."""
    urls = data.urls()
    if len(urls) != 1 or not urls[0].isLocalFile():
        return None
    path = urls[0].toLocalFile()
    return path if path.lower().endswith(SUFFIXES) or Path(path).is_dir() else None
