"""Owns the card through which a model file on this computer comes into the library.

Knows only the file's name; what is in it is asked for and told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, count
from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QFileDialog, QFormLayout, QHBoxLayout, QLineEdit, QPushButton, QWidget

from app.i18n import translate
from app.models.job_ids import convert_job_id, converted_path
from app.models.job_strip import JobState, JobStrip, StartWord
from app.models.quality_choice import QualityChoice
from app.models.window_drop import SUFFIXES, model_path
from app.widgets.card import Card
from app.widgets.elided_label import ElidedLabel
from app.widgets.file_dialog import Place, begin_in
from app.widgets.focus import holds_focus
from app.widgets.icons import show_icon
from app.widgets.text_label import TextLabel
from engine.messages import JobFinished, JobProgress, SourceFacts

if TYPE_CHECKING:
    from app.models.host import Host
    from engine.api import ModelEntry

_NOT_CONVERTIBLE = "source"
_MAX_NAME_CHARACTERS = 100


class ImportCard(Card):
    """Takes one file at a time, dropped or chosen; asks for a name and a quality, and shows its conversion."""

    inspect_requested = Signal(str)
    """The path of a file or folder."""
    convert_requested = Signal(str, object, str)
    """The path of a file or folder, a quality or None, and the model's name, empty for that of the file."""
    resume_requested = Signal(str)
    """The job id, of a conversion that was asked for elsewhere."""
    pause_requested = Signal(str)
    cancel_requested = Signal(str)
    """The job id."""
    load_requested = Signal(str)
    """The model id."""
    chat_requested = Signal()
    """With the model that has come."""
    grown = Signal()
    """It asks about a file, or tells more of it or of its conversion: there is more of the card to see."""

    def __init__(self, read_host: Callable[[], Host], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._read_host = read_host
        self._path: str | None = None
        self._is_taken_over = False
        """The conversion was asked for elsewhere, or in an earlier start: the card knows neither quality nor name."""
        self._dialog: QFileDialog | None = None
        self._file_name = ElidedLabel()
        self.strip = JobStrip(StartWord.CONVERT, offers_load=True)
        self.choose_button = QPushButton(translate("app", "Choose…"))
        show_icon(self.choose_button, "folder")
        self.choose_button.clicked.connect(self._on_choose_pressed)
        buttons = QHBoxLayout()
        self.quality = QualityChoice(has_own=True)
        self._models: Sequence[ModelEntry] = ()
        self._known = TextLabel("", "muted")
        self.name_field = QLineEdit(maxLength=_MAX_NAME_CHARACTERS)
        self._name_row = QWidget()
        form = QFormLayout(self._name_row)
        form.setContentsMargins(0, 0, 0, 0)
        form.addRow(translate("app", "Name"), self.name_field)
        self.folder_button = QPushButton(translate("app", "Choose a folder…"))
        show_icon(self.folder_button, "folder")
        self.folder_button.clicked.connect(self._on_folder_pressed)
        buttons.addWidget(self.choose_button)
        buttons.addWidget(self.folder_button)
        buttons.addStretch(1)
        self.column.addWidget(TextLabel(translate("app", "I have a model"), "heading"))
        self.column.addWidget(
            TextLabel(
                translate(
                    "app",
                    "A GGUF file, or a folder with safetensors (also GPTQ and AWQ): drop it anywhere on the window, or "
                    "choose it.",
                )
            )
        )
        promise = translate("app", "It is converted into the library once; the files themselves stay as they are.")
        self.column.addWidget(TextLabel(promise, "muted"))
        self.column.addWidget(self._file_name)
        self.column.addWidget(self._name_row)
        self.column.addWidget(self.quality)
        self.column.addWidget(self._known)
        self.column.addStretch(1)
        self.column.addWidget(self.strip)
        self.column.addLayout(buttons)
        self.strip.start_requested.connect(self._ask_for_conversion)
        self.strip.pause_requested.connect(self._ask_for_pause)
        self.strip.cancel_requested.connect(self._ask_for_cancel)
        self.strip.load_requested.connect(self.load_requested)
        self.strip.chat_requested.connect(self.chat_requested)
        self.strip.state_changed.connect(self._on_state_changed)
        self.setAcceptDrops(True)
        self._show_file(None)

    def offer(self, path: str) -> None:
        """Asks how a file is to be converted, as if it had been dropped."""
        self.strip.reset()
        self._show_file(path)
        self._offer_another(False)
        self.quality.expect(True)
        self.strip.main_button.setFocus()
        self.inspect_requested.emit(path)
        self.grown.emit()

    def show_facts(self, facts: SourceFacts) -> None:
        """What the file that is offered would become."""
        if self._is_offered and facts.path == self._path:
            self._show_known(facts)
            if not self.name_field.isModified():
                self.name_field.setText(self._free_name(facts.name))
            self.quality.show_model(facts.spec, self._read_host(), dict(facts.weights_bytes))
            self.grown.emit()

    def set_models(self, models: Sequence[ModelEntry]) -> None:
        """Those of the library."""
        self._models = models

    def _show_known(self, facts: SourceFacts) -> None:
        """Whether the library has this model already."""
        source = PurePath(facts.path).name
        name = next((one.name for one in self._models if one.source == source and one.spec == facts.spec), None)
        words = translate("app", "It is in the library already, as {model}: converting it makes one more.")
        self._known.setText("" if name is None else words.format(model=name))
        self._known.setVisible(name is not None)

    def _free_name(self, name: str) -> str:
        """The name, with a number behind it if the library has it already."""
        taken = {one.name.casefold() for one in self._models}
        names = chain((name,), (f"{name} {number}" for number in count(2)))
        return next(one for one in names if one.casefold() not in taken)

    def show_refusal(self, path: str, code: str, message: str) -> None:
        """Why the file that is offered cannot be converted."""
        if self._is_offered and path == self._path:
            self.finish_job(JobFinished(convert_job_id(path), None, code, message))
            self.grown.emit()

    @property
    def awaited(self) -> str | None:
        """The path of the file that is being read."""
        return self._path if self.quality.is_expecting else None

    @property
    def job_id(self) -> str | None:
        """Of the conversion that it shows; None while it shows none."""
        return None if self._path is None or self.strip.state is JobState.IDLE else convert_job_id(self._path)

    @property
    def _is_offered(self) -> bool:
        """A file was given, and its conversion has not been asked for."""
        return self._path is not None and self.strip.state is JobState.IDLE

    def show_job(self, progress: JobProgress) -> None:
        """Show a conversion's progress, also of one that was started elsewhere."""
        path = converted_path(progress.job_id)
        if path is None or (path != self._path and (self.strip.is_busy or self._is_offered)):
            return
        if path != self._path:
            self._show_file(path)
            self._is_taken_over = True
            self._show_choices(False)
        self.strip.show_progress(progress)

    def finish_job(self, finished: JobFinished) -> None:
        if self._path is not None and finished.job_id == convert_job_id(self._path):
            self.strip.finish(finished)
            self._offer_another(finished.code == _NOT_CONVERTIBLE)
            self._show_choices(finished.code != _NOT_CONVERTIBLE and not self._is_taken_over)

    def end_job(self, job_id: str) -> None:
        """The conversion is done, or was given up."""
        if self._path is not None and job_id == convert_job_id(self._path):
            self.strip.end()
            if self.strip.state is JobState.IDLE:
                had_focus = holds_focus(self.strip)
                self._show_file(None)
                if had_focus:
                    self.choose_button.setFocus()

    def _offer_another(self, is_needed: bool) -> None:
        """Another file is the next step where this one can never be converted."""
        self.strip.main_button.setVisible(self.strip.main_button.isVisibleTo(self.strip) and not is_needed)
        self.choose_button.setText(translate("app", "Choose another…") if is_needed else translate("app", "Choose…"))
        self.choose_button.setProperty("kind", "primary" if is_needed else None)
        self.choose_button.style().unpolish(self.choose_button)
        self.choose_button.style().polish(self.choose_button)
        show_icon(self.choose_button, "folder", "on_accent" if is_needed else "text")

    def _show_file(self, path: str | None) -> None:
        self._path = path
        self._is_taken_over = False
        self._file_name.setText("" if path is None else PurePath(path).name)
        self._file_name.setVisible(path is not None)
        self.strip.setVisible(path is not None)
        self._known.hide()
        self.name_field.clear()
        self._show_choices(path is not None)
        self.quality.clear()

    def _show_choices(self, is_shown: bool) -> None:
        self._name_row.setVisible(is_shown)
        self.quality.setVisible(is_shown)

    def _ask_for_conversion(self) -> None:
        if self._path is not None and self._is_taken_over:
            self.resume_requested.emit(convert_job_id(self._path))
        elif self._path is not None:
            self.convert_requested.emit(self._path, self.quality.quality, self.name_field.text().strip())

    def _ask_for_pause(self) -> None:
        if self._path is not None:
            self.pause_requested.emit(convert_job_id(self._path))

    def _ask_for_cancel(self) -> None:
        if self._path is not None:
            self.cancel_requested.emit(convert_job_id(self._path))

    def _on_state_changed(self) -> None:
        self.choose_button.setDisabled(self.strip.is_busy)
        self.folder_button.setDisabled(self.strip.is_busy)
        self.quality.allow_choice(self.strip.state is JobState.IDLE)
        # A name can be why it failed.
        self.name_field.setEnabled(self.strip.state in (JobState.IDLE, JobState.FAILED))
        if self.strip.state is not JobState.IDLE and self.quality.is_expecting:
            self.quality.expect(False)
        self.setAcceptDrops(not self.strip.is_busy)
        if not self.visibleRegion().isEmpty():
            # Whoever looks elsewhere meanwhile is left there.
            self.grown.emit()

    def _on_choose_pressed(self) -> None:
        files = " ".join(f"*{suffix}" for suffix in SUFFIXES)
        words = translate("app", "Models ({files})").format(files=files)
        self._ask(QFileDialog(self, translate("app", "Choose a model"), "", words), QFileDialog.FileMode.ExistingFile)

    def _on_folder_pressed(self) -> None:
        dialog = QFileDialog(self, translate("app", "Choose a model's folder"))
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        self._ask(dialog, QFileDialog.FileMode.Directory)

    def _ask(self, dialog: QFileDialog, mode: QFileDialog.FileMode) -> None:
        # open(), not exec(): a nested loop would lose tasks that wake meanwhile.
        begin_in(dialog, Place.DownloadLocation)
        dialog.setFileMode(mode)
        dialog.fileSelected.connect(self.offer)
        dialog.finished.connect(dialog.deleteLater)
        # Qt gives the focus back to where it was before; the reaction comes after that.
        dialog.finished.connect(lambda _: QTimer.singleShot(0, self, self._focus_button))
        self._dialog = dialog
        dialog.open()

    def _focus_button(self) -> None:
        (self.choose_button if self.choose_button.isEnabled() else self.strip.main_button).setFocus()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if model_path(event.mimeData()) is not None:
            event.acceptProposedAction()
            self._mark_dropping(True)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._mark_dropping(False)

    def dropEvent(self, event: QDropEvent) -> None:
        self._mark_dropping(False)
        path = model_path(event.mimeData())
        if path is not None:
            event.acceptProposedAction()
            self.offer(path)

    def _mark_dropping(self, is_dropping: bool) -> None:
        self.setProperty("dropping", is_dropping)
        # A property of the stylesheet is looked at again only when polished anew.
        self.style().unpolish(self)
        self.style().polish(self)
