"""Models that are here but cannot be loaded stand on the page with what is wrong and the next step."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.main_window import MainWindow
from app.models.damaged_models import DamagedCard
from engine.api import DamagedModel, ModelEntry
from engine.messages import DeleteModel, FetchJob, LibraryFailed, ModelDeleted, StartJob
from tests.app.fake_engine import FakeEngine
from tests.app.windows import OpenWindow

PROBLEM = "/d/models/smollm2-135m-instruct/head.safetensors is missing: convert the model again"
STARTER = DamagedModel(
    "smollm2-135m-instruct", "SmolLM2 135M Instruct", Path("/d/models/smollm2-135m-instruct"), PROBLEM, 98_000_000, True
)
OWN = DamagedModel("own", "own", Path("/d/models/own"), "/d/models/own/manifest.json is damaged", 1_000_000, False)


def show(window: MainWindow, damaged: list[DamagedModel], *models: DamagedModel) -> list[DamagedCard]:
    damaged[:] = models
    window.models.refresh()
    window.show_models()
    return list(window.model_page.damaged.cards.values())


def press(qtbot: QtBot, button: object) -> None:
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_a_damaged_model_says_what_is_wrong_and_can_be_got_again_where_its_source_is_known(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, damaged: list[DamagedModel]
) -> None:
    starter, own = show(window, damaged, STARTER, OWN)
    qtbot.waitUntil(starter.get_button.isVisible)
    assert "head.safetensors is missing" in starter.error.text()
    assert not own.get_button.isVisible()
    press(qtbot, starter.get_button)
    (job,) = [command for command in engine.commands if isinstance(command, StartJob)]
    assert job.job == FetchJob("starter")
    show(window, damaged, OWN)
    assert list(window.model_page.damaged.cards) == ["own"]


def test_a_damaged_model_goes_to_the_trash(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, damaged: list[DamagedModel]
) -> None:
    (card,) = show(window, damaged, OWN)
    qtbot.waitUntil(card.remove_button.isVisible)
    press(qtbot, card.remove_button)
    assert engine.commands[-1] == DeleteModel("own")
    engine.emit(LibraryFailed(DeleteModel("own"), "storage", "The folder cannot be written: allow it"))
    qtbot.waitUntil(lambda: card.error.text() == "The folder cannot be written: allow it")
    damaged.clear()
    engine.emit(ModelDeleted("own", "own", 1_000_000, "trash-1"))
    qtbot.waitUntil(lambda: not window.model_page.damaged.isVisible())
    assert window.model_page.undo_bar.isVisible()


def test_a_person_whose_only_model_is_damaged_is_told_so_at_the_welcome(
    open_window: OpenWindow, models: list[ModelEntry], damaged: list[DamagedModel]
) -> None:
    models.clear()
    damaged.append(STARTER)
    window = open_window()
    assert window.first_run_page.isVisible()
    (card,) = window.first_run_page.damaged.cards.values()
    assert card.isVisible()
    window.show_models()
    assert window.model_page.yours.isVisible()
