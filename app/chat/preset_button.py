"""Owns the small button that names a chat's preset and leads to the chat's options.

Does not know the options.
"""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolButton, QWidget

from app.chat.presets import built_in_presets, is_changed
from app.i18n import translate
from app.state.session import Session
from app.widgets.icons import show_icon

_MAX_NAME_CHARACTERS = 16
_PADDING_PX = 6


class PresetButton(QToolButton):
    """`Standard ▾`, with a star if the chat differs from it."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        # It gives way before the panels beside the chat do.
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        show_icon(self, "tune")
        self.show_preset()

    def minimumSizeHint(self) -> QSize:
        # As its icon alone.
        edge_px = super().minimumSizeHint().height()
        return QSize(edge_px, edge_px)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        has_room = self.width() >= self.fontMetrics().horizontalAdvance(self.text()) + 2 * _PADDING_PX
        style = Qt.ToolButtonStyle.ToolButtonTextOnly if has_room else Qt.ToolButtonStyle.ToolButtonIconOnly
        if style != self.toolButtonStyle():
            self.setToolButtonStyle(style)

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        # Of the words also while only the icon shows, so that they come back when there is room.
        width_px = self.fontMetrics().horizontalAdvance(self.text()) + 2 * _PADDING_PX + 2
        return QSize(max(width_px, hint.width()), hint.height())

    def show_preset(self) -> None:
        preset = self._session.preset or built_in_presets()[0]
        name = preset.name if len(preset.name) <= _MAX_NAME_CHARACTERS else f"{preset.name[:_MAX_NAME_CHARACTERS]}…"
        is_other = is_changed(self._session)
        self.setText(f"{name}{'*' if is_other else ''} ▾")
        words = translate("app", "Preset: {name}, changed") if is_other else translate("app", "Preset: {name}")
        words = words.format(name=preset.name)
        self.setAccessibleName(words)
        self.setToolTip(words + "\n" + translate("app", "System prompt, temperature and more of this chat"))
