"""Owns one row of the settings page: the field, its note, and where the value comes from.

Does not know what a setting is for; its kind of value decides its field.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app.bridge.throttle import Throttle
from app.i18n import sentences, translate
from app.state.setting import Setting
from app.state.settings import Settings
from app.widgets.fields import CheckBox, ChoiceBox, NumberBox, WholeNumberBox
from app.widgets.flow import Flow
from app.widgets.text_label import TextLabel

_STEP = 0.05
_PERCENT_STEP = 10
_TEXT_LINES = 4
_TEXT_MARGIN_PX = 6
_SPACING_PX = 4
_BESIDE_PX = 12
_SAVE_INTERVAL_MS = 400


def keywords_of(setting: Setting[Any]) -> str:
    """By which a setting is found besides its note: its words, its choices and what else it may be called, folded."""
    parts = (setting.label or "", setting.keywords, *(words for _, words in setting.choices))
    # In English too: many a word of the field is English everywhere.
    told = (*(translate("app", part) for part in parts if part), setting.keywords)
    return "\n".join(told).casefold()


class SettingRow(QWidget):
    """A change is told at once, that of a text soon after the typing pauses."""

    changed = Signal(object, object)
    """setting, value"""

    def __init__(self, setting: Setting[Any], settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setting = setting
        self._settings = settings
        self._effective = ""
        self._throttle: Throttle | None = None
        self.field = self._make_field()
        self.field.setAccessibleName(self.words)
        self.note_label = TextLabel("", "muted")
        self.reset_button = QPushButton(translate("app", "Use the default"))
        self.reset_button.setAccessibleName(translate("app", "{setting}: use the default").format(setting=self.words))
        self.reset_button.clicked.connect(self._reset)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(_SPACING_PX)
        self._flow: Flow | None = None
        if isinstance(self.field, QPlainTextEdit | QLineEdit):
            line = QHBoxLayout()
            line.setSpacing(_BESIDE_PX)
            line.addWidget(self.field, 1)
            line.addWidget(self.reset_button, 0, Qt.AlignmentFlag.AlignTop)
            column.addLayout(line)
        else:
            # Beside the field while there is room, else below it.
            self._flow = Flow()
            self._flow.add(self.field)
            self._flow.add(self.reset_button)
            column.addWidget(self._flow)
        column.addWidget(self.note_label)
        # A row that is given too much height has it below.
        column.addStretch(1)
        self._show_origin()

    @property
    def words(self) -> str:
        return translate("app", self.setting.label or "")

    @property
    def note(self) -> str:
        return translate("app", self.setting.note) if self.setting.note else ""

    def has(self, text: str) -> bool:
        """Whether each word of `text` is in the row's words or in what else they may be called, whatever its case."""
        told = f"{self.keywords}\n{self.note.casefold()}"
        return all(word in told for word in text.casefold().split())

    @property
    def keywords(self) -> str:
        """What the setting, its choices and what it is about are called, folded."""
        return keywords_of(self.setting)

    def show_effective(self, words: str) -> None:
        """What the value comes to at the moment, such as the number of threads that "automatic" took."""
        self._effective = words
        self._show_origin()

    def show_value(self) -> None:
        """Brings the field in line with a value that was changed elsewhere."""
        value = self._settings.get(self.setting)
        match self.field:
            case QSpinBox() | QDoubleSpinBox():
                self.field.setValue(value)
            case QComboBox():
                self.field.setCurrentIndex(self.field.findData(value))
            case QCheckBox():
                self.field.setChecked(value)
            case QLineEdit() if self.field.text() != value:
                self.field.setText(value)
            case QPlainTextEdit() if self.field.toPlainText() != value:
                self.field.setPlainText(value)
        self._show_origin()

    def add_button(self, button: QPushButton) -> None:
        """Puts what the setting leads to beside its field, out of sight at first."""
        assert self._flow is not None, f"{self.setting.key} has a field that takes the whole line"
        self._flow.add(button, 1)
        # Reached in the order in which they stand.
        self.setTabOrder(self.field, button)
        button.hide()

    def show_button(self, button: QPushButton, is_shown: bool) -> None:
        assert self._flow is not None, f"{self.setting.key} has a field that takes the whole line"
        button.setVisible(is_shown)
        self._flow.refresh()

    def flush(self) -> None:
        """Tells a change of a text that has not been told yet."""
        if self._throttle is not None:
            self._throttle.flush()

    def _reset(self) -> None:
        self.changed.emit(self.setting, self.setting.default)
        self.show_value()
        self.field.setFocus()

    def _show_origin(self) -> None:
        is_chosen = self._settings.is_chosen(self.setting)
        # That nothing was chosen need not be read at each setting.
        origin = self._changed_words() if is_chosen else ""
        words = sentences(self.note, self._effective, origin)
        self.note_label.setText(words)
        self.note_label.setVisible(bool(words))
        self.field.setToolTip("" if is_chosen else translate("app", "This is the default."))
        self.field.setAccessibleDescription(words or self.field.toolTip())
        self.reset_button.setVisible(is_chosen)
        if self._flow is not None:
            self._flow.refresh()

    def _changed_words(self) -> str:
        """That a person chose the value, and what it would be else where that is a word or a number."""
        setting, default = self.setting, self.setting.default
        words = ""
        if setting.choices:
            words = translate("app", dict(setting.choices)[default])
        elif isinstance(default, bool):
            words = translate("app", "on") if default else translate("app", "off")
        elif default == setting.minimum and setting.minimum_words:
            words = translate("app", setting.minimum_words)
        elif isinstance(self.field, QSpinBox | QDoubleSpinBox):
            words = self.field.textFromValue(default) + self.field.suffix()
        if not words:
            return translate("app", "Changed by you.")
        return translate("app", "Changed by you; the default is “{value}”.").format(value=words)

    def _make_field(self) -> QWidget:
        setting = self.setting
        if setting.choices:
            return self._choice()
        if isinstance(setting.default, bool):
            return self._check()
        if isinstance(setting.default, str):
            return self._line() if setting.is_line else self._text()
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
        spin.setSpecialValueText(translate("app", setting.minimum_words) if setting.minimum_words else "")
        spin.setValue(self._settings.get(setting))
        spin.valueChanged.connect(lambda value: self.changed.emit(setting, value))
        return spin

    def _check(self) -> QCheckBox:
        box = CheckBox(self.words)
        box.setChecked(self._settings.get(self.setting))
        box.toggled.connect(lambda is_on: self.changed.emit(self.setting, is_on))
        return box

    def _choice(self) -> QComboBox:
        box = ChoiceBox()
        for value, words in self.setting.choices:
            box.addItem(translate("app", words), value)
        box.setCurrentIndex(box.findData(self._settings.get(self.setting)))
        box.currentIndexChanged.connect(lambda index: self.changed.emit(self.setting, box.itemData(index)))
        return box

    def _line(self) -> QLineEdit:
        line = QLineEdit(self._settings.get(self.setting))
        line.editingFinished.connect(lambda: self.changed.emit(self.setting, line.text().strip()))
        return line

    def _text(self) -> QPlainTextEdit:
        edit = QPlainTextEdit(self._settings.get(self.setting))
        edit.setTabChangesFocus(True)
        edit.setFixedHeight((_TEXT_LINES + 1) * edit.fontMetrics().lineSpacing())
        self._throttle = Throttle(_SAVE_INTERVAL_MS, lambda: self.changed.emit(self.setting, edit.toPlainText()), edit)
        edit.textChanged.connect(self._throttle.request)
        return edit
