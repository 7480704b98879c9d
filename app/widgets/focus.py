"""Owns the question where the focus of a window is, for parts that go and must leave it somewhere near.

Does not know where that is.
"""

from __future__ import annotations

from PySide6.QtWidgets import QWidget


def holds_focus(widget: QWidget) -> bool:
    """Whether the focus of the widget's window is in it; also while another window is in front."""
    focused = widget.window().focusWidget()
    return focused is not None and (focused is widget or widget.isAncestorOf(focused))
