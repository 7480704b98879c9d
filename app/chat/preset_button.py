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

_MAX_NAME_CHARACTERS, _MAX_SHORT_CHARACTERS = 16, 10


class PresetButton(QToolButton):
    """`Standard`, with a star if the chat differs from it."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        show_icon(self, "tune")
        self._is_short = self._is_icon_only = False
        self.show_preset()

    def show_short(self, is_short: bool) -> None:
        """The usual preset as its icon alone, of another the beginning of its name; or each in words."""
        self._is_short = is_short
        self._show_words()

    def show_icon_only(self, is_icon_only: bool) -> None:
        self._is_icon_only = is_icon_only
        self._show_words()

    def whole_text(self) -> str:
        """What it says where there is room."""
        preset = self._session.preset or built_in_presets()[0]
        name = preset.name if len(preset.name) <= _MAX_NAME_CHARACTERS else f"{preset.name[:_MAX_NAME_CHARACTERS]}…"
        return f"{name}{'*' if is_changed(self._session) else ''}"

    def _show_words(self) -> None:
        text, style = self.whole_text(), Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        preset = self._session.preset
        is_usual = (preset is None or preset.id == built_in_presets()[0].id) and not is_changed(self._session)
        if self._is_icon_only or (self._is_short and is_usual):
            style = Qt.ToolButtonStyle.ToolButtonIconOnly
        elif self._is_short:
            text = text if len(text) <= _MAX_SHORT_CHARACTERS else f"{text[:_MAX_SHORT_CHARACTERS]}…"
        self.setText(text)
        self.setToolButtonStyle(style)

    def show_preset(self) -> None:
        self._show_words()
        is_other = is_changed(self._session)
        preset = self._session.preset or built_in_presets()[0]
        words = translate("app", "Preset: {name}, changed") if is_other else translate("app", "Preset: {name}")
        words = words.format(name=preset.name)
        self.setAccessibleName(words)
        self.setToolTip(words + "\n" + translate("app", "System prompt, temperature and more of this chat"))
