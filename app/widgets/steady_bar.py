"""Owns an area that scrolls up and down alone, whose bar has its room from the start: nothing moves aside for it.

Does not know what is scrolled.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea


def scroll_only_down(area: QScrollArea) -> int:
    """Makes the content as wide as the area; of the bar nothing is drawn while there is nothing to scroll.

    Returns how many pixels wide the bar is.
    """
    area.setWidgetResizable(True)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
    bar = area.verticalScrollBar()
    # By the stylesheet a disabled one has no handle.
    bar.setEnabled(bar.maximum() > 0)
    bar.rangeChanged.connect(lambda _, most: bar.setEnabled(most > 0))
    bar.ensurePolished()
    return bar.sizeHint().width()
