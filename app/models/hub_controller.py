"""Owns what the window asks of the hub, and brings the answers to the cards that wait for them.

Does not know the pages' looks. Nothing is asked unless a person did something.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.bridge.engine_client import GONE_CODE, GONE_MESSAGE, EngineClient
from app.i18n import translate
from app.models.hub_card import HubCard
from app.models.hub_search import HubSearch
from app.models.job_controller import JobController
from app.models.token_row import TokenRow
from app.state import options
from app.state.setting import Setting
from app.state.settings import Settings
from engine.api import EngineError, forget_hub_token, hub_address, keep_hub_token
from engine.messages import (
    HubFailed,
    HubJob,
    HubResults,
    InspectRepository,
    ModelChoice,
    ReadHeader,
    RepositoryFacts,
    SearchHub,
    StopReading,
)

HubAnswer = HubResults | RepositoryFacts | HubFailed
KeepToken = Callable[[str, str | None], str]
ForgetToken = Callable[[], bool]


class HubController(QObject):
    """The mirror is that of the settings."""

    chat_requested = Signal()
    """With a model that has come."""
    load_requested = Signal(str)
    """The model id."""

    def __init__(
        self,
        client: EngineClient,
        jobs: JobController,
        search: HubSearch,
        settings: Settings,
        keep_token: KeepToken = keep_hub_token,
        forget_token: ForgetToken = forget_hub_token,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._client = client
        self._jobs = jobs
        self._search = search
        self._settings = settings
        self._keep_token = keep_token
        self._forget_token = forget_token
        self._cards: list[HubCard] = []
        self._loaded: tuple[str | None, str | None] = (None, None)
        self._on_setting_changed(options.HUB_ENDPOINT)
        settings.listen(self._on_setting_changed)
        search.search_requested.connect(self._on_search)
        search.more_requested.connect(
            lambda words, limit: client.send(SearchHub(words, limit, endpoint=self._endpoint()))
        )
        search.card_opened.connect(self.add_card)
        client.hub_answered.connect(self._on_answered)
        client.engine_left.connect(self._on_engine_left)
        jobs.progressed.connect(lambda progress: self._tell(lambda card: card.show_job(progress)))
        jobs.finished.connect(lambda finished: self._tell(lambda card: card.finish_job(finished)))
        jobs.added.connect(lambda record: self._tell(lambda card: card.show_record(record)))
        jobs.removed.connect(self._on_removed)

    def add_card(self, card: HubCard) -> None:
        """Answer for a card from now on."""
        self._cards.append(card)
        card.destroyed.connect(lambda: self._cards.remove(card))
        card.inspect_requested.connect(lambda repo_id: self._inspect(card, repo_id))
        card.header_requested.connect(lambda facts, choice: self._read_header(card, facts, choice))
        card.header_dropped.connect(lambda repo_id: self._client.send(StopReading(repo_id)))
        card.get_requested.connect(self._get)
        card.pause_requested.connect(self._jobs.pause)
        card.cancel_requested.connect(self._jobs.cancel)
        card.load_requested.connect(self.load_requested)
        card.chat_requested.connect(self.chat_requested)
        card.show_loaded(*self._loaded)
        card.token_given.connect(lambda token: self._client.run(self._keep_of(card, token)))

    def answer_token_row(self, row: TokenRow) -> None:
        """Answer for the settings' row for the token from now on."""
        row.token_given.connect(lambda token: self._client.run(self._keep_of_settings(row, token)))
        row.forget_requested.connect(lambda: self._client.run(self._forget(row)))

    def show_loaded(self, loaded_id: str | None, loading_id: str | None) -> None:
        """The models that are loaded and being loaded now, or None."""
        self._loaded = (loaded_id, loading_id)
        self._tell(lambda card: card.show_loaded(loaded_id, loading_id))

    def _endpoint(self) -> str | None:
        return self._settings.get(options.HUB_ENDPOINT) or None

    def _on_setting_changed(self, setting: Setting[Any]) -> None:
        if setting is options.HUB_ENDPOINT:
            self._search.show_address(hub_address(self._endpoint()))

    def _on_search(self, words: str) -> None:
        self._stop_reading()
        self._client.send(SearchHub(words, endpoint=self._endpoint()))

    def _inspect(self, card: HubCard, repo_id: str) -> None:
        self._stop_reading(card)
        self._client.send(InspectRepository(repo_id, endpoint=self._endpoint()))

    def _read_header(self, card: HubCard, facts: RepositoryFacts, choice: ModelChoice) -> None:
        self._stop_reading(card)
        self._client.send(ReadHeader(facts, choice, self._endpoint()))

    def _stop_reading(self, but: HubCard | None = None) -> None:
        """A person looks at one card at a time; what is fetched for the others is of no use."""
        self._tell(lambda card: card.stop_reading() if card is not but else None)

    def _get(self, job_id: str, title: str, job: HubJob) -> None:
        # The mirror belongs to the job: it is resumed from where it was begun.
        self._jobs.start(
            job_id, title, HubJob(job.repo_id, job.revision, job.files, job.quality, job.name, self._endpoint())
        )

    async def _keep_of(self, card: HubCard, token: str) -> None:
        field = card.body.token_form.field
        try:
            await self._keep(token)
        except EngineError as error:
            field.show_error(str(error))
        else:
            field.show_kept()

    async def _keep_of_settings(self, row: TokenRow, token: str) -> None:
        try:
            row.show_kept(await self._keep(token))
        except EngineError as error:
            row.show_error(str(error))

    async def _keep(self, token: str) -> str:
        account = await asyncio.to_thread(self._keep_token, token, self._endpoint())
        # The token may open any repository.
        self._tell(lambda each: each.ask() if each.wants_token else None)
        return account

    async def _forget(self, row: TokenRow) -> None:
        try:
            row.show_forgotten(await asyncio.to_thread(self._forget_token))
        except EngineError as error:
            row.show_error(str(error))

    def _on_engine_left(self) -> None:
        awaited = {card.offer.repo_id for card in self._cards if card.is_waiting}
        for about in (*awaited, *filter(None, [self._search.awaited])):
            self._on_answered(HubFailed(about, GONE_CODE, translate("app", GONE_MESSAGE)))

    def _tell(self, say: Callable[[HubCard], None]) -> None:
        for card in list(self._cards):
            say(card)

    def _on_removed(self, job_id: str) -> None:
        for card in self._cards:
            if card.job_id == job_id:
                card.end_job()

    def _on_answered(self, answer: HubAnswer) -> None:
        match answer:
            case HubResults():
                self._search.show_results(answer)
            case RepositoryFacts():
                self._tell(lambda card: card.show_facts(answer) if card.offer.repo_id == answer.repo_id else None)
            case HubFailed():
                if not self._search.show_failure(answer):
                    self._tell(lambda card: card.show_failure(answer) if card.offer.repo_id == answer.about else None)
