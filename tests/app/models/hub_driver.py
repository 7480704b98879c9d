"""What the tests of the hub in the window share: a repository with its facts, and what a person does there."""

from __future__ import annotations

import dataclasses

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton
from pytestqt.qtbot import QtBot

from app.main_window import MainWindow
from app.models.hub_card import HubCard
from engine.messages import (
    HubModel,
    ModelChoice,
    RepositoryFacts,
    RepositoryFile,
)
from tests.app.fake_engine import FakeEngine

from .entries import SPEC

REPO = "maker/tiny-GGUF"
FOUND = HubModel(REPO, 12345, 7, None, "mit", "2025-01-31", ("gguf",))
FACTS = RepositoryFacts(
    REPO,
    "c" * 40,
    "https://hub.example/maker/tiny-GGUF",
    "mit",
    None,
    True,
    (),
    "llama",
    135_000_000,
    (RepositoryFile("tiny-Q4_0.gguf", 90_000_000, "0" * 64, None),),
    (
        ModelChoice("Q4_0", "gguf", ("tiny-Q4_0.gguf",), 90_000_000),
        ModelChoice("Q8_0", "gguf", ("tiny-Q8_0.gguf",), 150_000_000),
    ),
    SPEC,
)
UNTOLD = dataclasses.replace(FACTS, spec=None)
JOB_ID = f"hub:{REPO}:Q4_0:balanced"


def press(qtbot: QtBot, button: QAbstractButton) -> None:
    # A part that has just been shown is laid out a moment later.
    qtbot.waitUntil(lambda: button.isVisible() and button.height() >= button.sizeHint().height() // 2)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def search(qtbot: QtBot, window: MainWindow, words: str = "tiny") -> None:
    window.show_models()
    press(qtbot, window.model_page.sections.button(1))
    field = window.model_page.get.search.field
    field.clear()
    qtbot.keyClicks(field, words)
    qtbot.keyClick(field, Qt.Key.Key_Return)


def sent(engine: FakeEngine, kind: type) -> list:
    return [command for command in engine.commands if isinstance(command, kind)]


def show(qtbot: QtBot, engine: FakeEngine, card: HubCard, facts: RepositoryFacts = FACTS) -> None:
    engine.emit(facts)
    qtbot.waitUntil(lambda: card._facts == facts)
