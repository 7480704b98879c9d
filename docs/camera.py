"""Takes the pictures: a widget as it is painted now, into a file, once the window has come to rest.

Does not know what is in the pictures.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

TIMEOUT_S = 600.0
PAUSE_S = 0.5
_MAX_COLORS = 256
_MARGIN_PX = 8


class Camera:
    """`suffix` goes behind the names; only those with `wanted` in them are saved."""

    def __init__(self, folder: Path, suffix: str, wanted: str) -> None:
        self._folder = folder
        self._suffix = suffix
        self._wanted = wanted
        self._snaps: list[tuple[str, QImage]] = []

    def snap(self, name: str, widget: QWidget, ground: QWidget | None = None) -> None:
        """Keep how the widget looks now: `develop` makes the file, which takes as long as a line of an answer.

        `ground`: what a part stands on, whose colour is to be seen around it.
        """
        if self._wanted in name:
            self._snaps.append((name, widget.grab().toImage() if ground is None else _on_ground(widget, ground)))

    def develop(self) -> None:
        for name, image in self._snaps:
            path = self._folder / f"{name}{self._suffix}.png"
            with_few_colors(image).save(str(path), quality=0)
            print(path)
        self._snaps.clear()

    def save(self, name: str, widget: QWidget) -> None:
        self.snap(name, widget)
        self.develop()

    async def save_at_rest(self, name: str, widget: QWidget) -> None:
        await self.pause()
        self.save(name, widget)

    async def pause(self) -> None:
        """Time for layouts and queued paints; these are pictures, not tests."""
        await asyncio.sleep(PAUSE_S)

    async def wait(self, holds: Callable[[], bool]) -> None:
        started_s = time.monotonic()
        while not holds():
            if time.monotonic() - started_s > TIMEOUT_S:
                raise TimeoutError("the window did not get there in time")
            await asyncio.sleep(0.02)


def _on_ground(widget: QWidget, ground: QWidget) -> QImage:
    """Without a ground of its own a part would be painted on the page's colour."""
    margin = QPoint(_MARGIN_PX, _MARGIN_PX)
    image = QImage(widget.size() + 2 * QSize(_MARGIN_PX, _MARGIN_PX), QImage.Format.Format_RGB32)
    image.fill(ground.grab(QRect(0, 0, 1, 1)).toImage().pixelColor(0, 0))
    widget.render(image, margin, renderFlags=QWidget.RenderFlag.DrawChildren)
    return image


def with_few_colors(image: QImage) -> QImage:
    """The image in few of its colours, which takes a third of the bytes; the others become the nearest of them."""
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(image.constBits(), dtype=np.uint32).reshape(image.height(), image.width())
    colors, inverse, counts = np.unique(pixels, return_inverse=True, return_counts=True)
    channels = colors.view(np.uint8).reshape(-1, 4)[:, :3].astype(np.int64)
    kept = [int(counts.argmax())]
    nearest = np.zeros(len(colors), np.uint8)
    distances = ((channels - channels[kept[0]]) ** 2).sum(1)
    while len(kept) < _MAX_COLORS and distances.any():
        # The colour that is missed most: a frequent one, or one that is like no other.
        kept.append(int((counts * distances).argmax()))
        others = ((channels - channels[kept[-1]]) ** 2).sum(1)
        nearest[others < distances] = len(kept) - 1
        distances = np.minimum(distances, others)
    # Qt wants lines of a multiple of four bytes.
    rows = np.pad(nearest[inverse.reshape(pixels.shape)], ((0, 0), (0, -image.width() % 4)))
    result = QImage(rows.tobytes(), image.width(), image.height(), rows.shape[1], QImage.Format.Format_Indexed8)
    result.setColorTable([int(color) for color in colors[kept]])
    return result.copy()
