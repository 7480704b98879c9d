"""Takes the pictures: a widget as it is painted now, into a file, once the window has come to rest.

Does not know what is in the pictures.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QWidget

TIMEOUT_S = 600.0


class Camera:
    """`suffix` goes behind the names; only those with `wanted` in them are saved."""

    def __init__(self, folder: Path, suffix: str, wanted: str) -> None:
        self._folder = folder
        self._suffix = suffix
        self._wanted = wanted

    def save(self, name: str, widget: QWidget) -> None:
        if self._wanted not in name:
            return
        path = self._folder / f"{name}{self._suffix}.png"
        widget.grab().save(str(path))
        print(path)

    async def save_at_rest(self, name: str, widget: QWidget) -> None:
        await self.pause()
        self.save(name, widget)

    async def pause(self) -> None:
        """Time for layouts and queued paints; these are pictures, not tests."""
        await asyncio.sleep(0.5)

    async def wait(self, holds: Callable[[], bool]) -> None:
        started_s = time.monotonic()
        while not holds():
            if time.monotonic() - started_s > TIMEOUT_S:
                raise TimeoutError("the window did not get there in time")
            await asyncio.sleep(0.02)
