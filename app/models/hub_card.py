"""Owns the card of a model on the hub: what it is, whether it fits, and the ways to look at it closer and to get it.

Knows neither the network nor where the model will lie; it asks by signals and shows what is answered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.i18n import translate
from app.models.fit import fit_of_download
from app.models.fit_verdict import FitLine, fit_in
from app.models.hub_body import HubBody
from app.models.hub_offer import HubOffer, facts_words
from app.models.job_ids import hub_job_id
from app.models.job_store import JobRecord
from app.widgets.card import Card
from app.widgets.icons import show_icon
from app.widgets.text_label import TextLabel
from engine.messages import HubFailed, HubJob, JobFinished, JobProgress, RepositoryFacts

if TYPE_CHECKING:
    from app.models.host import Host

GIVEN_UP_CODE = "cancelled"
"""Of a question that this side has taken back."""


class HubCard(Card):
    """Small until it is opened or its model is wanted; only then the hub is asked for the facts."""

    inspect_requested = Signal(str)
    """The repository's id."""
    header_requested = Signal(object, object)
    """RepositoryFacts, ModelChoice"""
    header_dropped = Signal(str)
    """The repository's id."""
    get_requested = Signal(str, str, object)
    """job id, title, HubJob"""
    pause_requested = Signal(str)
    cancel_requested = Signal(str)
    """The job's id."""
    token_given = Signal(str)
    job_moved = Signal()
    """A job began to be shown here, or is shown no more."""
    load_requested = Signal(str)
    """The model id."""
    chat_requested = Signal()
    """With the model that has come."""

    def __init__(self, offer: HubOffer, host: Host, heading: str | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.offer = offer
        self._host = host
        self._facts: RepositoryFacts | None = None
        self._body: HubBody | None = None
        self._wants_to_get = False
        self._is_asked = False
        self._loaded: tuple[str | None, str | None] = (None, None)
        self.job_id = ""
        self.summary = TextLabel(offer.summary, "muted")
        self.verdict = FitLine()
        self.open_button = QPushButton(translate("app", "Details"))
        self.open_button.setCheckable(True)
        self.open_button.setAccessibleName(translate("app", "Details of {model}").format(model=offer.title))
        self.get_button = QPushButton(translate("app", "Get"))
        self.get_button.setAccessibleName(translate("app", "Get {model}").format(model=offer.title))
        self.get_button.setProperty("kind", "primary")
        show_icon(self.get_button, "download", "on_accent")
        self._build(heading)
        self.open_button.toggled.connect(self._on_opened)
        self.get_button.clicked.connect(self.get)
        if offer.spec is not None:
            fit = fit_in(offer.spec, "balanced", host)
            self.verdict.show_fit(fit_of_download(fit, offer.download_bytes, host.disk_free_bytes))
        self._show_parts()

    @property
    def body(self) -> HubBody:
        """Made when it is first needed, for a page has many cards."""
        if self._body is None:
            self._body = HubBody(self.offer, self._host)
            self.column.addWidget(self._body)
            self._body.strip.start_requested.connect(self.get)
            self._body.strip.pause_requested.connect(lambda: self.pause_requested.emit(self.job_id))
            self._body.strip.cancel_requested.connect(lambda: self.cancel_requested.emit(self.job_id))
            self._body.strip.load_requested.connect(self.load_requested)
            self._body.strip.chat_requested.connect(self.chat_requested)
            self._body.strip.show_loaded(*self._loaded)
            self._body.strip.state_changed.connect(self._show_parts)
            self._body.strip.state_changed.connect(self.job_moved)
            self._body.strip.focus_freed.connect(self._take_focus)
            self._body.header_requested.connect(self.header_requested)
            self._body.token_form.again_requested.connect(self.ask)
            self._body.token_form.token_given.connect(self.token_given)
        return self._body

    @property
    def is_busy(self) -> bool:
        return self._body is not None and self._body.strip.is_busy

    def shows_job(self, job_id: str) -> bool:
        """Whether this job was begun here, and is not done."""
        return self._body is not None and self._body.is_begun and self.job_id == job_id

    @property
    def is_waiting(self) -> bool:
        """For the facts, or for a file's header."""
        return self._is_asked or self._is_reading

    @property
    def wants_token(self) -> bool:
        return self._body is not None and self._body.wants_token

    def show_facts(self, facts: RepositoryFacts) -> None:
        """What the hub says of the repository."""
        is_header, self._is_asked = self._is_reading, False
        self._facts = facts
        self.summary.setText(facts_words(facts))
        self.body.show_facts(facts)
        self._show_parts()
        if self._wants_to_get:
            self._wants_to_get = False
            self.get()
        elif self.open_button.isChecked() and self.body.needs_header and not is_header:
            self._read_header()

    def show_failure(self, failed: HubFailed) -> None:
        """The hub gave no answer; the next press asks again."""
        if failed.code == GIVEN_UP_CODE:
            return
        self._is_asked = False
        self.body.is_reading = False
        if self._wants_to_get:
            self._wants_to_get = False
            self.body.strip.finish(JobFinished(self.job_id, None, failed.code, failed.message))
            self.body.show_token_lack(failed.code)
        else:
            self.body.show_failure(failed)
        self._show_parts()

    def show_record(self, record: JobRecord) -> None:
        """A job of this card that was begun, here or in the list."""
        if record.job_id == self.job_id:
            self.body.strip.restore(record)
            self._show_token_lack(record.code)

    def show_job(self, progress: JobProgress) -> None:
        if progress.job_id == self.job_id:
            self.body.strip.show_progress(progress)

    def finish_job(self, finished: JobFinished) -> None:
        if finished.job_id == self.job_id:
            self.body.strip.finish(finished)
            self._show_token_lack(finished.code)

    def end_job(self) -> None:
        """The job is done, or was given up: it can be begun anew."""
        self.body.strip.end()

    def show_loaded(self, loaded_id: str | None, loading_id: str | None) -> None:
        """The models that are loaded and being loaded now, or None."""
        self._loaded = (loaded_id, loading_id)
        if self._body is not None:
            self._body.strip.show_loaded(loaded_id, loading_id)

    def ask(self) -> None:
        """Ask the hub for the facts, anew if something has changed: a token was kept, or terms were accepted."""
        self._is_asked = True
        self.body.forget_failure()
        self._show_parts()
        self.inspect_requested.emit(self.offer.repo_id)

    def stop_reading(self) -> None:
        """The person is at something else."""
        if self._is_reading:
            self.body.is_reading = False
            self._show_parts()
            self.header_dropped.emit(self.offer.repo_id)

    def get(self) -> None:
        """Begin the download, after the facts are known and nothing speaks against it."""
        body = self.body
        if self._facts is None:
            self._wants_to_get = True
            body.strip.begin()
            if not self._is_asked:
                self.ask()
            return
        choice = body.choice()
        if choice is None or not body.can_get:
            # What is in the way stands in the body.
            self.open_button.setChecked(True)
            body.strip.reset()
            return
        quality = body.quality.quality
        assert quality is not None, "a file on the hub has no choice of its own"
        self.job_id = hub_job_id(self.offer.repo_id, choice.label, quality)
        body.strip.begin()
        title = f"{self.offer.title}, {choice.label}, {body.quality.word()}"
        self.get_requested.emit(
            self.job_id, title, HubJob(self.offer.repo_id, self._facts.commit, choice.paths, quality)
        )

    def _show_token_lack(self, code: str | None) -> None:
        self.body.show_token_lack(code)
        self._show_parts()

    @property
    def _is_reading(self) -> bool:
        return self._body is not None and self._body.is_reading

    def _read_header(self) -> None:
        self.body.read_header()
        self._show_parts()

    def _on_opened(self, is_open: bool) -> None:
        if not is_open:
            self.stop_reading()
        elif self._facts is None and not self._is_asked:
            self.ask()
        elif self._facts is not None and self.body.needs_header and not self.is_busy:
            self._read_header()
        self._show_parts()

    def _take_focus(self) -> None:
        (self.get_button if self.get_button.isVisible() else self.open_button).setFocus()

    def _show_parts(self) -> None:
        had_focus = self.get_button.hasFocus()
        is_open = self.open_button.isChecked()
        is_begun = self._body is not None and self._body.is_begun
        can_get = self._facts is None or self.body.can_get
        self.get_button.setVisible(can_get and not is_begun and (self._facts is not None or not self.offer.is_searched))
        self.verdict.setVisible(self.offer.spec is not None and not is_open)
        if self._body is not None:
            self._body.show_parts(is_open)
            if had_focus and self.get_button.isHidden():
                (self._body.strip.main_button if is_begun else self.open_button).setFocus()

    def _build(self, heading: str | None) -> None:
        head = QHBoxLayout()
        head.addWidget(TextLabel(self.offer.title if heading is None else heading, "heading"), 1)
        if heading is None:
            head.addWidget(self.open_button)
            head.addWidget(self.get_button)
        self.column.addLayout(head)
        if heading is not None:
            self.column.addWidget(TextLabel(self.offer.title))
        if self.offer.note:
            self.column.addWidget(TextLabel(self.offer.note))
        self.column.addWidget(self.summary)
        self.column.addWidget(self.verdict)
        if heading is not None:
            foot = QHBoxLayout()
            foot.addWidget(self.get_button)
            foot.addWidget(self.open_button)
            foot.addStretch(1)
            self.column.addStretch(1)
            self.column.addLayout(foot)
