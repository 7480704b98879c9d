"""The button that says which model answers."""

import pytest
from PySide6.QtGui import QAction

from app.models.model_picker import ModelPicker
from engine.messages import ModelLoadFailed, ModelLoadProgress

from .entries import OTHER, SMALL, loaded


@pytest.fixture
def picker(qtbot) -> ModelPicker:
    widget = ModelPicker()
    qtbot.addWidget(widget)
    widget.set_models([SMALL, OTHER])
    widget.show()
    return widget


def action(picker: ModelPicker, text: str) -> QAction:
    return next(action for action in picker.menu.actions() if action.text() == text)


def test_button_names_the_loaded_model(picker: ModelPicker):
    assert picker.button.text() == "No model ▾"
    picker.set_loaded("small")
    assert picker.button.text() == "SmolLM2 135M ▾"
    assert action(picker, SMALL.name).isChecked()
    assert not action(picker, OTHER.name).isChecked()


def test_picking_another_asks_for_it_and_the_mark_waits_for_the_load(picker: ModelPicker, qtbot):
    picker.set_loaded("small")
    with qtbot.waitSignal(picker.load_requested) as asked:
        action(picker, OTHER.name).trigger()
    assert asked.args == ["other"]
    assert action(picker, SMALL.name).isChecked()
    picker.show_load(loaded(OTHER))
    assert action(picker, OTHER.name).isChecked()
    assert not action(picker, SMALL.name).isChecked()


def test_picking_the_loaded_one_asks_for_nothing(picker: ModelPicker, qtbot):
    picker.set_loaded("small")
    with qtbot.assertNotEmitted(picker.load_requested):
        action(picker, SMALL.name).trigger()
    assert action(picker, SMALL.name).isChecked()


def test_load_is_shown_as_a_thin_line(picker: ModelPicker):
    picker.show_load(ModelLoadProgress("other", 12, 30))
    assert picker.text() == "Loading 通义千问 2.5 3B …"
    assert picker.button.toolTip() == "Load layer 12 of 30"
    assert (picker.bar.isVisible(), picker.bar.value(), picker.bar.maximum()) == (True, 12, 30)
    picker.show_load(loaded(OTHER))
    assert not picker.bar.isVisible()
    assert picker.text() == OTHER.name


def test_failed_load_leaves_the_cause_in_the_tooltip(picker: ModelPicker):
    picker.set_loaded("small")
    picker.show_load(ModelLoadProgress("other", 1, 30))
    picker.show_load(ModelLoadFailed("other", "model_busy", "One answer is still running: stop it first"))
    assert picker.text() == SMALL.name
    assert picker.button.toolTip() == "One answer is still running: stop it first"


def test_long_name_is_cut_and_whole_in_the_tooltip(picker: ModelPicker):
    long_name = "x" * 200
    picker.set_models([SMALL])
    picker.set_loaded(long_name)
    assert picker.button.text().endswith("… ▾")
    assert picker.button.toolTip() == long_name


def test_page_of_models_is_one_step_away(picker: ModelPicker, qtbot):
    with qtbot.waitSignal(picker.manage_requested):
        action(picker, "Models…").trigger()


def test_a_model_that_was_asked_for_is_named_before_there_is_progress(picker: ModelPicker):
    picker.show_loading(OTHER.name)
    assert picker.text() == "Loading 通义千问 2.5 3B …"
    picker.show_loading("")
    assert picker.text() == "No model"
