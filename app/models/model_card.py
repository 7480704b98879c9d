"""Owns the card of a model in the library: what it is, and the step that comes next for it.

Knows neither the library nor how a model is loaded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QInputDialog,
    QMenu,
    QProgressBar,
    QPushButton,
    QToolButton,
    QWidget,
)

from app.i18n import translate
from app.models.fit import Fit
from app.models.fit_verdict import FitVerdict
from app.models.load_text import load_text
from app.models.model_facts import (
    conversion_text,
    copy_text,
    fidelity_text,
    fidelity_tip,
    formats_text,
    nature_text,
    nature_tip,
    speed_text,
    storage_text,
)
from app.models.speed_store import Speed
from app.widgets.card import Card
from app.widgets.elided_label import ElidedLabel
from app.widgets.error_note import ErrorNote
from app.widgets.file_dialog import Place, begin_in
from app.widgets.icons import show_icon
from app.widgets.menu_button import let_go_after_menu
from app.widgets.text_label import TextLabel
from app.widgets.units import file_size
from engine.messages import ModelLoaded, ModelLoadFailed, ModelLoadProgress

if TYPE_CHECKING:
    from engine.api import ModelEntry


class ModelCard(Card):
    """Load or Unload, the load's progress, and why it failed."""

    load_requested = Signal(str)
    """The model id."""
    unload_requested = Signal()
    planner_requested = Signal()
    """Of the model that is loaded."""
    delete_requested = Signal(str)
    verify_requested = Signal(str)
    """The model id."""
    rename_requested = Signal(str, str)
    """model id, name"""
    move_requested = Signal(str, str)
    """model id, folder"""
    default_requested = Signal(str, bool)
    """model id, and whether it is to be loaded at every start"""
    copy_free_requested = Signal(str)
    """The id of the model whose copy for this machine may go."""

    def __init__(self, entry: ModelEntry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.entry = entry
        self._is_loaded = False
        self._error = ErrorNote()
        self._text = TextLabel("", "muted")
        self._bar = QProgressBar(textVisible=False)
        self.button = QPushButton()
        self.button.clicked.connect(self._on_pressed)
        self.delete_button = QPushButton(translate("app", "Delete"))
        self.delete_button.setAccessibleName(translate("app", "Delete {model}").format(model=entry.name))
        show_icon(self.delete_button, "trash")
        self.delete_button.clicked.connect(lambda: self.delete_requested.emit(entry.model_id))
        self.more_button = QToolButton(popupMode=QToolButton.ToolButtonPopupMode.InstantPopup)
        self.more_button.setText(translate("app", "More"))
        self.more_button.setAccessibleName(translate("app", "More of {model}").format(model=entry.name))
        show_icon(self.more_button, "chevron-down")
        self.more_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.more_button.setMenu(self._make_menu())
        let_go_after_menu(self.more_button)
        self._speed = TextLabel("", "muted")
        self.verdict = FitVerdict()
        self.planner_button = QPushButton(translate("app", "How many chats fit"))
        self.planner_button.setToolTip(translate("app", "Shows the memory view, where lengths can be tried"))
        show_icon(self.planner_button, "memory")
        self.planner_button.clicked.connect(self.planner_requested)
        self._default_mark = TextLabel(translate("app", "Loaded at every start"), "muted")
        buttons = QHBoxLayout()
        buttons.addWidget(self.button)
        buttons.addWidget(self._text, 1)
        buttons.addWidget(self.more_button)
        buttons.addWidget(self.delete_button)
        self.column.addWidget(TextLabel(entry.name, "heading"))
        self.column.addWidget(_told(TextLabel(nature_text(entry)), nature_tip(entry)))
        self._storage = TextLabel("", "muted")
        self.column.addWidget(self._storage)
        if fidelity := fidelity_text(entry):
            self.column.addWidget(_told(TextLabel(fidelity, "muted"), fidelity_tip()))
        self.conversion = _told(TextLabel(conversion_text(entry), "muted"), formats_text(entry))
        self.column.addWidget(self.conversion)
        source = translate("app", "from {file}").format(file=entry.source)
        self.column.addWidget(ElidedLabel(source, "muted", Qt.TextElideMode.ElideMiddle))
        self.column.addWidget(self._speed)
        self.column.addWidget(self._default_mark)
        self.column.addWidget(self.verdict)
        self.column.addWidget(self.planner_button, 0, Qt.AlignmentFlag.AlignLeft)
        self.column.addWidget(self._error)
        self.column.addWidget(self._bar)
        self.column.addLayout(buttons)
        self._error.clear()
        self._speed.hide()
        self._default_mark.hide()
        self.show_storage(entry)
        self._show_rest()

    def show_storage(self, entry: ModelEntry) -> None:
        """The same model, which may take more or less room on the disk than before."""
        self.entry = entry
        has_copy = entry.prepared_bytes > 0
        self._storage.setText(storage_text(entry))
        _told(self._storage, copy_text() if has_copy else "")
        words = translate("app", "Free the copy for this machine ({size})")
        self.free_action.setText(words.format(size=file_size(entry.prepared_bytes)))
        self.free_action.setVisible(has_copy)

    def set_loaded(self, is_loaded: bool) -> None:
        """Whether this is the model that is loaded now."""
        self._is_loaded = is_loaded
        if is_loaded:
            self._error.clear()
        self._show_rest()

    def show_load(self, load: ModelLoadProgress | ModelLoaded | ModelLoadFailed) -> None:
        """Show how loading this model goes."""
        match load:
            case ModelLoaded():
                self.set_loaded(True)
            case ModelLoadFailed():
                self.show_error(load.message)
                self._show_rest()
            case ModelLoadProgress():
                self._error.clear()
                self._bar.setMaximum(load.num_layers)
                self._bar.setValue(load.num_layers_loaded)
                self._show_busy(load_text(load))

    def show_error(self, message: str) -> None:
        """Why something that was asked for could not be done."""
        self._error.show_error(message)

    def forget_error(self) -> None:
        """What could not be done can be done by now."""
        self._error.clear()

    def ask_for_name(self) -> QInputDialog:
        """Opens the question for another name."""
        dialog = QInputDialog(self)
        dialog.setWindowTitle(translate("app", "Rename model"))
        dialog.setLabelText(translate("app", "Name"))
        dialog.setTextValue(self.entry.name)
        dialog.textValueSelected.connect(self._on_named)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()
        return dialog

    def ask_for_folder(self) -> QFileDialog:
        """Opens the question for another folder."""
        title = translate("app", "Move {model} into a folder").format(model=self.entry.name)
        dialog = begin_in(QFileDialog(self, title), Place.HomeLocation)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(lambda folder: self.move_requested.emit(self.entry.model_id, folder))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()
        return dialog

    def set_speed(self, speed: Speed | None) -> None:
        """What was measured of it in use here."""
        self._speed.setText("" if speed is None else speed_text(speed))
        self._speed.setVisible(speed is not None)

    def show_fit(self, fit: Fit) -> None:
        """Whether it would fit beside what runs now; of no use while it is loaded."""
        self.verdict.show_fit(fit)
        self.verdict.setVisible(not self._is_loaded)

    def set_default(self, is_default: bool) -> None:
        """Whether it is loaded at every start."""
        self.default_action.setChecked(is_default)
        self._default_mark.setVisible(is_default)

    def _on_named(self, name: str) -> None:
        if name.strip() and name.strip() != self.entry.name:
            self.rename_requested.emit(self.entry.model_id, name.strip())

    def _make_menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        model_id = self.entry.model_id
        self.rename_action = menu.addAction(translate("app", "Rename…"))
        self.rename_action.triggered.connect(lambda: self.ask_for_name())
        self.default_action = menu.addAction(translate("app", "Load at every start"))
        self.default_action.setCheckable(True)
        self.default_action.triggered.connect(lambda is_on: self.default_requested.emit(model_id, is_on))
        self.verify_action = menu.addAction(translate("app", "Verify its files"))
        self.verify_action.triggered.connect(lambda: self.verify_requested.emit(model_id))
        self.free_action = menu.addAction("")
        self.free_action.setToolTip(copy_text())
        self.free_action.triggered.connect(lambda: self.copy_free_requested.emit(model_id))
        self.move_action = menu.addAction(translate("app", "Move to another folder…"))
        self.move_action.triggered.connect(lambda: self.ask_for_folder())
        return menu

    def text(self) -> str:
        """The line beside the button, as it is shown."""
        return self._text.text()

    def error_text(self) -> str:
        """Why loading failed, empty if it did not."""
        return self._error.text()

    def _show_busy(self, text: str) -> None:
        self._text.setText(text)
        self._bar.show()
        self.button.setEnabled(False)
        self._allow_delete(translate("app", "It is being loaded."))

    def _allow_delete(self, obstacle: str) -> None:
        self.delete_button.setEnabled(not obstacle)
        self.delete_button.setToolTip(obstacle)
        self.move_action.setEnabled(not obstacle)
        # Loaded, the copy is what it computes with.
        self.free_action.setEnabled(not obstacle)

    def _show_rest(self) -> None:
        self._text.setText(translate("app", "Loaded") if self._is_loaded else "")
        self._allow_delete(translate("app", "It is loaded: unload it first.") if self._is_loaded else "")
        self._bar.hide()
        self.verdict.setVisible(not self._is_loaded and bool(self.verdict.line.text()))
        self.planner_button.setVisible(self._is_loaded)
        self.button.setEnabled(True)
        self.button.setText(translate("app", "Unload") if self._is_loaded else translate("app", "Load"))
        self.button.setProperty("kind", None if self._is_loaded else "primary")
        self.button.style().unpolish(self.button)
        self.button.style().polish(self.button)
        if self._is_loaded:
            show_icon(self.button, "close")
        else:
            show_icon(self.button, "play", "on_accent")

    def _on_pressed(self) -> None:
        if self._is_loaded:
            self.unload_requested.emit()
            return
        self._error.clear()
        self._bar.setRange(0, 0)
        self._show_busy(translate("app", "Starting"))
        self.load_requested.emit(self.entry.model_id)


def _told(label: TextLabel, tip: str) -> TextLabel:
    """The label, of which more is told under the mouse and to a screen reader."""
    label.setToolTip(tip)
    label.setAccessibleDescription(tip)
    return label
