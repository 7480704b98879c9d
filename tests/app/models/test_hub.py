"""Finding a model on the hub and getting it, with an engine that is fed by hand."""

from __future__ import annotations

import dataclasses

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.main_window import MainWindow
from app.models.hub_card import HubCard
from app.models.hub_link import repository_in
from app.state import options
from engine.api import EngineError
from engine.messages import (
    CancelJob,
    HubFailed,
    HubJob,
    HubResults,
    InspectRepository,
    JobFinished,
    JobProgress,
    SearchHub,
    StartJob,
)
from tests.app.fake_engine import FakeEngine, FakeEngines
from tests.app.windows import OpenWindow, wait_until_started

from .hub_driver import FACTS, FOUND, JOB_ID, REPO, press, search, sent, show


def test_nothing_is_asked_before_a_person_asks(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    window.show_models()
    press(qtbot, window.model_page.sections.button(1))
    qtbot.keyClicks(window.model_page.get.search.field, "tiny")
    assert "asks https://huggingface.co" in window.model_page.get.search.note.text()
    assert len(window.model_page.get.hub_cards) > 5
    assert not sent(engine, SearchHub)
    assert not sent(engine, InspectRepository)


def test_enter_searches_and_shows_what_was_found(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    search(qtbot, window)
    assert sent(engine, SearchHub) == [SearchHub("tiny")]
    found = window.model_page.get.search
    assert not found.button.isEnabled()
    engine.emit(HubResults("older words", (FOUND, FOUND)), HubResults("tiny", (FOUND,)))
    qtbot.waitUntil(lambda: len(found.rows) == 1)
    summary = found.rows[0].offer.summary
    assert summary.startswith("gguf · licence mit · 12,345 download")
    assert summary.endswith(" · of 2025-01-31")
    assert found.button.isEnabled()


def test_what_was_asked_of_an_engine_that_is_restarted_can_be_asked_again(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, card: HubCard
) -> None:
    search(qtbot, window, "other")
    others = window.model_page.get.others
    others.button.click()
    window.model_page.offer_file("some.gguf")
    window.restart_engine()
    found = window.model_page.get.search
    qtbot.waitUntil(found.button.isEnabled)
    assert found.error.isVisibleTo(found)
    assert not others.is_waiting
    assert window.model_page.import_card.awaited is None


@pytest.mark.parametrize(
    "words",
    [
        REPO,
        f"https://huggingface.co/{REPO}",
        f"https://hub.example:8443/{REPO}/tree/main?x=1",
        f"hf.example/{REPO}/",
    ],
)
def test_a_pasted_address_opens_that_repository_without_a_search(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, words: str
) -> None:
    search(qtbot, window, words)
    (card,) = window.model_page.get.search.cards()
    assert (card.offer.repo_id, card.open_button.isChecked()) == (REPO, True)
    assert sent(engine, InspectRepository) == [InspectRepository(REPO)]
    assert not sent(engine, SearchHub)
    show(qtbot, engine, card)
    assert card.get_button.isVisible()


@pytest.mark.parametrize("words", ["qwen 3b", "qwen", "https://hub.example/datasets/maker/texts", "a/b/c", "/models/q"])
def test_other_words_are_no_repository(words: str) -> None:
    assert repository_in(words) is None


def test_of_many_models_the_first_are_shown_and_more_on_demand(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    found = window.model_page.get.search
    models = tuple(dataclasses.replace(FOUND, repo_id=f"maker/tiny-{number}") for number in range(40))
    search(qtbot, window)
    engine.emit(HubResults("tiny", models[:30]))
    qtbot.waitUntil(lambda: found.note.text() == "The first 30 models, the most downloaded first")
    press(qtbot, found.more_button)
    assert sent(engine, SearchHub)[-1] == SearchHub("tiny", 100)
    engine.emit(HubResults("tiny", models))
    qtbot.waitUntil(lambda: found.note.text() == "40 models found, the most downloaded first")
    assert [row.offer.repo_id for row in found.rows] == [model.repo_id for model in models]
    assert not found.more_button.isVisible()


def test_a_search_that_fails_says_why(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    search(qtbot, window)
    engine.emit(HubFailed("tiny", "offline", "The hub cannot be reached: check the internet connection"))
    found = window.model_page.get.search
    qtbot.waitUntil(lambda: found.error.text() == "The hub cannot be reached: check the internet connection")
    assert found.note.isHidden()
    search(qtbot, window)
    assert found.error.text() == ""
    assert not found.note.isHidden()


def test_a_mirror_is_named_and_asked(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    window.change_setting(options.HUB_ENDPOINT, "https://mirror.example/")
    assert "asks https://mirror.example." in window.model_page.get.search.note.text()
    search(qtbot, window)
    assert sent(engine, SearchHub) == [SearchHub("tiny", endpoint="https://mirror.example/")]


def test_before_a_download_size_licence_and_fit_are_told(qtbot: QtBot, engine: FakeEngine, card: HubCard) -> None:
    assert sent(engine, InspectRepository) == [InspectRepository(REPO)]
    assert card.body.waiting.isVisible()
    show(qtbot, engine, card)
    assert card.summary.text() == "licence mit · llama"
    assert card.body.choices.currentText().startswith("Q4_0, 90 MB: fits, with ")
    assert card.body.room.text().startswith("90 MB to download, ")
    assert card.body.quality.verdict.line.text().startswith("Fits, with ")
    assert "weights" in card.body.quality.verdict.bar.text()
    assert not card.body.waiting.isVisible()
    card.open_button.click()
    assert not card.body.isVisible(), "nothing is left in it, so it is no gap either"


def test_the_quality_moves_the_bar(qtbot: QtBot, engine: FakeEngine, card: HubCard) -> None:
    show(qtbot, engine, card)
    quality = card.body.quality
    before = quality.verdict.bar.text()
    quality.buttons["faithful"].click()
    assert quality.verdict.bar.text() != before
    press(qtbot, card.get_button)
    (start,) = sent(engine, StartJob)
    assert start.job == HubJob(REPO, "c" * 40, ("tiny-Q4_0.gguf",), "faithful")


def test_get_starts_a_job_of_which_the_card_tells_and_elsewhere_the_list(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, card: HubCard
) -> None:
    show(qtbot, engine, card)
    press(qtbot, card.get_button)
    assert sent(engine, StartJob) == [StartJob(JOB_ID, HubJob(REPO, "c" * 40, ("tiny-Q4_0.gguf",), "balanced"))]
    engine.emit(JobProgress(JOB_ID, "download", 45_000_000, 90_000_000))
    page = window.model_page
    row = page.jobs.rows[JOB_ID]
    qtbot.waitUntil(lambda: card.body.strip.text() == row.strip.text() == "Download 45 of 90 MB")
    assert not row.strip.isVisible(), "two that count would seem to be two downloads"
    press(qtbot, row.show_button)
    assert card.body.strip.main_button.hasFocus()
    press(qtbot, page.sections.button(0))
    assert not row.show_button.isVisible()
    press(qtbot, row.strip.main_button)
    assert sent(engine, CancelJob) == [CancelJob(JOB_ID)]
    press(qtbot, page.sections.button(1))
    engine.emit(JobFinished(JOB_ID, None, "cancelled"))
    qtbot.waitUntil(lambda: card.body.strip.main_button.text() == "Resume")
    press(qtbot, card.body.strip.main_button)
    qtbot.waitUntil(lambda: len(sent(engine, StartJob)) == 2)
    assert row.strip.main_button.text() == "Pause"
    engine.emit(JobFinished(JOB_ID, "tiny-q4-0"))
    qtbot.waitUntil(lambda: not window.model_page.jobs.rows)
    assert card.body.strip.text() == "Ready"


def test_a_paused_job_whose_card_went_with_its_search_stands_in_the_list(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, card: HubCard
) -> None:
    show(qtbot, engine, card)
    press(qtbot, card.get_button)
    row = window.model_page.jobs.rows[JOB_ID]
    assert not row.strip.isVisible()
    engine.emit(JobFinished(JOB_ID, None, "cancelled"))
    qtbot.waitUntil(lambda: not card.is_busy)
    search(qtbot, window, "other")
    assert row.strip.main_button.isVisible()


def test_get_on_a_card_of_the_catalogue_asks_first_and_then_begins(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    window.show_models()
    window.model_page.show_get()
    card = window.model_page.get.hub_cards[0]
    press(qtbot, card.get_button)
    assert sent(engine, InspectRepository) == [InspectRepository(card.offer.repo_id)]
    assert not sent(engine, StartJob)
    engine.emit(dataclasses.replace(FACTS, repo_id=card.offer.repo_id))
    qtbot.waitUntil(lambda: len(sent(engine, StartJob)) == 1)
    # Its usual quantisation is chosen by itself.
    assert sent(engine, StartJob)[0].job.files == ("tiny-Q8_0.gguf",)


def test_a_get_that_the_hub_refuses_can_be_tried_again(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    window.show_models()
    window.model_page.show_get()
    card = window.model_page.get.hub_cards[0]
    press(qtbot, card.get_button)
    engine.emit(HubFailed(card.offer.repo_id, "offline", "No way to the hub: look at the cable"))
    qtbot.waitUntil(lambda: card.body.strip.error_text() == "No way to the hub: look at the cable")
    press(qtbot, card.body.strip.main_button)
    assert len(sent(engine, InspectRepository)) == 2


def test_what_cannot_run_is_refused_with_the_reason(qtbot: QtBot, engine: FakeEngine, card: HubCard) -> None:
    show(qtbot, engine, card, dataclasses.replace(FACTS, refusal="The architecture 'Odd' is not supported"))
    assert card.body.note.text() == "It cannot run here: The architecture 'Odd' is not supported"
    assert not card.get_button.isVisible()


def test_a_gated_model_asks_for_a_token_in_its_card(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, card: HubCard
) -> None:
    kept: list[str] = []

    def keep(token: str, endpoint: str | None) -> str:
        if token == "wrong":
            raise EngineError("The hub refuses your access token: make a new one")
        kept.append(token)
        return "somebody"

    window.models.hub._keep_token = keep
    show(qtbot, engine, card, dataclasses.replace(FACTS, gate="manual", is_accessible=False))
    form = card.body.token_form
    assert form.isVisible()
    assert not card.get_button.isVisible()
    for token in ("wrong", "right"):
        form.field.line.clear()
        qtbot.keyClicks(form.field.line, token)
        press(qtbot, form.field.save_button)
        qtbot.waitUntil(form.field.save_button.isEnabled)
        assert (form.field.error.text() != "") == (token == "wrong")
    assert kept == ["right"]
    assert form.field.line.text() == ""
    assert len(sent(engine, InspectRepository)) == 2
    show(qtbot, engine, card, dataclasses.replace(FACTS, gate="manual"))
    assert not form.isVisible()
    assert card.get_button.isVisible()


@pytest.mark.parametrize(
    ("code", "said", "told", "note"),
    [
        (
            "token",
            "The hub refuses your access token: make a new one, then `hub login`",
            "The hub refuses your access token: make a new one on the hub's site and keep it, here or in Settings",
            "A new access token takes the place",
        ),
        (
            "repository",
            f"The hub shows no repository {REPO}: check the name, or it is private: then log in with `hub login`",
            f"The hub shows no repository {REPO}: check the name, or it is private: then keep your access token, here "
            "or in Settings",
            "If it is private",
        ),
    ],
)
def test_where_another_token_may_help_the_card_takes_it_and_asks_again(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, card: HubCard, code: str, said: str, told: str, note: str
) -> None:
    window.models.hub._keep_token = lambda token, endpoint: "somebody"
    engine.emit(HubFailed(REPO, code, said))
    qtbot.waitUntil(lambda: card.body.note.text() == told)
    form = card.body.token_form
    assert form.isVisible()
    assert form.note.text().startswith(note)
    assert not form.page_button.isVisible()
    qtbot.keyClicks(form.field.line, "hf_new")
    press(qtbot, form.field.save_button)
    qtbot.waitUntil(lambda: len(sent(engine, InspectRepository)) == 2)
    assert card.body.note.text() == ""
    show(qtbot, engine, card)
    assert not form.isVisible()


def test_a_job_that_the_hub_refuses_asks_for_a_token_in_its_card(
    qtbot: QtBot, engine: FakeEngine, card: HubCard
) -> None:
    show(qtbot, engine, card)
    press(qtbot, card.get_button)
    engine.emit(JobFinished(JOB_ID, None, "gated", "It wants its terms accepted first"))
    qtbot.waitUntil(card.body.token_form.isVisible)
    press(qtbot, card.body.strip.main_button)
    qtbot.waitUntil(lambda: not card.body.token_form.isVisible())


def test_an_offline_hub_asks_for_no_token(qtbot: QtBot, engine: FakeEngine, card: HubCard) -> None:
    engine.emit(HubFailed(REPO, "offline", "No way to the hub"))
    qtbot.waitUntil(lambda: card.body.note.text() == "No way to the hub")
    assert not card.body.token_form.isVisible()


def test_the_token_is_kept_and_forgotten_in_the_settings(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = [True, False]
    monkeypatch.setattr(window.models.hub, "_keep_token", lambda token, endpoint: "somebody")
    monkeypatch.setattr(window.models.hub, "_forget_token", lambda: there.pop(0))
    window.show_settings()
    row = window.settings_page.token_row
    qtbot.keyClicks(row.field.line, "hf_new")
    qtbot.keyClick(row.field.line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: row.note_label.text() == "Kept: the hub knows you as somebody.")
    assert row.field.line.text() == ""
    for words in ("Forgotten.", "There was none"):
        # One may be kept elsewhere meanwhile: whoever comes back is let ask again.
        window.show_chats()
        window.show_settings()
        press(qtbot, row.forget_button)
        qtbot.waitUntil(lambda words=words: row.note_label.text().startswith(words))
        assert not row.forget_button.isEnabled()


def test_a_job_is_still_there_at_the_next_start_and_goes_on(
    qtbot: QtBot, window: MainWindow, engines: FakeEngines, open_window: OpenWindow
) -> None:
    job = HubJob(REPO, "c" * 40, ("tiny-Q4_0.gguf",))
    window.models.jobs.start(JOB_ID, "Tiny, Q4_0, Balanced", job)
    engines.newest.emit(JobProgress(JOB_ID, "download", 45_000_000, 90_000_000))
    engines.newest.emit(JobFinished(JOB_ID, None, "cancelled"))
    qtbot.waitUntil(lambda: window.models.jobs.records()[0].standing == "paused")
    window.close()
    again = open_window()
    wait_until_started(qtbot, engines)
    again.show_models()
    strip = again.model_page.jobs.rows[JOB_ID].strip
    assert strip.text() == "Paused · Download 45 of 90 MB"
    assert not sent(engines.newest, StartJob)
    press(qtbot, strip.main_button)
    assert sent(engines.newest, StartJob) == [StartJob(JOB_ID, job)]
