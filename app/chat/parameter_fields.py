"""Owns the form of a chat's own parameters: each has a tick for "of its own" and a field.

Does not know the chat. Without the tick a field shows what the settings, or the engine, say. What a field cannot
show as it is (a stop text with a comma, a third decimal) stays as it is for as long as nobody changes that field.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QLineEdit, QSizePolicy, QWidget

from app.i18n import QT_TRANSLATE_NOOP, translate
from app.state import options
from app.state.parameters import ChatParameters
from app.state.setting import Setting
from app.widgets.fields import CheckBox, NumberBox
from engine.api import EngineConfig
from engine.messages import SamplingParams

_MAX_SEED = 2**53 - 1
"""What a field of floating-point numbers holds exactly."""
_MAX_TOKENS = 131072


@dataclass(frozen=True, slots=True)
class _Number:
    """`name` is that of `ChatParameters`; `otherwise` stands in the field where nobody has chosen."""

    name: str
    words: str
    note: str
    minimum: float
    maximum: float
    step: float
    num_decimals: int
    otherwise: float


def _as_setting(setting: Setting[int] | Setting[float], step: float) -> _Number:
    """One that means the same in a chat as in the settings."""
    assert setting.label is not None, f"{setting.key} has no words"
    assert setting.minimum is not None, f"{setting.key} has no minimum"
    assert setting.maximum is not None, f"{setting.key} has no maximum"
    num_decimals = 2 if isinstance(setting.default, float) else 0
    least, most = setting.minimum, setting.maximum
    return _Number(setting.key, setting.label, setting.note, least, most, step, num_decimals, setting.default)


_NUMBERS = (
    _as_setting(options.TEMPERATURE, 0.1),
    _as_setting(options.TOP_P, 0.05),
    _as_setting(options.TOP_K, 10),
    _as_setting(options.MIN_P, 0.05),
    _as_setting(options.REPETITION_PENALTY, 0.05),
    _Number(
        "max_tokens", QT_TRANSLATE_NOOP("app", "Longest answer"),
        QT_TRANSLATE_NOOP("app", "In tokens."),
        1, _MAX_TOKENS, 64, 0, EngineConfig().default_max_tokens,
    ),
    _Number(
        "seed", QT_TRANSLATE_NOOP("app", "Seed"),
        QT_TRANSLATE_NOOP("app", "The same seed gives the same answer to the same chat."),
        0, _MAX_SEED, 1, 0, 0,
    ),
)  # fmt: skip


class ParameterFields(QWidget):
    """One row for each parameter."""

    changed = Signal()

    def __init__(self, defaults: SamplingParams, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._defaults = defaults
        self._shown = ChatParameters()
        self._entered: dict[str, Any] = {}
        """What stood in the fields when `_shown` had been put there."""
        self._is_showing = False
        self.ticks: dict[str, CheckBox] = {}
        self.boxes: dict[str, NumberBox] = {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setColumnStretch(1, 1)
        for number in _NUMBERS:
            box = self.boxes[number.name] = _box(number)
            box.valueChanged.connect(self._on_changed)
            self._add(number.name, translate("app", number.words), translate("app", number.note), box)
        self.stop_field = QLineEdit()
        self.stop_field.setPlaceholderText(translate("app", "divided by commas"))
        self.stop_field.textEdited.connect(self._on_changed)
        note = translate("app", "An answer ends before any of these texts.")
        self._add("stop", translate("app", "Stop texts"), note, self.stop_field)
        self.show_parameters(ChatParameters())

    def show_parameters(self, parameters: ChatParameters) -> None:
        self._is_showing = True
        self._shown = parameters
        for number in _NUMBERS:
            chosen = getattr(parameters, number.name)
            self.ticks[number.name].setChecked(chosen is not None)
            self.boxes[number.name].setValue(self._otherwise(number) if chosen is None else chosen)
        self.ticks["stop"].setChecked(parameters.stop is not None)
        self.stop_field.setText(", ".join(parameters.stop or ()))
        self._entered = self._read()
        self._is_showing = False

    def parameters(self) -> ChatParameters:
        entered = self._read()
        changed = {name: value for name, value in entered.items() if value != self._entered[name]}
        return replace(self._shown, **changed)

    def _read(self) -> dict[str, Any]:
        """What stands in the fields; None without the tick."""
        entered: dict[str, Any] = {}
        for number in _NUMBERS:
            value = self.boxes[number.name].value()
            entered[number.name] = value if number.num_decimals else round(value)
        entered["stop"] = tuple(part.strip() for part in self.stop_field.text().split(",") if part.strip())
        return {name: value if self.ticks[name].isChecked() else None for name, value in entered.items()}

    def _otherwise(self, number: _Number) -> float:
        value = getattr(self._defaults, number.name)
        return number.otherwise if value is None else value

    def _add(self, name: str, words: str, note: str, field: QWidget) -> None:
        tick = self.ticks[name] = CheckBox(words)
        tick.setToolTip(note)
        field.setToolTip(note)
        field.setAccessibleName(words)
        field.setAccessibleDescription(note)
        field.setEnabled(False)
        tick.toggled.connect(field.setEnabled)
        tick.toggled.connect(self._on_changed)
        row = self._grid.rowCount()
        self._grid.addWidget(tick, row, 0)
        self._grid.addWidget(field, row, 1)

    def _on_changed(self) -> None:
        if not self._is_showing:
            self.changed.emit()


def _box(number: _Number) -> NumberBox:
    box = NumberBox()
    box.setDecimals(number.num_decimals)
    box.setRange(number.minimum, number.maximum)
    box.setSingleStep(number.step)
    box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    return box
