"""Takes the pictures: a widget as it is painted now, into a file, once the window has come to rest.

Does not know what is in the pictures.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

TIMEOUT_S = 600.0
_MAX_COLORS = 256
_CHUNK = 1024


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
        with_few_colors(widget.grab().toImage()).save(str(path), quality=0)
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


def with_few_colors(image: QImage) -> QImage:
    """The image in its most frequent colours, which takes a third of the bytes; rarer ones become the nearest."""
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(image.constBits(), dtype=np.uint32).reshape(image.height(), image.width())
    colors, inverse, counts = np.unique(pixels, return_inverse=True, return_counts=True)
    kept = colors[np.argsort(-counts)[:_MAX_COLORS]]
    channels, kept_channels = (part.view(np.uint8).reshape(-1, 4)[:, :3].astype(np.int32) for part in (colors, kept))
    nearest = np.concatenate(
        [
            ((channels[start : start + _CHUNK, None] - kept_channels) ** 2).sum(-1).argmin(1)
            for start in range(0, len(colors), _CHUNK)
        ]
    ).astype(np.uint8)
    # Qt wants lines of a multiple of four bytes.
    rows = np.pad(nearest[inverse.reshape(pixels.shape)], ((0, 0), (0, -image.width() % 4)))
    result = QImage(rows.tobytes(), image.width(), image.height(), rows.shape[1], QImage.Format.Format_Indexed8)
    result.setColorTable([int(color) for color in kept])
    return result.copy()
