"""What a quality will cost in time is judged by models that have answered on this machine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pytestqt.qtbot import QtBot

from app.models.measured_speed import MeasuredSpeed, MeasuredSpeeds
from app.models.quality_choice import QualityChoice
from app.models.speed_store import SpeedStore
from engine.planner import known_models

from .entries import MACHINE, OTHER, SMALL


def test_speed_is_judged_by_what_was_measured_here(qtbot: QtBot) -> None:
    choice = QualityChoice()
    qtbot.addWidget(choice)
    spec = next(model.spec for model in known_models() if model.name == "Qwen2.5 3B")
    small, large = MeasuredSpeed("Small", 100_000_000, 90.0), MeasuredSpeed("Large", 4_000_000_000, 3.0)
    choice.show_model(spec, replace(MACHINE, speeds=(small, large)))
    cost = choice.buttons["balanced"].accessibleDescription()
    # The larger one is nearer: of the smaller one's time a good part is no reading.
    assert "tok/s here" in cost
    assert choice.verdict.note.text().endswith("The speeds are judged by how fast Large answers here.")
    assert cost.endswith("to convert on an ordinary laptop")
    assert large.of(2_000_000_000) == 6.0


def test_measured_speeds_are_those_of_models_that_are_here(tmp_path: Path) -> None:
    store, measured = SpeedStore(tmp_path / "speeds.json"), MeasuredSpeeds()
    measured.update([SMALL, OTHER], store)
    assert measured.speeds == ()
    store.add("small", 40, 60.0, 0.2)
    store.add("gone", 40, 10.0, 0.2)
    measured.update([SMALL, OTHER], store)
    assert measured.speeds == (MeasuredSpeed("SmolLM2 135M", 98_000_000, 60.0),)
