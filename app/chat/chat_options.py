"""Owns the panel of what a chat sets for itself: preset, system prompt and parameters.

Does not know the tab; it changes the session and says so.
"""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QInputDialog,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.chat.full_choice import FullChoice
from app.chat.parameter_fields import ParameterFields
from app.chat.presets import apply_preset, built_in_presets, is_built_in
from app.i18n import translate
from app.state.history import History, HistoryError
from app.state.parameters import Preset
from app.state.session import Session
from app.widgets.fields import ChoiceBox
from app.widgets.text_label import TextLabel
from engine.messages import SamplingParams

_MARGIN_PX = 16
_LEAST_SIZE = QSize(460, 600)
_WIDTH_CHARACTERS, _HEIGHT_LINES = 60, 36
_PROMPT_LINES = 5


class ChatOptions(QDialog):
    """Everything holds from the next message on."""

    changed = Signal()
    failed = Signal(str)
    preset_deleted = Signal(object)
    """A `Preset`, as it was."""

    def __init__(self, session: Session, history: History, defaults: SamplingParams, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._history = history
        self._own: list[Preset] = []
        self.setWindowTitle(translate("app", "Options of this chat"))
        metrics = self.fontMetrics()
        wanted = QSize(_WIDTH_CHARACTERS * metrics.averageCharWidth(), _HEIGHT_LINES * metrics.lineSpacing())
        # With the zoom, as far as the window goes.
        self.resize(wanted.boundedTo(parent.window().size()).expandedTo(_LEAST_SIZE))
        self.preset_box = ChoiceBox()
        self.preset_box.setAccessibleName(translate("app", "Preset"))
        self.preset_box.activated.connect(self._on_preset_chosen)
        self.prompt_field = QPlainTextEdit()
        self.prompt_field.setAccessibleName(translate("app", "System prompt"))
        self.prompt_field.setTabChangesFocus(True)
        self.prompt_field.setMinimumHeight(_PROMPT_LINES * self.fontMetrics().lineSpacing())
        self.fields = ParameterFields(defaults)
        self.full_choice = FullChoice(session.when_full)
        self._build()
        self._show_session()
        self._list_presets()
        self.prompt_field.textChanged.connect(self._on_changed)
        self.fields.changed.connect(self._on_changed)

    def _build(self) -> None:
        self.save_button = self._button(translate("app", "Save as…"), self._ask_for_name)
        self.rename_button = self._button(translate("app", "Rename…"), self._ask_for_other_name)
        self.delete_button = self._button(translate("app", "Delete"), self.delete_preset)
        self.close_button = close = self._button(translate("app", "Close"), self.accept)
        page = QWidget()
        page.setProperty("kind", "page")
        column = QVBoxLayout(page)
        column.setContentsMargins(_MARGIN_PX, _MARGIN_PX, _MARGIN_PX, _MARGIN_PX)
        column.addWidget(QLabel(translate("app", "Preset")))
        column.addWidget(self.preset_box)
        row = QHBoxLayout()
        for button in (self.save_button, self.rename_button, self.delete_button):
            row.addWidget(button)
        row.addStretch(1)
        column.addLayout(row)
        column.addWidget(QLabel(translate("app", "System prompt")))
        column.addWidget(self.prompt_field, 1)
        words = translate("app", "With a tick this chat has its own value; without one the settings hold.")
        column.addWidget(TextLabel(words, "muted"))
        column.addWidget(self.fields)
        column.addWidget(self.full_choice, 0, Qt.AlignmentFlag.AlignLeft)
        end = QHBoxLayout()
        end.setContentsMargins(_MARGIN_PX, _MARGIN_PX // 2, _MARGIN_PX, _MARGIN_PX // 2)
        end.addStretch(1)
        end.addWidget(close)
        area = QScrollArea()
        area.setWidgetResizable(True)
        # The page is as wide as the area, but for a fraction of a pixel where it is zoomed.
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(page)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(area, 1)
        outer.addLayout(end)

    def _button(self, words: str, action: object) -> QPushButton:
        button = QPushButton(words)
        button.setAutoDefault(False)
        button.clicked.connect(action)
        return button

    def save_preset(self, name: str) -> None:
        """Keeps the chat's system prompt and parameters under a name; one of this name is replaced."""
        name = name.strip()
        if not name:
            return
        former = next((preset for preset in self._own if preset.name == name), None)
        parameters = replace(self._session.parameters, model_id=None)
        preset = Preset(name, self._session.system_prompt, parameters)
        if former is not None:
            preset = replace(preset, id=former.id)
        self._store(preset)

    def rename_preset(self, name: str) -> None:
        preset = self._session.preset
        if name.strip() and preset is not None and not is_built_in(preset):
            self._store(replace(preset, name=name.strip()))

    def delete_preset(self) -> None:
        preset = self._session.preset
        if preset is None or is_built_in(preset):
            return
        try:
            self._history.presets.remove(preset.id)
        except HistoryError as error:
            self.failed.emit(str(error))
            return
        self.preset_deleted.emit(preset)
        # The chat keeps its values, as those of no preset.
        self._session.preset = None
        self._list_presets()
        self.changed.emit()

    def _store(self, preset: Preset) -> None:
        try:
            self._history.presets.save(preset)
        except HistoryError as error:
            self.failed.emit(str(error))
            return
        self._session.preset = preset
        self._list_presets()
        self.changed.emit()

    def _list_presets(self) -> None:
        try:
            self._own = self._history.presets.all()
        except HistoryError as error:
            self.failed.emit(str(error))
        chosen = self._session.preset
        self.preset_box.clear()
        for preset in (*built_in_presets(), *self._own):
            self.preset_box.addItem(preset.name, preset)
            if chosen is not None and preset.id == chosen.id:
                self.preset_box.setCurrentIndex(self.preset_box.count() - 1)
        is_own = chosen is not None and any(preset.id == chosen.id for preset in self._own)
        self.rename_button.setEnabled(is_own)
        self.delete_button.setEnabled(is_own)

    def _on_preset_chosen(self, index: int) -> None:
        preset = self.preset_box.itemData(index)
        assert isinstance(preset, Preset), f"the entry holds {preset!r}"
        apply_preset(self._session, preset)
        self._show_session()
        self._list_presets()
        self.changed.emit()

    def _show_session(self) -> None:
        self.prompt_field.blockSignals(True)
        self.prompt_field.setPlainText(self._session.system_prompt)
        self.prompt_field.blockSignals(False)
        self.fields.show_parameters(self._session.parameters)

    def _on_changed(self) -> None:
        self._session.system_prompt = self.prompt_field.toPlainText()
        self._session.parameters = self.fields.parameters()
        self.changed.emit()

    def _ask_for_name(self) -> None:
        self._ask(translate("app", "Save preset"), "", self.save_preset)

    def _ask_for_other_name(self) -> None:
        preset = self._session.preset
        self._ask(translate("app", "Rename preset"), "" if preset is None else preset.name, self.rename_preset)

    def _ask(self, title: str, name: str, action: object) -> None:
        dialog = QInputDialog(self)
        dialog.setWindowTitle(title)
        dialog.setLabelText(translate("app", "Name"))
        dialog.setTextValue(name)
        dialog.textValueSelected.connect(action)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
