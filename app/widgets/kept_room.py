"""Owns the wish of a widget to keep its room while it is hidden, so that nothing beside it moves."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget


def keep_room(widget: QWidget) -> None:
    policy = widget.sizePolicy()
    policy.setRetainSizeWhenHidden(True)
    widget.setSizePolicy(policy)
