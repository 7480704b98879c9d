"""Owns the verdict whether a model fits: a line of words with a mark, and the bar that shows why.

Knows nothing of plans beyond what is said of them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.i18n import sentences, translate
from app.models.fit import Fit, fit_of
from app.models.fit_bar import FitBar
from app.models.fit_rule import planner_words
from app.theme import icon_size_px, theme_signals
from app.widgets.icons import icon
from app.widgets.screen_change import redraw_on_other_screen
from app.widgets.text_label import TextLabel
from engine.messages import Quality

if TYPE_CHECKING:
    from app.models.host import Host
    from engine.api import EngineConfig, ModelEntry, ModelSpec
    from engine.planner import FitKind

_MAX_NAMES = 3
_STEP_BYTES = 64 << 20
_MARKS: dict[FitKind, tuple[str, str]] = {
    "fits": ("check", "ok"),
    "short": ("warning", "warning"),
    "none": ("close", "error"),
}
"""Icon and colour role; the icons differ, so that the colour is not needed."""


class FitLine(QWidget):
    """The verdict in words, with a mark."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kind: FitKind = "fits"
        self._mark = QLabel()
        self.label = TextLabel()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self._mark)
        row.addWidget(self.label, 1)
        theme_signals().theme_changed.connect(self._show_mark)
        redraw_on_other_screen(self, self._show_mark)

    def show_fit(self, fit: Fit) -> None:
        self._kind = fit.kind
        self.label.setText(fit.words)
        told = sentences(fit.note, planner_words()) if fit.note else ""
        self.setToolTip(told)
        # The words are what a screen reader comes to.
        self.label.setAccessibleDescription(told)
        self.label.setProperty("kind", _MARKS[fit.kind][1])
        self.label.style().unpolish(self.label)
        self.label.style().polish(self.label)
        self._show_mark()

    def text(self) -> str:
        return self.label.text()

    def _show_mark(self) -> None:
        self._mark.setPixmap(icon(*_MARKS[self._kind]).pixmap(icon_size_px()))


class FitVerdict(QWidget):
    """The line above the bar."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.line = FitLine()
        self.bar = FitBar()
        self.note = TextLabel("", "muted")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.line)
        column.addWidget(self.bar)
        column.addWidget(self.note)

    def show_fit(self, fit: Fit) -> None:
        self.line.show_fit(fit)
        self.bar.set_parts(fit.parts)
        self.note.setText(fit.note)
        self.note.setVisible(bool(fit.note))


def fit_in(spec: ModelSpec, quality: Quality, host: Host, weights_bytes: int | None = None) -> Fit:
    """The verdict on a model in one quality, or with so many bytes of weights if those are known."""
    # The planner is loaded only by who looks at a model.
    from engine.planner import plan_here

    plan = plan_here(spec, quality, host.memory_free_bytes, host.config, weights_bytes)
    return fit_of(plan, spec, host.memory_free_bytes, host.config, lambda: _what_would_fit(spec, host))


def fit_of_model(entry: ModelEntry, host: Host) -> Fit:
    """The verdict on a model that is there."""
    # Some MiB more or less change nothing, and a plan takes milliseconds.
    rounded = host.memory_free_bytes // _STEP_BYTES * _STEP_BYTES
    return _fit_of_weights(entry.spec, entry.size_bytes, rounded, host.config)


@lru_cache(maxsize=256)
def _fit_of_weights(spec: ModelSpec, weights_bytes: int, memory_free_bytes: int, config: EngineConfig) -> Fit:
    from engine.planner import plan_here

    plan = plan_here(spec, "balanced", memory_free_bytes, config, weights_bytes)
    return fit_of(plan, spec, memory_free_bytes, config)


def _what_would_fit(spec: ModelSpec, host: Host) -> list[str]:
    """A smaller quality of the same model, else the largest models of the catalogue."""
    from engine.planner import plan_here, recommended

    def is_useful(other: ModelSpec, quality: Quality) -> bool:
        return plan_here(other, quality, host.memory_free_bytes, host.config).is_useful

    if is_useful(spec, "smallest"):
        return [translate("app", "the same one, smallest")]
    names = [model.name for model in recommended() if is_useful(model.spec, "balanced")]
    return names[: -_MAX_NAMES - 1 : -1]
