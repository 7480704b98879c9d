"""Owns what an opened card of the hub shows: the files to choose from, the quality, terms to accept, and the job.

Knows neither the network nor when it is asked; it is given the hub's answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from app.engine_words.recognition import in_window_words
from app.i18n import translate
from app.models.fit import Fit, fit_of_download
from app.models.fit_verdict import fit_in
from app.models.hub_offer import HubOffer, choice_words, usual_choice
from app.models.job_strip import JobState, JobStrip, StartWord
from app.models.quality_choice import QualityChoice
from app.models.token_form import TokenForm, mends
from app.widgets.error_note import ErrorNote
from app.widgets.fields import ChoiceBox
from app.widgets.text_label import TextLabel
from app.widgets.units import file_size
from engine.messages import HubFailed, ModelChoice, RepositoryFacts

if TYPE_CHECKING:
    from app.models.host import Host
    from engine.api import ModelSpec


class HubBody(QWidget):
    """Before the facts are there only the quality can be chosen, if the model's numbers are known.

    Where only the header of a file tells them, that is read once the facts are there, or when `fit_button` is pressed.
    """

    header_requested = Signal(object, object)
    """RepositoryFacts, ModelChoice"""

    def __init__(self, offer: HubOffer, host: Host, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._offer = offer
        self._host = host
        self._is_open = False
        self._facts: RepositoryFacts | None = None
        self._lacks_token = False
        self.is_reading = False
        """A header."""
        self.choices = ChoiceBox()
        self.choices.setAccessibleName(translate("app", "File to download"))
        self.room = TextLabel("", "muted")
        self.quality = QualityChoice()
        self.waiting = TextLabel(translate("app", "Asking the hub for its facts"), "muted")
        self.reading = TextLabel(
            translate("app", "Reading the beginning of the file, to tell whether it fits"), "muted"
        )
        self.fit_button = QPushButton(translate("app", "See whether it fits"))
        self.fit_button.setAccessibleName(translate("app", "See whether {model} fits").format(model=offer.title))
        self.note = ErrorNote()
        self.token_form = TokenForm()
        self.strip = JobStrip(StartWord.GET, offers_load=True)
        self.quality.show_model(offer.spec, host)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        first = (self.waiting, self.note, self.token_form, self.choices, self.room, self.reading)
        self._parts = (*first, self.fit_button, self.quality, self.strip)
        for part in first:
            column.addWidget(part)
        column.addWidget(self.fit_button, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.quality)
        column.addWidget(self.strip)
        self.choices.currentIndexChanged.connect(lambda _: self._on_chosen())
        self.quality.quality_changed.connect(lambda _: self._show_choices())
        self.fit_button.clicked.connect(self.read_header)

    @property
    def is_begun(self) -> bool:
        """There is a job, running or not."""
        return self.strip.state not in (JobState.IDLE, JobState.DONE)

    @property
    def wants_token(self) -> bool:
        """Another access token may open the repository."""
        return self._lacks_token or (self._facts is not None and not self._facts.is_accessible)

    @property
    def can_get(self) -> bool:
        """The facts are there, and nothing speaks against it."""
        return self._facts is not None and self._facts.is_accessible and not _problem(self._facts)

    @property
    def needs_header(self) -> bool:
        """Only the header of the chosen file can tell whether it fits."""
        choice = self.choice()
        return self._facts is not None and choice is not None and self._spec() is None and self.can_get

    def show_facts(self, facts: RepositoryFacts) -> None:
        is_new = self._facts is None or self._facts.choices != facts.choices
        self._facts = facts
        self._lacks_token = False
        self.is_reading = False
        if is_new:
            self._fill_choices(facts.choices)
        self._on_chosen()
        self.note.clear()
        if problem := _problem(facts):
            self.note.show_error(problem)
        if not facts.is_accessible:
            self.token_form.ask_terms(facts.page_url)

    def read_header(self) -> None:
        """Of the chosen file."""
        self.is_reading = True
        self.note.clear()
        self._show_reading()
        self.header_requested.emit(self._facts, self.choice())

    def show_failure(self, failed: HubFailed) -> None:
        self.note.show_error(failed.message, translate("app", "Error: {code}").format(code=failed.code))
        self.show_token_lack(failed.code)

    def show_token_lack(self, code: str | None) -> None:
        """Asks for an access token, if that may mend what the hub refused with this code."""
        self._lacks_token = mends(code)
        if code is not None and self._lacks_token:
            self.token_form.ask_after(code)

    def forget_failure(self) -> None:
        """The hub is asked again."""
        self.note.clear()
        self._lacks_token = False

    def choice(self) -> ModelChoice | None:
        """The files that would be downloaded; None before the hub has told."""
        data = self.choices.currentData()
        return data if isinstance(data, ModelChoice) else None

    def show_parts(self, is_open: bool) -> None:
        """What belongs to the state now; a small card still shows its job and its error."""
        has_facts = self._facts is not None
        self._is_open = is_open
        self.waiting.setVisible(is_open and not has_facts and not self.note.text() and not self.is_begun)
        self.token_form.setVisible(self.wants_token and not self.strip.is_busy)
        self.choices.setVisible(is_open and self.can_get)
        self.room.setVisible(is_open and self.can_get)
        self.quality.setVisible(is_open and (self.can_get or (not has_facts and self._offer.spec is not None)))
        self.strip.setVisible(self.is_begun or self.strip.state is JobState.DONE)
        self._show_reading()
        self.choices.setEnabled(not self.is_begun)
        self.quality.allow_choice(not self.is_begun)
        # With nothing in it, it would still be a gap in its card.
        self.setVisible(any(not part.isHidden() for part in self._parts))

    def _show_reading(self) -> None:
        self.reading.setVisible(self._is_open and self.is_reading)
        self.fit_button.setVisible(self._is_open and self.needs_header and not self.is_reading and not self.is_begun)

    def _spec(self) -> ModelSpec | None:
        """Of the chosen file's model."""
        choice = self.choice()
        known = None if self._facts is None or choice is None else self._facts.spec_of(choice)
        return known or self._offer.spec

    def _fill_choices(self, choices: tuple[ModelChoice, ...]) -> None:
        self.choices.blockSignals(True)
        self.choices.clear()
        for choice in choices:
            self.choices.addItem(choice_words(choice), choice)
        if choices:
            self.choices.setCurrentIndex(usual_choice(choices, self._offer.choice))
        self.choices.blockSignals(False)

    def _on_chosen(self) -> None:
        self.quality.show_model(self._spec(), self._host)
        self._show_choices()
        self._show_room()
        self._show_reading()

    def _show_choices(self) -> None:
        """Each file with its size, and whether what is made of it fits."""
        quality, facts = self.quality.quality, self._facts
        assert quality is not None, "a file on the hub has no choice of its own"
        if facts is None:
            return
        # All quantisations of a model come to the same: one plan is enough.
        fits: dict[ModelSpec, Fit] = {}
        for place, choice in enumerate(facts.choices):
            fit, spec = None, facts.spec_of(choice) or self._offer.spec
            if spec is not None:
                fits[spec] = fits.get(spec) or fit_in(spec, quality, self._host)
                fit = fit_of_download(fits[spec], choice.size_bytes, self._host.disk_free_bytes)
            self.choices.setItemText(place, choice_words(choice, fit))
            self.choices.setItemData(place, "" if fit is None else fit.note, Qt.ItemDataRole.ToolTipRole)

    def _show_room(self) -> None:
        choice = self.choice()
        if choice is not None:
            words = translate("app", "{size} to download, {free} free on the disk; the file goes once it is converted")
            self.room.setText(
                words.format(size=file_size(choice.size_bytes), free=file_size(self._host.disk_free_bytes))
            )


def _problem(facts: RepositoryFacts) -> str:
    """Why the repository cannot be had, empty if it can."""
    if facts.refusal is not None:
        return translate("app", "It cannot run here: {reason}").format(reason=in_window_words(facts.refusal))
    if not facts.choices:
        return translate(
            "app",
            "It has neither a whole GGUF nor safetensors with config.json and a tokenizer: choose another repository, "
            "GGUF ones often have it in their name",
        )
    return ""
