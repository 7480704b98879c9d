"""Owns the question whether the window may move things.

Knows nothing of what would be moved.
"""

from __future__ import annotations

import ctypes
import sys

from PySide6.QtWidgets import QApplication, QStyle

_SPI_GETCLIENTAREAANIMATION = 0x1042


def prefers_reduced_motion() -> bool:
    """Whether the system asks for no animation, or the style has none."""
    if sys.platform == "win32":
        is_on = ctypes.c_int(1)
        ctypes.windll.user32.SystemParametersInfoW(_SPI_GETCLIENTAREAANIMATION, 0, ctypes.byref(is_on), 0)
        return is_on.value == 0
    return QApplication.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration) == 0
