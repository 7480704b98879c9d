"""Owns the line at the window's foot: what the engine is doing, in words and numbers.

Does not know the engine beyond its messages.
"""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStatusBar, QWidget

from app.bridge.throttle import Throttle
from app.i18n import QT_TRANSLATE_NOOP, listed, translate
from app.widgets.elided_label import ElidedLabel
from engine.messages import (
    EngineDied,
    EngineStarted,
    EngineStats,
    ModelLoaded,
    ModelLoadFailed,
    ModelLoadProgress,
    ModelUnloaded,
)

_MARGIN_PX = 8
STATS_INTERVAL_MS = 250
"""The engine's figures change no faster than they can be read."""
_BACKENDS = {"cpu": "CPU", "gpu": "GPU", "reference": QT_TRANSLATE_NOOP("app", "CPU (reference)")}


class StatusLine(QStatusBar):
    """`engine: ready · CPU, 2 threads · 3 running, 1 waiting · 118 tok/s together · KV 61 % used, 12 % cached`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeGripEnabled(False)
        self.setContentsMargins(0, 0, _MARGIN_PX, 0)
        self._state = translate("app", "starting")
        self._has_model = False
        self._engine: EngineStarted | None = None
        self._stats: EngineStats | None = None
        self._stats_throttle = Throttle(STATS_INTERVAL_MS, self._show, self)
        self.label = ElidedLabel(kind="muted")
        self.label.setContentsMargins(_MARGIN_PX, 0, 0, 0)
        self.addWidget(_Frame(self.label), 1)
        self._show()

    def show_started(self, engine: EngineStarted) -> None:
        self._engine = engine
        self._state = translate("app", "no model")
        self._show()

    def show_died(self, _: EngineDied) -> None:
        self._engine = None
        self._has_model = False
        self._stats = None
        self._state = translate("app", "stopped")
        self._show()

    def show_restarting(self) -> None:
        self._has_model = False
        self._stats = None
        self._state = translate("app", "starting")
        self._show()

    def show_loading(self, name: str) -> None:
        """The model that is on its way, of which there is no progress yet; empty if none is."""
        if not self._has_model and self._engine is not None:
            no_model = translate("app", "no model")
            self._state = translate("app", "loading {model}").format(model=name) if name else no_model
            self._show()

    def show_model(self, change: ModelLoadProgress | ModelLoaded | ModelLoadFailed | ModelUnloaded) -> None:
        match change:
            case ModelLoadProgress():
                words = translate("app", "loading, layer {layer} of {total}")
                self._state = words.format(layer=change.num_layers_loaded, total=change.num_layers)
            case ModelLoaded():
                self._has_model = True
                self._state = translate("app", "ready")
            case ModelUnloaded():
                self._has_model = False
                self._stats = None
                self._state = translate("app", "no model")
            case ModelLoadFailed():
                # A load that was refused leaves the model before it as it is.
                self._state = translate("app", "ready") if self._has_model else translate("app", "no model")
        self._show()

    def show_stats(self, stats: EngineStats) -> None:
        self._stats = stats
        self._stats_throttle.request()

    def _show(self) -> None:
        parts = [translate("app", "engine: {state}").format(state=self._state)]
        if self._engine is not None:
            threads = self._engine.num_threads
            backend = translate("app", _BACKENDS.get(self._engine.backend, self._engine.backend))
            parts.append(listed((backend, translate("app", "%n thread(s)", None, threads))))
        if self._stats is not None and self._state == translate("app", "ready"):
            parts.extend(_load_parts(self._stats))
        self.label.setText(" · ".join(parts))


def _load_parts(stats: EngineStats) -> list[str]:
    parts = []
    if stats.num_running or stats.num_waiting or stats.num_swapped:
        counts = [
            translate("app", "{count} running").format(count=stats.num_running),
            translate("app", "{count} waiting").format(count=stats.num_waiting),
        ]
        if stats.num_swapped:
            counts.append(translate("app", "{count} swapped out").format(count=stats.num_swapped))
        parts.append(listed(counts))
        parts.append(translate("app", "{rate} tok/s together").format(rate=f"{stats.tokens_per_s:.0f}"))
    num_blocks = stats.num_free_blocks + stats.num_cached_blocks + stats.num_referenced_blocks
    if num_blocks:
        used, cached = (100 * part // num_blocks for part in (stats.num_referenced_blocks, stats.num_cached_blocks))
        words = translate("app", "KV {used} % used")
        if cached:
            words = translate("app", "KV {used} % used, {cached} % cached")
        parts.append(words.format(used=used, cached=cached))
    return parts


class _Frame(QWidget):
    """Gives a label its size, so that another text does not have the whole window laid out anew."""

    def __init__(self, label: ElidedLabel) -> None:
        super().__init__()
        self._label = label
        label.setParent(self)

    def sizeHint(self) -> QSize:
        return self._hint(self._label.sizeHint())

    def minimumSizeHint(self) -> QSize:
        return self._hint(self._label.minimumSizeHint())

    def _hint(self, of_label: QSize) -> QSize:
        # The label asks for the height that it was given, and after smaller text would never give it back.
        return QSize(of_label.width(), self._label.fontMetrics().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # What cannot change its size has no say in the layout.
        self._label.setFixedSize(self.size())
