"""What a card tells of a repository's files from the header of one of them."""

from __future__ import annotations

import dataclasses

from pytestqt.qtbot import QtBot

from app.main_window import MainWindow
from app.models.hub_card import HubCard
from engine.messages import (
    HubFailed,
    ModelChoice,
    ReadHeader,
    StopReading,
)
from tests.app.fake_engine import FakeEngine

from .hub_driver import FACTS, REPO, UNTOLD, press, search, sent, show


def test_only_an_opened_card_reads_a_header_and_shows_the_verdict_of_each_file(
    qtbot: QtBot, engine: FakeEngine, card: HubCard
) -> None:
    assert not sent(engine, ReadHeader)
    show(qtbot, engine, card, UNTOLD)
    body = card.body
    assert sent(engine, ReadHeader) == [ReadHeader(UNTOLD, UNTOLD.choices[0])]
    assert body.reading.isVisible()
    assert body.choices.currentText() == "Q4_0, 90 MB"
    assert card.get_button.isVisible()
    body.choices.setCurrentIndex(1)
    body.quality.buttons["faithful"].click()
    show(qtbot, engine, card)
    assert not body.reading.isVisible()
    assert not body.fit_button.isVisible()
    assert [body.choices.itemText(place).partition(": ")[0] for place in (0, 1)] == ["Q4_0, 90 MB", "Q8_0, 150 MB"]
    assert all(": fits, with " in body.choices.itemText(place) for place in (0, 1))
    # What was chosen meanwhile stays.
    assert body.choices.currentIndex() == 1
    assert body.quality.quality == "faithful"
    assert body.quality.verdict.line.text().startswith("Fits, with ")
    assert len(sent(engine, ReadHeader)) == 1


def test_a_file_larger_than_the_disk_is_told_apart(qtbot: QtBot, engine: FakeEngine, card: HubCard) -> None:
    huge = dataclasses.replace(FACTS.choices[1], size_bytes=1 << 60)
    show(qtbot, engine, card, dataclasses.replace(FACTS, choices=(FACTS.choices[0], huge)))
    assert ": fits, with " in card.body.choices.itemText(0)
    assert card.body.choices.itemText(1).endswith(": does not fit on the disk")


def test_a_header_is_given_up_for_another_result_and_can_be_asked_again(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, card: HubCard
) -> None:
    show(qtbot, engine, card, UNTOLD)
    found = window.model_page.get.search
    card.open_button.click()
    assert sent(engine, StopReading) == [StopReading(REPO)]
    engine.emit(HubFailed(REPO, "cancelled", "Cancelled"))
    card.open_button.click()
    assert len(sent(engine, ReadHeader)) == 2
    # The page of offers is beside the search: opening one of its cards is going on.
    window.model_page.get.hub_cards[0].open_button.click()
    assert len(sent(engine, StopReading)) == 2
    assert not card.body.reading.isVisible()
    press(qtbot, card.body.fit_button)
    assert len(sent(engine, ReadHeader)) == 3
    assert card.body.reading.isVisible()
    search(qtbot, window, "other")
    assert len(sent(engine, StopReading)) == 3
    assert not found.rows


def test_a_header_that_cannot_be_read_says_why_and_the_model_can_be_had(
    qtbot: QtBot, engine: FakeEngine, card: HubCard
) -> None:
    show(qtbot, engine, card, UNTOLD)
    engine.emit(HubFailed(REPO, "offline", "The connection to the hub broke off (reset)"))
    qtbot.waitUntil(lambda: card.body.note.text() == "The connection to the hub broke off (reset)")
    assert not card.body.reading.isVisible()
    assert card.body.fit_button.isVisible()
    assert card.get_button.isVisible()
    press(qtbot, card.body.fit_button)
    assert card.body.note.text() == ""
    assert len(sent(engine, ReadHeader)) == 2


def test_another_model_of_the_repository_is_asked_for_by_itself(
    qtbot: QtBot, engine: FakeEngine, card: HubCard
) -> None:
    large = ModelChoice("big-Q4_0", "gguf", ("big-Q4_0.gguf",), 900_000_000, "big")
    facts = dataclasses.replace(FACTS, choices=(FACTS.choices[0], large), spec_model="")
    show(qtbot, engine, card, facts)
    assert not sent(engine, ReadHeader)
    assert card.body.choices.itemText(1) == "big-Q4_0, 900 MB"
    card.body.choices.setCurrentIndex(1)
    assert not card.body.quality.verdict.isVisible()
    press(qtbot, card.body.fit_button)
    assert sent(engine, ReadHeader) == [ReadHeader(facts, large)]


def test_what_the_header_refuses_is_told(qtbot: QtBot, engine: FakeEngine, card: HubCard) -> None:
    show(qtbot, engine, card, UNTOLD)
    show(qtbot, engine, card, dataclasses.replace(UNTOLD, refusal="tiny-Q4_0.gguf is damaged, x: get the file again"))
    assert card.body.note.text().startswith("It cannot run here: tiny-Q4_0.gguf is damaged")
    assert not card.body.fit_button.isVisible()
    assert not card.body.reading.isVisible()
    assert not card.get_button.isVisible()
