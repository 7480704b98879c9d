"""Owns the small gauge of how much of the model's context a chat fills, and with what.

Does not know where the numbers come from.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLabel, QSizePolicy, QToolTip, QWidget

from app.chat.chat_words import tokens_text
from app.i18n import translate
from app.theme import current_theme

_BAR_PX = QSize(44, 6)
_RING_PX = 4
_TIP_KEYS = frozenset({Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter})


@dataclass(frozen=True, slots=True)
class ContextParts:
    """All in tokens. What is not counted yet is 0."""

    system: int = 0
    """The person's own system prompt."""
    history: int = 0
    draft: int = 0
    reserve: int = 0
    """Kept for the reply."""
    limit: int = 0
    """The most that a chat can have."""
    model_system: int = 0
    """The system prompt that the model's template writes where the person gave none."""
    is_bound_by_memory: bool = False
    """Whether the model could read more than the memory for chats holds."""

    @property
    def all_systems(self) -> int:
        return self.system + self.model_system

    @property
    def used(self) -> int:
        return self.all_systems + self.history + self.draft

    @property
    def room(self) -> int:
        """What is left for the reply."""
        return max(0, self.limit - self.used)


def short_count(number: int) -> str:
    """`412`, `3.1k`, `8k`, `128k`."""
    if number < 1000:
        return str(number)
    thousands = number / 1024 if number % 1024 == 0 else number / 1000
    return f"{thousands:.0f}k" if thousands >= 10 or thousands.is_integer() else f"{thousands:.1f}k"


class ContextGauge(QWidget):
    """`ctx 3.1k / 8k` and a bar; hidden while no model is loaded. The parts stand in the tip and are read aloud.

    A click, Space and Enter show the tip too.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.parts: ContextParts | None = None
        self._note = ""
        self.tip_above: QWidget | None = None
        """What the tip leaves free below it; None for the gauge itself."""
        self._label = _CountsLabel()
        self._bar = _PartsBar()
        row = QHBoxLayout(self)
        # For the ring of the focus.
        row.setContentsMargins(_RING_PX, 0, _RING_PX, 0)
        row.addWidget(self._label)
        row.addWidget(self._bar)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.show_parts(None)

    def text(self) -> str:
        return self._label.text()

    def shown_text(self) -> str:
        """Empty while it is hidden."""
        return "" if self.isHidden() else self.text()

    def show_short(self, is_short: bool) -> None:
        """The bar alone, or the numbers too; they stand in the tip as well."""
        self._label.setVisible(not is_short)
        # Told at once: within a layout of the row it would come too late.
        self.updateGeometry()

    def show_parts(self, parts: ContextParts | None) -> None:
        """None while no model is loaded."""
        if parts == self.parts and parts is not None:
            return
        self.parts = parts
        self.setVisible(parts is not None)
        if parts is None:
            return
        self._label.show_counts(parts.used, parts.limit)
        self._bar.show_parts(parts)
        self.setAccessibleName(translate("app", "Context of this chat"))
        self._show_tip()

    def show_note(self, words: str) -> None:
        """What else the tip says."""
        self._note = words
        self._show_tip()

    def _show_tip(self) -> None:
        if self.parts is not None:
            words = f"{parts_text(self.parts)}\n{self._note}".rstrip()
            self.setToolTip(words)
            self.setAccessibleDescription(words)

    def _pop_up(self) -> None:
        """Shows the tip above `tip_above`, within the window: Qt would put it over what is being written."""
        window, above = self.window(), self.tip_above or self
        place = above.mapToGlobal(QPoint(0, 0))
        QToolTip.showText(place, self.toolTip(), self)
        tip = next((one for one in QApplication.topLevelWidgets() if one.inherits("QTipLabel")), None)
        if tip is not None:
            left, top = window.mapToGlobal(QPoint(0, 0)).toTuple()
            x = min(self.mapToGlobal(QPoint(0, 0)).x(), left + window.width() - tip.width())
            tip.move(max(left, x), max(top, place.y() - tip.height()))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            self._pop_up()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _TIP_KEYS:
            self._pop_up()
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._pop_up()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.hasFocus():
            painter = QPainter(self)
            painter.setPen(QPen(current_theme().color("accent"), 2))
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))


def parts_text(parts: ContextParts) -> str:
    """A line for each part."""
    system = (translate("app", "Your system prompt: {tokens}"), parts.system)
    if parts.model_system:
        system = (translate("app", "System prompt of the model, as you gave none: {tokens}"), parts.model_system)
    lines = [
        system,
        (translate("app", "Messages so far, with what the model adds: {tokens}"), parts.history),
        (translate("app", "What you are writing: {tokens}"), parts.draft),
        (translate("app", "Kept free for the reply, at the least: {tokens}"), parts.reserve),
        (translate("app", "Free: {tokens}"), max(0, parts.room - parts.reserve)),
        (translate("app", "Limit of a chat: {tokens}"), parts.limit),
    ]
    text = "\n".join(words.format(tokens=tokens_text(number)) for words, number in lines)
    note = translate(
        "app", "“Longest answer” in the options of the chat: how long a reply may get where there is room."
    )
    text += f"\n{note}"
    if parts.used >= parts.limit:
        text += "\n" + translate("app", "It is full: shorten the message, or let the chat forget its oldest turns.")
    return text


class _CountsLabel(QLabel):
    """`ctx 3.1k / 8k`, as wide whatever is used: else all of the window would be laid out and painted anew."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "muted")
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._limit = 0

    def show_counts(self, used: int, limit: int) -> None:
        self.setText(_counts_text(short_count(used), limit))
        if limit != self._limit:
            self._limit = limit
            self._fix_size()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fix_size()

    def _fix_size(self) -> None:
        # Its font is that of the theme only from then on.
        self.ensurePolished()
        texts = (_counts_text(used, self._limit) for used in ("888", "8.8k", short_count(self._limit)))
        widest = max(texts, key=self.fontMetrics().horizontalAdvance)
        shown = self.text()
        self.setText(widest)
        self.setFixedSize(self.sizeHint())
        self.setText(shown)


def _counts_text(used: str, limit: int) -> str:
    return translate("app", "ctx {used} / {limit}").format(used=used, limit=short_count(limit))


class _PartsBar(QWidget):
    """System, history and draft from the left in three colours, the reserve behind them in outline."""

    def __init__(self) -> None:
        super().__init__()
        self._parts = ContextParts()
        self.setFixedSize(_BAR_PX)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_parts(self, parts: ContextParts) -> None:
        if parts != self._parts:
            self._parts = parts
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        parts, theme = self._parts, current_theme()
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.color("bar_free"))
        x, width = 0.0, float(self.width())
        shown = (
            (parts.all_systems, "bar_weights"),
            (parts.history, "bar_used"),
            (parts.draft, "warning" if parts.used <= parts.limit else "error"),
        )
        for number, role in shown:
            part = min(width - x, width * number / max(1, parts.limit))
            painter.fillRect(QRectF(x, 0, part, self.height()), theme.color(role))
            x += part
        # Not filled: it is kept, and not used.
        part = min(width - x, width * parts.reserve / max(1, parts.limit))
        if part > 1:
            painter.setPen(theme.color("bar_used"))
            painter.drawRect(QRectF(x + 0.5, 0.5, part - 1, self.height() - 1))
