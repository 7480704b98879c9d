"""Owns the line between two starts on one data folder: the second asks the first to show its window.

Does not know what the window is.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

_TIMEOUT_MS = 1000
_REQUEST = b"show"


class RunningWindow(QObject):
    """Listens for other starts while the window is open. Behind it the lock is held until the engine has ended."""

    show_requested = Signal()

    def __init__(self, home: Path, window: QObject | None = None) -> None:
        super().__init__(window)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connected)
        # A killed process leaves its socket behind; whoever has the lock may take it away.
        QLocalServer.removeServer(_name(home))
        self._server.listen(_name(home))
        if window is not None:
            window.installEventFilter(self)

    def eventFilter(self, window: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Close:
            # Nobody is to be sent to a window that is going.
            self._server.close()
        return super().eventFilter(window, event)

    def _on_connected(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            socket.disconnected.connect(socket.deleteLater)
            self.show_requested.emit()


def ask_to_show(home: Path) -> bool:
    """Asks the running program for its window; whether it could be asked."""
    socket = QLocalSocket()
    socket.connectToServer(_name(home))
    if not socket.waitForConnected(_TIMEOUT_MS):
        return False
    socket.write(_REQUEST)
    socket.waitForBytesWritten(_TIMEOUT_MS)
    socket.disconnectFromServer()
    return True


def _name(home: Path) -> str:
    # A path may be longer than a socket's name.
    return "deepinfer-" + hashlib.sha256(str(home.resolve()).encode()).hexdigest()[:24]
