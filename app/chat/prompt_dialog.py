"""Owns the dialog in which kept prompts are read, changed and deleted.

Does not know where they are kept: it says what is to be saved and what is to go.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QInputDialog,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.i18n import translate
from app.state.parameters import Prompt
from app.widgets.text_label import TextLabel

_WIDTH_CHARACTERS, _HEIGHT_LINES = 90, 24


class PromptDialog(QDialog):
    """A person's own ones and those that came along; one of those that is saved becomes the person's own."""

    saved = Signal(object)
    deleted = Signal(object)
    """Each with a `Prompt`."""

    def __init__(
        self, read_own: Callable[[], list[Prompt]], read_all: Callable[[], list[Prompt]], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._read_own, self._read_all = read_own, read_all
        self._unsaved: dict[str, tuple[str, str]] = {}
        """Name and text as they were left, by the prompt's own name; "" is a new one's."""
        self._as_saved = ("", "")
        """What the fields make of the chosen prompt's name and text: they have one kind of space and of line end."""
        self.setWindowTitle(translate("app", "Prompts"))
        metrics = self.fontMetrics()
        self.resize(_WIDTH_CHARACTERS * metrics.averageCharWidth(), _HEIGHT_LINES * metrics.lineSpacing())
        self.list = QListWidget()
        self.list.setAccessibleName(self.windowTitle())
        self.list.currentItemChanged.connect(self._on_chosen)
        self.name_field = QLineEdit()
        self.name_field.setAccessibleName(translate("app", "Name"))
        self.text_field = QPlainTextEdit()
        self.text_field.setAccessibleName(translate("app", "Text"))
        self.text_field.setTabChangesFocus(True)
        for field in (self.name_field, self.text_field):
            field.textChanged.connect(self._show_buttons)
        self.note = TextLabel("", "muted")
        self.note.hide()
        self.new_button = self._button(translate("app", "New", "a prompt"), self.begin_new)
        self.save_button = self._button(translate("app", "Save"), self.save)
        self.delete_button = self._button(translate("app", "Delete"), self.delete)
        self._build()
        self._list("")

    def _build(self) -> None:
        words = translate(
            "app", "Texts that you use again and again. Type / at the beginning of a message to put one into it."
        )
        close = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        close.rejected.connect(self.reject)
        buttons = QHBoxLayout()
        buttons.addWidget(self.new_button)
        buttons.addWidget(self.save_button)
        buttons.addWidget(self.delete_button)
        buttons.addStretch(1)
        right = QVBoxLayout()
        right.addWidget(self.name_field)
        right.addWidget(self.text_field, 1)
        right.addWidget(self.note)
        right.addLayout(buttons)
        both = QHBoxLayout()
        both.addWidget(self.list, 1)
        both.addLayout(right, 2)
        column = QVBoxLayout(self)
        column.addWidget(TextLabel(words, "muted"))
        column.addLayout(both, 1)
        column.addWidget(close)

    def _button(self, words: str, run: Callable[[], None]) -> QPushButton:
        button = QPushButton(words)
        # Enter in the name is not meant for a button.
        button.setAutoDefault(False)
        button.clicked.connect(run)
        return button

    def _list(self, chosen_id: str) -> None:
        """Reads the prompts again; that with the id stays chosen, else the first."""
        prompts = self._read_all()
        self._follow_names(prompts)
        blocker = QSignalBlocker(self.list)
        self.list.clear()
        for prompt in prompts:
            is_unsaved = prompt.name in self._unsaved
            words = translate("app", "{name} (not saved)").format(name=prompt.name) if is_unsaved else prompt.name
            item = QListWidgetItem(words)
            item.setData(Qt.ItemDataRole.UserRole, prompt)
            self.list.addItem(item)
        row = next((number for number, one in enumerate(prompts) if one.id == chosen_id), 0)
        self.list.setCurrentRow(row if prompts else -1)
        blocker.unblock()
        self._show_chosen()

    def _follow_names(self, prompts: list[Prompt]) -> None:
        """What was left of a prompt that came along is that of the person's own one that has taken its place."""
        names = {prompt.name.casefold(): prompt.name for prompt in prompts}
        self._unsaved = {names.get(name.casefold(), name): words for name, words in self._unsaved.items()}

    def _chosen(self) -> Prompt | None:
        return _prompt_of(self.list.currentItem())

    def _on_chosen(self, _item: QListWidgetItem | None, former: QListWidgetItem | None) -> None:
        self._keep_unsaved(former)
        self._show_chosen()

    def _keep_unsaved(self, item: QListWidgetItem | None) -> None:
        """What stands in the fields, which are the item's, if it is not saved."""
        prompt, words = _prompt_of(item), (self.name_field.text(), self.text_field.toPlainText())
        name = "" if prompt is None else prompt.name
        if words == self._as_saved:
            self._unsaved.pop(name, None)
        else:
            self._unsaved[name] = words
        if item is not None and prompt is not None:
            unsaved = translate("app", "{name} (not saved)").format(name=name)
            item.setText(unsaved if name in self._unsaved else name)

    def _show_chosen(self) -> None:
        prompt = self._chosen()
        self._fill("" if prompt is None else prompt.name, "" if prompt is None else prompt.text)
        self._as_saved = (self.name_field.text(), self.text_field.toPlainText())
        unsaved = self._unsaved.get("" if prompt is None else prompt.name)
        if unsaved is not None:
            self._fill(*unsaved)
        self._show_buttons()

    def _fill(self, name: str, text: str) -> None:
        self.name_field.setText(name)
        self.text_field.setPlainText(text)

    def _is_own(self, prompt: Prompt) -> bool:
        return any(one.id == prompt.id for one in self._read_own())

    def _is_taken(self, name: str, prompt: Prompt | None) -> bool:
        """Whether another prompt of the person's own has the name."""
        others = (one for one in self._read_own() if prompt is None or one.id != prompt.id)
        return any(one.name.casefold() == name.casefold() for one in others)

    def _show_buttons(self) -> None:
        prompt, name, text = self._chosen(), self.name_field.text().strip(), self.text_field.toPlainText()
        is_other = (name, text) != self._as_saved
        is_taken = self._is_taken(name, prompt)
        self.note.setText(
            translate("app", "Another prompt has this name: choose one that is free.") if is_taken else ""
        )
        self.note.setVisible(is_taken)
        self.save_button.setEnabled(is_other and bool(name) and bool(text.strip()) and not is_taken)
        self.delete_button.setEnabled(prompt is not None and self._is_own(prompt))
        note = translate("app", "It came with DeepInfer, so it stays; saving makes one of your own of it.")
        self.delete_button.setToolTip("" if self.delete_button.isEnabled() else note)

    def begin_new(self) -> None:
        """Empties the fields, unless a new one is begun already: it becomes one more prompt when it is saved."""
        self.list.setCurrentRow(-1)
        self.list.clearSelection()
        self.name_field.setFocus()

    def save(self) -> None:
        """Keeps what stands in the fields, in the chosen one's place if there is one."""
        if not self.save_button.isEnabled():
            return
        prompt, name, text = self._chosen(), self.name_field.text().strip(), self.text_field.toPlainText()
        if prompt is None or not self._is_own(prompt):
            changed = Prompt(name, text)
        else:
            changed = replace(prompt, name=name, text=text)
        self.saved.emit(changed)
        if not any((one.id, one.name, one.text) == (changed.id, name, text) for one in self._read_own()):
            # The window says why. What was written stays here.
            self.note.setText(translate("app", "It could not be saved."))
            self.note.show()
            return
        self._unsaved.pop("" if prompt is None else prompt.name, None)
        self._list(changed.id)

    def delete(self) -> None:
        prompt = self._chosen()
        if prompt is not None and self._is_own(prompt):
            self._unsaved.pop(prompt.name, None)
            self.deleted.emit(prompt)
            self._list("")

    def reject(self) -> None:
        """Closes, or asks first where something is not saved."""
        self._keep_unsaved(self.list.currentItem())
        if not self._unsaved:
            super().reject()
            return
        question = QMessageBox(
            QMessageBox.Icon.Question,
            self.windowTitle(),
            translate("app", "%n prompt(s) are not saved.", None, len(self._unsaved)),
            QMessageBox.StandardButton.Discard | QMessageBox.StandardButton.Cancel,
            self,
        )
        question.setDefaultButton(QMessageBox.StandardButton.Cancel)
        question.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        question.button(QMessageBox.StandardButton.Discard).clicked.connect(self._leave)
        question.open()

    def _leave(self) -> None:
        super().reject()


def _prompt_of(item: QListWidgetItem | None) -> Prompt | None:
    return None if item is None else item.data(Qt.ItemDataRole.UserRole)


def ask_for_name(parent: QWidget, name: str) -> QInputDialog:
    """Opens the question under which name a text is to be kept as a prompt."""
    dialog = QInputDialog(parent)
    dialog.setWindowTitle(translate("app", "Keep as a prompt"))
    dialog.setLabelText(translate("app", "Name of the prompt. A message that begins with / offers it."))
    dialog.setTextValue(name)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()
    return dialog
