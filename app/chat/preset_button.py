"""Owns the small button that names a chat's preset and leads to the chat's options.

Does not know the options.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSizePolicy, QToolButton, QWidget

from app.chat.presets import built_in_presets, is_changed
from app.i18n import translate
from app.state.session import Session
from app.widgets.icons import show_icon

_MAX_NAME_CHARACTERS = 16


class PresetButton(QToolButton):
    """`Standard ▾`, with a star if the chat differs from it."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        show_icon(self, "tune")
        self.show_short(False)
        self.show_preset()

    def show_short(self, is_short: bool) -> None:
        """As its icon alone, or in words."""
        style = Qt.ToolButtonStyle.ToolButtonIconOnly if is_short else Qt.ToolButtonStyle.ToolButtonTextOnly
        self.setToolButtonStyle(style)

    def show_preset(self) -> None:
        preset = self._session.preset or built_in_presets()[0]
        name = preset.name if len(preset.name) <= _MAX_NAME_CHARACTERS else f"{preset.name[:_MAX_NAME_CHARACTERS]}…"
        is_other = is_changed(self._session)
        self.setText(f"{name}{'*' if is_other else ''} ▾")
        words = translate("app", "Preset: {name}, changed") if is_other else translate("app", "Preset: {name}")
        words = words.format(name=preset.name)
        self.setAccessibleName(words)
        self.setToolTip(words + "\n" + translate("app", "System prompt, temperature and more of this chat"))
