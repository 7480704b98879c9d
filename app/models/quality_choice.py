"""Owns the choice of quality in plain words, and what each choice costs on this machine.

Knows nothing of files and downloads; it is given a model's numbers and the memory that is free.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, get_args

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QRadioButton, QVBoxLayout, QWidget

from app.i18n import listed, sentences, translate
from app.models.fit_verdict import FitVerdict, fit_in
from app.models.measured_speed import MeasuredSpeed, nearest
from app.models.model_facts import copy_promise
from app.theme import icon_size_px, theme_signals
from app.widgets.text_label import TextLabel
from app.widgets.units import duration, file_size, memory_size, unbroken
from engine.messages import Quality

if TYPE_CHECKING:
    from app.models.fit import Fit
    from app.models.host import Host
    from engine.api import ModelSpec
    from engine.planner import Plan


_FAST = 1000
"""Tokens a second that no one can tell from more."""
_RING_GAP_PX = 8
_VERDICT_LINES = 8
"""The room that a verdict takes, with its bar and what is said of it."""


class QualityChoice(QWidget):
    """Smallest, balanced, faithful: size, memory and speed of each; choosing one moves the bar.

    With `has_own` a file's own codes, the quality None, are a choice as well, and the first one.
    """

    quality_changed = Signal(object)
    """Quality | None"""

    def __init__(self, has_own: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._plans: dict[Quality | None, Plan] = {}
        self._weights_bytes: Mapping[Quality | None, int] = {}
        self._spec: ModelSpec | None = None
        self._host: Host | None = None
        self.is_expecting = False
        """Whether the costs are about to be known."""
        self._is_allowed = True
        self.buttons: dict[Quality | None, QRadioButton] = {}
        self._costs: dict[Quality | None, TextLabel] = {}
        self._group = QButtonGroup(self)
        self.verdict = FitVerdict()
        self._waiting = TextLabel(translate("app", "Reading the file"), "muted")
        self._waiting.setAlignment(Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        for quality in (*((None,) if has_own else ()), *get_args(Quality)):
            column.addWidget(self._button(quality))
            column.addWidget(self._costs[quality])
        column.addSpacing(4)
        column.addWidget(self.verdict)
        column.addWidget(self._waiting)
        self.buttons[None if has_own else "balanced"].setChecked(True)
        self._group.buttonToggled.connect(self._on_toggled)
        theme_signals().theme_changed.connect(self._indent)
        self._indent()
        self._show()

    def allow_choice(self, is_allowed: bool) -> None:
        """Whether another one can be chosen. What is told of the costs is told all the same, and stays readable."""
        self._is_allowed = is_allowed
        self._enable()

    @property
    def quality(self) -> Quality | None:
        return next(quality for quality, button in self.buttons.items() if button.isChecked())

    def word(self) -> str:
        """The choice as it is called."""
        return _words(self.quality)[0]

    def clear(self) -> None:
        """Nothing is known of the costs."""
        self._spec, self._plans, self._weights_bytes = None, {}, {}
        self._enable()
        self.expect(False)

    def expect(self, is_expecting: bool) -> None:
        """While the costs are about to be known, their lines and the verdict have their place already: nothing moves
        under the mouse when they come.
        """
        self.is_expecting = is_expecting
        self._show()

    def show_model(
        self, spec: ModelSpec | None, host: Host, weights_bytes: Mapping[Quality | None, int] | None = None
    ) -> None:
        """What the choices cost for this model; None where its numbers are not known.

        `weights_bytes` are what the weights take in each quality, where that is known better than from the numbers.
        """
        self._spec, self._host, self._weights_bytes = spec, host, weights_bytes or {}
        self.is_expecting = False
        self._plans = {}
        if spec is not None:
            # The planner is loaded only by who looks at a model.
            from engine.planner import plan_here

            for quality in self.buttons:
                known = self._weights_bytes.get(quality)
                plan = plan_here(spec, quality or "balanced", host.memory_free_bytes, host.config, known)
                self._plans[quality] = plan
        if self._is_as_file(self.quality):
            self.buttons[None].setChecked(True)
        self._enable()
        self._show()

    def _is_as_file(self, quality: Quality | None) -> bool:
        """Whether it comes to the same as the file's own codes: rounding those again could only lose."""
        own_bytes = self._weights_bytes.get(None)
        return quality is not None and own_bytes is not None and self._weights_bytes.get(quality) == own_bytes

    def _enable(self) -> None:
        """What is no different from another choice cannot be chosen."""
        for quality, button in self.buttons.items():
            button.setEnabled(self._is_allowed and not self._is_as_file(quality))

    def _cost(self, quality: Quality | None, plan: Plan) -> str:
        if self._is_as_file(quality):
            return translate("app", "No different for this file from “{choice}”").format(choice=_words(None)[0])
        assert self._host is not None, "the plan was made for a machine"
        speeds = self._host.speeds
        time = "" if quality is None or self._spec is None else _time_words(self._spec, quality, bool(speeds))
        return " · ".join(part for part in (cost_words(plan, speeds), time) if part)

    def _button(self, quality: Quality | None) -> QRadioButton:
        name, promise = _words(quality)
        button = self.buttons[quality] = QRadioButton(
            translate("app", "{name}: {promise}").format(name=name, promise=promise)
        )
        self._group.addButton(button)
        self._costs[quality] = TextLabel("", "muted")
        return button

    def _indent(self) -> None:
        """The costs stand under the words, beside the ring."""
        for label in self._costs.values():
            label.setContentsMargins(icon_size_px() + _RING_GAP_PX, 0, 0, 0)

    def _on_toggled(self, _: object, is_on: bool) -> None:
        if is_on:
            self._show()
            self.quality_changed.emit(self.quality)

    def _show(self) -> None:
        for quality, label in self._costs.items():
            plan = self._plans.get(quality)
            cost = "" if plan is None else self._cost(quality, plan)
            label.setText(cost or "…")
            label.setVisible(plan is not None or self.is_expecting)
            self.buttons[quality].setAccessibleDescription(cost)
        self._waiting.setFixedHeight(_VERDICT_LINES * self.fontMetrics().lineSpacing())
        self._waiting.setVisible(self.is_expecting)
        plan = self._plans.get(self.quality)
        self.verdict.setVisible(plan is not None)
        if plan is not None and self._spec is not None and self._host is not None:
            known = self._weights_bytes.get(self.quality)
            fit = fit_in(self._spec, self.quality or "balanced", self._host, known)
            self.verdict.show_fit(replace(fit, note=self._note(fit, plan, self._host)))

    def _note(self, fit: Fit, plan: Plan, host: Host) -> str:
        copy = copy_promise(plan.need.weights_bytes) if plan.need.is_prepared else ""
        return sentences(copy, fit.note, self._judged_words(host))

    def _judged_words(self, host: Host) -> str:
        """By which models the speeds are judged; empty where none has answered here."""
        judges = (nearest(host.speeds, plan.need.read_bytes_per_token) for plan in self._plans.values())
        names = dict.fromkeys(judge.name for judge in judges if judge is not None)
        words = translate("app", "The speeds are judged by how fast {model} answers here.")
        return words.format(model=listed(tuple(names))) if names else ""


