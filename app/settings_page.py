"""Owns the page of settings: one row for each setting that has a label.

Does not know what a setting is for; its kind of value decides its field.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QFormLayout,
    QGridLayout,
    QLabel,
    QPlainTextEdit,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app.bridge.throttle import Throttle
from app.state.settings import SETTINGS, Setting, Settings
from app.widgets.fields import ChoiceBox, NumberBox, WholeNumberBox
from app.widgets.page import ClosablePage
from app.widgets.text_label import TextLabel

_STEP = 0.05
_PERCENT_STEP = 10
_TEXT_LINES = 4
_TEXT_MARGIN_PX = 6
_SAVE_INTERVAL_MS = 400
_SHORTCUTS = (
    ("Enter", "Send the message"),
    ("Shift+Enter", "Break the line"),
    ("Esc", "Stop the answer; leave a page"),
    ("Ctrl+T", "New chat"),
    ("Ctrl+W", "Close the tab"),
    ("Ctrl+Shift+T", "Open the tab again that was closed last"),
    ("Ctrl+Tab, Ctrl+Shift+Tab", "Next tab, tab before"),
    ("Ctrl+B", "Show or hide the chats"),
    ("Ctrl+M", "Show or hide the memory"),
    ("F2, Delete", "Rename or delete the chat chosen in the list"),
    ("Ctrl+Plus, Ctrl+Minus, Ctrl+0", "Larger, smaller, as at first"),
    ("Ctrl+Q", "Quit"),
)
"""(keys, what they do)"""


class SettingsPage(ClosablePage):
    """Every change holds at once."""

    changed = Signal(object, object)
    """setting, value"""

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__("Settings", parent)
        self._settings = settings
        self.fields: dict[str, QWidget] = {}
        self._throttles: list[Throttle] = []
        form = QFormLayout()
        form.setHorizontalSpacing(24)
        form.setVerticalSpacing(16)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        for setting in SETTINGS:
            if setting.label is not None:
                label = QLabel(setting.label)
                label.setProperty("kind", "field")
                label.setAlignment(Qt.AlignmentFlag.AlignTop)
                form.addRow(label, self._cell(setting))
        self.column.addLayout(form)
        self.column.addSpacing(16)
        self.column.addWidget(TextLabel("Keyboard", "heading"))
        self.column.addLayout(_shortcut_table())
        self.column.addStretch(1)

    def show_value(self, setting: Setting[Any]) -> None:
        """Brings a field in line with a value that was changed elsewhere."""
        field = self.fields.get(setting.key)
        if isinstance(field, QSpinBox | QDoubleSpinBox):
            field.setValue(self._settings.get(setting))
        elif isinstance(field, QComboBox):
            field.setCurrentIndex(field.findData(self._settings.get(setting)))

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        for throttle in self._throttles:
            throttle.flush()

    def _cell(self, setting: Setting[Any]) -> QWidget:
        field = self._field(setting)
        field.setAccessibleName(setting.label or "")
        self.fields[setting.key] = field
        cell = QWidget()
        column = QVBoxLayout(cell)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(
            field, 0, Qt.AlignmentFlag(0) if isinstance(field, QPlainTextEdit) else Qt.AlignmentFlag.AlignLeft
        )
        if setting.note:
            column.addWidget(TextLabel(setting.note, "muted"))
        return cell

    def _field(self, setting: Setting[Any]) -> QWidget:
        if setting.choices:
            return self._choice(setting)
        if isinstance(setting.default, str):
            return self._text(setting)
        spin: WholeNumberBox | NumberBox
        if isinstance(setting.default, float):
            spin = NumberBox(singleStep=_STEP, decimals=2)
        else:
            is_percent = setting.key.endswith("_percent")
            spin = WholeNumberBox(singleStep=_PERCENT_STEP if is_percent else 1, suffix=" %" if is_percent else "")
            # Only the finished number counts: 150 begins with a 1.
            spin.setKeyboardTracking(False)
        spin.lineEdit().setTextMargins(_TEXT_MARGIN_PX, 0, 0, 0)
        spin.setRange(setting.minimum or 0, setting.maximum or 0)  # type: ignore[arg-type]  # ints for whole numbers
        spin.setSpecialValueText(setting.minimum_words or "")
        spin.setValue(self._settings.get(setting))
        spin.valueChanged.connect(lambda value: self.changed.emit(setting, value))
        return spin

    def _choice(self, setting: Setting[Any]) -> QComboBox:
        box = ChoiceBox()
        for value, words in setting.choices:
            box.addItem(words, value)
        box.setCurrentIndex(box.findData(self._settings.get(setting)))
        box.currentIndexChanged.connect(lambda index: self.changed.emit(setting, box.itemData(index)))
        return box

    def _text(self, setting: Setting[Any]) -> QPlainTextEdit:
        edit = QPlainTextEdit(self._settings.get(setting))
        edit.setTabChangesFocus(True)
        edit.setFixedHeight((_TEXT_LINES + 1) * edit.fontMetrics().lineSpacing())
        throttle = Throttle(_SAVE_INTERVAL_MS, lambda: self.changed.emit(setting, edit.toPlainText()), edit)
        edit.textChanged.connect(throttle.request)
        self._throttles.append(throttle)
        return edit


def _shortcut_table() -> QGridLayout:
    table = QGridLayout()
    table.setHorizontalSpacing(24)
    table.setColumnStretch(1, 1)
    for row, (keys, words) in enumerate(_SHORTCUTS):
        table.addWidget(QLabel(keys), row, 0)
        table.addWidget(TextLabel(words, "muted"), row, 1)
    return table
