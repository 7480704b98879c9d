"""Owns the menu of commands: a line to type in, and below it what can be done that has these words.

Does not know what the commands do nor where they come from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.i18n import translate
from app.theme import current_theme
from app.widgets.text_label import TextLabel

MAX_SHOWN = 50
_WIDTH_CHARACTERS = 64
_NUM_VISIBLE_ROWS = 12
_MARGIN_PX = 8
_TOP_PX = 64

_Index = QModelIndex | QPersistentModelIndex
_DETAIL_ROLE = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class Command:
    """Something that can be done: its words, what is said beside them (a key, a kind), and the doing."""

    words: str
    detail: str
    run: Callable[[], object]
    keywords: str = ""
    """What else it may be called, folded; found behind what has the words themselves."""


def matching(commands: Sequence[Command], text: str) -> list[Command]:
    """The commands whose words contain every word of `text`, whatever the case: first those that begin with it, then
    those whose own words begin so, those that are called so elsewhere, and last those that have it within a word.
    """
    wanted = text.casefold().split()
    start = " ".join(wanted)
    ranked: list[tuple[int, Command]] = []
    for command in commands:
        words = command.words.casefold()
        if words.startswith(start):
            ranked.append((0, command))
        elif all(_begins_word(words, word) for word in wanted):
            ranked.append((1, command))
        elif all(word in command.keywords for word in wanted):
            ranked.append((2, command))
        elif all(word in words for word in wanted):
            ranked.append((3, command))
    ranked.sort(key=lambda pair: pair[0])
    return [command for _, command in ranked[:MAX_SHOWN]]


def _begins_word(words: str, start: str) -> bool:
    return re.search(rf"(?<![^\W_]){re.escape(start)}", words) is not None


class CommandPalette(QDialog):
    """Opened anew each time; Enter runs the chosen command, Esc leaves."""

    def __init__(self, commands: Sequence[Command], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(translate("app", "Commands"))
        # A popup: a click beside it closes it.
        self.setWindowFlags(Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("kind", "palette")
        self._commands = commands
        self._model = _CommandModel(self)
        self._row_px, self._max_list_px = 1, 0  # until it has its place
        self.line = QLineEdit()
        self.line.setPlaceholderText(translate("app", "What do you want to do?"))
        self.line.setAccessibleName(self.windowTitle())
        self.line.textChanged.connect(self._find)
        self.list = QListView()
        self.list.setModel(self._model)
        self.list.setItemDelegate(_CommandDelegate(self.list))
        self.list.setAccessibleName(translate("app", "Commands that match"))
        self.list.setUniformItemSizes(True)
        self.list.clicked.connect(self._run)
        # The line keeps the focus; it hands the list the keys that move in it.
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        column = QVBoxLayout(self)
        column.setContentsMargins(_MARGIN_PX, _MARGIN_PX, _MARGIN_PX, _MARGIN_PX)
        self.nothing_label = TextLabel(translate("app", "Nothing found"), "muted")
        self.nothing_label.hide()
        column.addWidget(self.line)
        column.addWidget(self.list)
        column.addWidget(self.nothing_label)
        self._find("")
        self._place(parent)
        # A popup's own parts get no focus by themselves.
        self.line.setFocus(Qt.FocusReason.PopupFocusReason)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # As high as the rows are laid out: in some scripts that is less than they ask for.
        self._row_px = max(1, self.list.visualRect(self._model.index(0)).height())
        self._fit_height()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {
            Qt.Key.Key_Down: 1,
            Qt.Key.Key_Up: -1,
            Qt.Key.Key_PageDown: _NUM_VISIBLE_ROWS,
            Qt.Key.Key_PageUp: -_NUM_VISIBLE_ROWS,
        }
        key = Qt.Key(event.key())
        if key in steps:
            self._step(steps[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._run(self.list.currentIndex())
        else:
            super().keyPressEvent(event)

    def _step(self, distance: int) -> None:
        row = self.list.currentIndex().row() + distance
        last = self._model.rowCount() - 1
        self.list.setCurrentIndex(self._model.index(min(max(row, 0), last)))

    def _find(self, text: str) -> None:
        found = matching(self._commands, text)
        self._model.show_commands(found)
        self.list.setVisible(bool(found))
        self.nothing_label.setVisible(not found)
        self.list.setCurrentIndex(self._model.index(0))
        self._fit_height()

    def _run(self, index: QModelIndex) -> None:
        if not index.isValid():
            return
        command = self._model.commands[index.row()]
        # First away, so that the command finds the focus where it was.
        self.accept()
        command.run()

    def _place(self, parent: QWidget) -> None:
        width = min(_WIDTH_CHARACTERS * self.fontMetrics().averageCharWidth(), parent.width() - 2 * _TOP_PX)
        self._row_px = self.list.sizeHintForRow(0)
        self._max_list_px = parent.height() - 3 * _TOP_PX
        self.setFixedWidth(width)
        self._fit_height()
        origin = parent.mapToGlobal(parent.rect().topLeft())
        self.move(origin.x() + (parent.width() - width) // 2, origin.y() + _TOP_PX)

    def _fit_height(self) -> None:
        """As high as what was found, in whole rows."""
        frame_px = 2 * self.list.frameWidth()
        num_fitting = max((self._max_list_px - frame_px) // self._row_px, 1)
        num_rows = min(max(self._model.rowCount(), 1), _NUM_VISIBLE_ROWS, num_fitting)
        self.list.setFixedHeight(num_rows * self._row_px + frame_px)
        self.adjustSize()


class _CommandModel(QAbstractListModel):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.commands: Sequence[Command] = ()

    def show_commands(self, commands: Sequence[Command]) -> None:
        self.beginResetModel()
        self.commands = commands
        self.endResetModel()

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.commands)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        command = self.commands[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return command.words
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{command.words}, {command.detail}" if command.detail else command.words
            case _ if role == _DETAIL_ROLE:
                return command.detail
            case _:
                return None


class _CommandDelegate(QStyledItemDelegate):
    """The detail stands at the right, muted."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        super().paint(painter, option, index)
        detail = index.data(_DETAIL_ROLE)
        if detail:
            is_chosen = bool(option.state & QStyle.StateFlag.State_Selected)
            painter.setPen(current_theme().color("text" if is_chosen else "muted"))
            rect = option.rect.adjusted(0, 0, -_MARGIN_PX, 0)
            painter.drawText(rect, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, detail)

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        size = super().sizeHint(option, index)
        return QSize(size.width(), size.height() + _MARGIN_PX // 2)