def _time_words(spec: ModelSpec, quality: Quality, is_speed_of_here: bool) -> str:
    """`up to 12 min to convert there`, on that laptop, empty where it takes little longer than reading."""
    from engine.planner import conversion_s

    time_s = conversion_s(spec, quality)
    if time_s is None:
        return ""
    time = duration(time_s)
    if is_speed_of_here:
        return translate("app", "up to {time} to convert on an ordinary laptop").format(time=time)
    return unbroken(translate("app", "up to {time} to convert there").format(time=time))


def cost_words(plan: Plan, speeds: Sequence[MeasuredSpeed]) -> str:
    """`about 1.9 GB on disk · 2.4 GiB of memory · about 9 tok/s on an ordinary laptop`, or here if that is known."""
    need, measured = plan.need, nearest(speeds, plan.need.read_bytes_per_token)
    disk, memory = file_size(need.disk_bytes), memory_size(need.fixed_bytes)
    if measured is None:
        words = translate(
            "app", "about {disk} on disk · {memory} of memory · about {speed} tok/s on an ordinary laptop"
        )
        return words.format(disk=disk, memory=memory, speed=_speed(need.tokens_per_s))
    words = translate("app", "about {disk} on disk · {memory} of memory · about {speed} tok/s here")
    return words.format(disk=disk, memory=memory, speed=_speed(measured.of(need.read_bytes_per_token)))


def _speed(rate: float) -> str:
    if rate >= _FAST:
        return f"{_FAST:,}+"
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"


def _words(quality: Quality | None) -> tuple[str, str]:
    choices: dict[Quality | None, tuple[str, str]] = {
        None: (
            translate("app", "As in the file"),
            translate("app", "the file's own precision, kept wherever it can be"),
        ),
        "smallest": (translate("app", "Smallest"), translate("app", "as small as it can be, answers lose some")),
        "balanced": (translate("app", "Balanced"), translate("app", "much smaller, answers hardly change")),
        "faithful": (translate("app", "Faithful"), translate("app", "the largest, answers as of the original")),
    }
    return choices[quality]
