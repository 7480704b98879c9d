"""Owns the list of prompts that a slash in the composer opens, and the prompts that come with the program.

Does not know where a person's own prompts are kept.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QPainter, QShowEvent, QTextCursor
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.chat.composer import Composer
from app.i18n import translate
from app.state.parameters import Prompt
from app.theme import current_theme

_MAX_SHOWN = 8
_PREVIEW_GAP_PX = 16
_MOST_FOR_NAMES = 0.4
"""Of the width, for their column."""
_SLASH = "/"


def built_in_prompts() -> list[Prompt]:
    return [
        Prompt(translate("app", "Summarise"), translate("app", "Summarise this in a few sentences:\n\n")),
        Prompt(translate("app", "Explain"), translate("app", "Explain this step by step, in plain words:\n\n")),
        Prompt(
            translate("app", "Correct"),
            translate("app", "Correct spelling and grammar, and keep wording and tone:\n\n"),
        ),
        Prompt(translate("app", "Translate"), translate("app", "Translate this into English:\n\n")),
        Prompt(translate("app", "Review code"), translate("app", "Review this code: faults first, then style.\n\n")),
    ]


class PromptPicker(QListWidget):
    """Shown while the composer's text begins with a slash and what follows is found in a prompt's name.

    Up and Down choose, Enter or a click puts the text in, Esc hides it, Delete on a person's own prompt forgets it.
    """

    forgotten = Signal(object)
    """A `Prompt` of the person's own."""
    shown = Signal(bool)
    """Whether it is shown now."""

    def __init__(self, composer: Composer, read_own: Callable[[], list[Prompt]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._composer = composer
        self._read_own = read_own
        self._is_left = False
        """Esc was pressed, so it stays away until another text is begun."""
        self.name_in_use = ""
        """Of the prompt that the text was begun with; empty if it was with none."""
        self.setAccessibleName(translate("app", "Prompts"))
        self.setItemDelegate(_Preview(self))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.itemClicked.connect(self._insert)
        composer.textChanged.connect(self._on_text_changed)
        composer.installEventFilter(self)
        self.hide()

    def names(self) -> list[str]:
        return [self.item(row).text() for row in range(self.count())]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if self.isVisible() and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self._on_key(event)
        return super().eventFilter(watched, event)

    def _on_key(self, event: QKeyEvent) -> bool:
        match event.key():
            case Qt.Key.Key_Down | Qt.Key.Key_Up:
                step = 1 if event.key() == Qt.Key.Key_Down else -1
                self.setCurrentRow((self.currentRow() + step) % self.count())
            case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_Tab:
                self._insert(self.currentItem())
            case Qt.Key.Key_Escape:
                self._is_left = True
                self.hide()
            case Qt.Key.Key_Delete if self._prompt(self.currentItem()).id in {one.id for one in self._read_own()}:
                self.forgotten.emit(self._prompt(self.currentItem()))
                self._on_text_changed()
            case _:
                return False
        return True

    def _on_text_changed(self) -> None:
        text = self._composer.toPlainText()
        if not text:
            self.name_in_use = ""
        if not text.startswith(_SLASH):
            self._is_left = False
        is_asked = text.startswith(_SLASH) and "\n" not in text and not self._is_left
        found = self._found(text[1:]) if is_asked else []
        self.clear()
        for prompt in found:
            item = QListWidgetItem(prompt.name)
            item.setToolTip(prompt.text)
            item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, prompt.text)
            item.setData(Qt.ItemDataRole.UserRole, prompt)
            self.addItem(item)
        self.setCurrentRow(0)
        if found:
            self.setFixedHeight(len(found) * self.sizeHintForRow(0) + 2 * self.frameWidth() + 2)
        self.setVisible(bool(found))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.shown.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.shown.emit(False)

    def every(self) -> list[Prompt]:
        """The person's own ones, and those that came along."""
        own = self._read_own()
        names = {one.name.casefold() for one in own}
        # One that a person has changed and kept takes the place of the one that came with the program.
        return [*own, *(one for one in built_in_prompts() if one.name.casefold() not in names)]

    def _found(self, words: str) -> list[Prompt]:
        return [one for one in self.every() if words.strip().lower() in one.name.lower()][:_MAX_SHOWN]

    def _insert(self, item: QListWidgetItem) -> None:
        prompt = self._prompt(item)
        self._composer.setPlainText(prompt.text)
        self.name_in_use = prompt.name
        self._composer.moveCursor(QTextCursor.MoveOperation.End)
        self._composer.setFocus()

    def _prompt(self, item: QListWidgetItem) -> Prompt:
        prompt = item.data(Qt.ItemDataRole.UserRole)
        assert isinstance(prompt, Prompt), f"the entry holds {prompt!r}"
        return prompt


class _Preview(QStyledItemDelegate):
    """Behind the prompts' names their first words, muted, in a column."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        prompt = index.data(Qt.ItemDataRole.UserRole)
        metrics = option.fontMetrics
        model = index.model()
        names = (model.index(row, 0).data(Qt.ItemDataRole.DisplayRole) for row in range(model.rowCount()))
        widest = min(max(map(metrics.horizontalAdvance, names)), int(option.rect.width() * _MOST_FOR_NAMES))
        taken = max(widest, metrics.horizontalAdvance(prompt.name)) + 2 * _PREVIEW_GAP_PX
        rect = option.rect.adjusted(taken, 0, -_PREVIEW_GAP_PX // 2, 0)
        if rect.width() <= 0:
            return
        is_chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setPen(current_theme().color("text" if is_chosen else "muted"))
        words = metrics.elidedText(" ".join(prompt.text.split()), Qt.TextElideMode.ElideRight, rect.width())
        painter.drawText(rect, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, words)
        painter.restore()
