"""Owns the text of an answer between the engine's small pieces and the view's fewer insertions.

Does not know what the text is for.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.bridge.throttle import Throttle

FLUSH_INTERVAL_MS = 33


class StreamBuffer(QObject):
    """Collects pieces and emits them joined, at most once per 33 ms, at the end of that interval."""

    flushed = Signal(str)

    def __init__(self, parent: QObject | None = None, interval_ms: int = FLUSH_INTERVAL_MS) -> None:
        super().__init__(parent)
        self._pieces: list[str] = []
        self._throttle = Throttle(interval_ms, self._emit, self)

    def append(self, text: str) -> None:
        if text:
            self._pieces.append(text)
            self._throttle.request()

    def flush(self) -> None:
        """Emits what is there at once."""
        self._throttle.flush()

    def _emit(self) -> None:
        text = "".join(self._pieces)
        self._pieces.clear()
        self.flushed.emit(text)
