"""Owns what the machine's memory is used for: this program, others, what is left, and the alarm when it is too little.

Knows nothing of models and blocks; the numbers come from whoever reads the machine.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.i18n import translate
from app.visualizer.memory_bar import MemoryBar
from app.visualizer.part_chip import PartChip
from app.widgets.flow import Flow
from app.widgets.text_label import TextLabel
from app.widgets.units import memory_size
from engine.planner import MemoryUse

_INTERVAL_MS = 1000
_ROLES = ("bar_used", "bar_others", "bar_free")
_CHIP_GAP_PX = 4


class MachineMemory(QWidget):
    """Reads the machine once a second while it is visible."""

    def __init__(self, read: Callable[[], MemoryUse], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._read = read
        self._use: MemoryUse | None = None
        self._bar = MemoryBar()
        self._bar.setAccessibleName(translate("app", "Memory of this computer"))
        self.key = Flow()
        self._entries = [_Entry(role) for role in _ROLES]
        self.key.add(_muted(translate("app", "RAM:")))
        for entry in self._entries:
            self.key.add(entry)
        self.alarm = TextLabel("", "warning")
        self.alarm.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        for widget in (self._bar, self.key, self.alarm):
            column.addWidget(widget)
        self._timer = QTimer(self, interval=_INTERVAL_MS)
        self._timer.timeout.connect(self.refresh)

    @property
    def use(self) -> MemoryUse | None:
        """What was read last."""
        return self._use

    def refresh(self) -> None:
        use = self._use = self._read()
        sizes = (use.own_bytes, use.others_bytes, use.available_bytes)
        self._bar.set_parts(list(zip(_ROLES, sizes, strict=True)))
        self._bar.setAccessibleDescription(self.words())
        texts = self._texts(use)
        if texts != [entry.label.text() for entry in self._entries]:
            for entry, text in zip(self._entries, texts, strict=True):
                entry.label.setText(text)
            self.key.refresh()
        alarm = self.alarm_words()
        self.alarm.setText(alarm)
        self.alarm.setVisible(bool(alarm))

    def _texts(self, use: MemoryUse) -> list[str]:
        """What each part of the bar is, with its size."""
        left = translate("app", "left {left} of {total}")
        return [
            translate("app", "this program {size}").format(size=memory_size(use.own_bytes)),
            translate("app", "other programs {size}").format(size=memory_size(use.others_bytes)),
            left.format(left=memory_size(use.available_bytes), total=memory_size(use.total_bytes)),
        ]

    def words(self) -> str:
        """`RAM: this program 1.2 GiB, other programs 5.0 GiB, left 1.6 of 7.8 GiB`."""
        if self._use is None:
            return ""
        return translate("app", "RAM: this program {own}, other programs {others}, left {left} of {total}").format(
            own=memory_size(self._use.own_bytes),
            others=memory_size(self._use.others_bytes),
            left=memory_size(self._use.available_bytes),
            total=memory_size(self._use.total_bytes),
        )

    def alarm_words(self) -> str:
        """What is wrong and what to do; empty while all is well."""
        use = self._use
        if use is not None and use.is_spilling:
            assert use.spilled_bytes is not None
            return translate(
                "app",
                "{size} of this program were moved to the disk, which makes answers slow. Close other programs, load a "
                "smaller model, or lower “Memory for chats” in the settings.",
            ).format(size=memory_size(use.spilled_bytes))
        if use is not None and use.is_scarce:
            return translate(
                "app",
                "Only {left} of memory are left; soon parts of programs are moved to the disk and answers get slow. "
                "Close other programs, or load a smaller model.",
            ).format(left=memory_size(use.available_bytes))
        return ""

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()


def _muted(words: str) -> QLabel:
    label = QLabel(words)
    label.setProperty("kind", "muted")
    return label


class _Entry(QWidget):
    """A part's colour and pattern, and what it is."""

    def __init__(self, role: str) -> None:
        super().__init__()
        self.label = _muted("")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(_CHIP_GAP_PX)
        row.addWidget(PartChip(role))
        row.addWidget(self.label)
