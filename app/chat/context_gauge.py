"""Owns the small gauge of how much of the model's context a chat fills.

Does not know where the numbers come from.
"""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QWidget

_BAR_WIDTH_PX = 64


def short_count(number: int) -> str:
    """`412`, `3.1k`, `8k`, `128k`."""
    if number < 1000:
        return str(number)
    thousands = number / 1024 if number % 1024 == 0 else number / 1000
    return f"{thousands:.0f}k" if thousands >= 10 or thousands.is_integer() else f"{thousands:.1f}k"


class ContextGauge(QWidget):
    """`ctx 3.1k / 8k` and a bar; hidden while no model is loaded."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label = QLabel()
        self._label.setProperty("kind", "muted")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setFixedWidth(_BAR_WIDTH_PX)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._label)
        row.addWidget(self._bar)
        self.show_tokens(0, None)

    def text(self) -> str:
        return self._label.text()

    def show_tokens(self, num_tokens: int, max_tokens: int | None) -> None:
        """`max_tokens` is what the longest chat may have, None while no model is loaded."""
        self.setVisible(max_tokens is not None)
        if max_tokens is None:
            return
        self._label.setText(f"ctx {short_count(num_tokens)} / {short_count(max_tokens)}")
        self._bar.setRange(0, max_tokens)
        self._bar.setValue(min(num_tokens, max_tokens))
        self.setToolTip(f"{num_tokens:,} of the {max_tokens:,} tokens that a chat can have are used by this one.")
