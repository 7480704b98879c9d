"""Owns what an opened card of the hub shows: the files to choose from, the quality, terms to accept, and the job.

Knows neither the network nor when it is asked; it is given the hub's answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.engine_words.recognition import in_window_words
from app.i18n import translate
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


class HubBody(QWidget):
    """Before the facts are there only the quality can be chosen, if the model's numbers are known."""

    def __init__(self, offer: HubOffer, host: Host, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._offer = offer
        self._host = host
        self._facts: RepositoryFacts | None = None
        self._lacks_token = False
        self.choices = ChoiceBox()
        self.choices.setAccessibleName(translate("app", "File to download"))
        self.room = TextLabel("", "muted")
        self.quality = QualityChoice()
        self.waiting = TextLabel(translate("app", "Asking the hub for its facts"), "muted")
        self.note = ErrorNote()
        self.token_form = TokenForm()
        self.strip = JobStrip(StartWord.GET, offers_load=True)
        self.quality.show_model(offer.spec, host)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        for part in (self.waiting, self.note, self.token_form, self.choices, self.room, self.quality, self.strip):
            column.addWidget(part)
        self.choices.currentIndexChanged.connect(lambda _: self._show_room())

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

    def show_facts(self, facts: RepositoryFacts) -> None:
        self._facts = facts
        self._lacks_token = False
        self.choices.clear()
        for choice in facts.choices:
            self.choices.addItem(choice_words(choice), choice)
        if facts.choices:
            self.choices.setCurrentIndex(usual_choice(facts.choices, self._offer.choice))
        self.quality.show_model(facts.spec or self._offer.spec, self._host)
        self.note.clear()
        if problem := _problem(facts):
            self.note.show_error(problem)
        if not facts.is_accessible:
            self.token_form.ask_terms(facts.page_url)
        self._show_room()

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
        self.waiting.setVisible(is_open and not has_facts and not self.note.text() and not self.is_begun)
        self.token_form.setVisible(self.wants_token and not self.strip.is_busy)
        self.choices.setVisible(is_open and self.can_get)
        self.room.setVisible(is_open and self.can_get)
        self.quality.setVisible(is_open and (self.can_get or (not has_facts and self._offer.spec is not None)))
        self.strip.setVisible(self.is_begun or self.strip.state is JobState.DONE)
        for part in (self.choices, self.quality):
            part.setEnabled(not self.is_begun)

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
