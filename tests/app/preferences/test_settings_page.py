"""The page of settings: found by words, traced to their origin, set back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDoubleSpinBox, QScrollArea, QSpinBox
from pytestqt.qtbot import QtBot

from app.application import configured
from app.main_window import MainWindow
from app.preferences.about import home_origin
from app.preferences.effective_words import kv_precision_words
from app.state import options
from app.state.options import ENGINE_SETTINGS, SECTIONS, SETTINGS
from app.widgets.text_label import TextLabel
from app.widgets.units import memory_size
from engine.api import ENDPOINT_VARIABLE, HOME_VARIABLE, EngineConfig, default_home
from engine.messages import SamplingParams
from tests.app.fake_engine import MODEL, FakeEngines
from tests.app.models.entries import SPEC


def shown_keys(window: MainWindow) -> list[str]:
    return [key for key, row in window.settings_page.rows.items() if row.isVisible()]


def test_every_setting_with_words_has_a_row_in_a_known_section(window: MainWindow) -> None:
    labelled = [setting for setting in SETTINGS if setting.label is not None]
    assert list(window.settings_page.rows) == [setting.key for setting in labelled]
    assert {setting.section for setting in labelled} == {section for section, _ in SECTIONS}


def test_a_search_leaves_the_rows_that_have_the_words(qtbot: QtBot, window: MainWindow) -> None:
    window.show_settings()
    page = window.settings_page
    qtbot.keyClicks(page.search, "SURPRISING")
    assert shown_keys(window) == ["temperature"]
    assert not page.about.isVisible()
    page.search.clear()
    qtbot.keyClicks(page.search, "appearance")
    assert shown_keys(window) == ["theme", "zoom_percent"]
    page.search.clear()
    qtbot.keyClicks(page.search, "diagnostics")
    assert shown_keys(window) == []
    assert page.about.isVisible()
    qtbot.keyClicks(page.search, " and nothing else")
    assert page.nothing_label.isVisible()
    page.search.clear()
    assert len(shown_keys(window)) == len(page.rows)


@pytest.mark.parametrize(
    ("text", "key"), [("dark", "theme"), ("light", "theme"), ("gpu", "num_threads"), ("length", "max_tokens")]
)
def test_a_setting_is_found_by_what_else_it_may_be_called(window: MainWindow, text: str, key: str) -> None:
    window.show_settings()
    window.settings_page.search.setText(text)
    assert key in shown_keys(window)


def test_a_row_says_where_its_value_comes_from_and_goes_back_to_the_default(qtbot: QtBot, window: MainWindow) -> None:
    window.show_settings()
    row = window.settings_page.rows["temperature"]
    assert row.note_label.text() == "0 always takes the likeliest word; higher is more surprising."
    assert row.field.toolTip() == "This is the default."
    assert not row.reset_button.isVisible()
    window.change_setting(options.TEMPERATURE, 0.2)
    assert row.note_label.text().endswith("Changed by you; the default is “0.70”.")
    qtbot.mouseClick(row.reset_button, Qt.MouseButton.LeftButton)
    assert window.settings.get(options.TEMPERATURE) == options.TEMPERATURE.default
    assert row.field.toolTip() == "This is the default."


def test_rows_tell_what_the_automatic_choices_come_to(qtbot: QtBot, window: MainWindow, engines: FakeEngines) -> None:
    rows = window.settings_page.rows
    qtbot.waitUntil(lambda: "at the moment" in rows["kv_budget_mib"].note_label.text())
    size = memory_size(MODEL.num_blocks * MODEL.block_size * MODEL.kv_bytes_per_token)
    assert f"{size} at the moment." in rows["kv_budget_mib"].note_label.text()
    assert "at the moment" in rows["kv_dtype"].note_label.text()
    assert "Light at the moment." in rows["theme"].note_label.text()
    assert "English at the moment." in rows["language"].note_label.text()
    window.change_setting(options.THEME, "dark")
    assert "at the moment" not in rows["theme"].note_label.text()
    window.models.forget_loaded()
    assert "at the moment" not in rows["kv_budget_mib"].note_label.text()


@pytest.mark.parametrize(("number_bytes", "words"), [((2, 0), "16 bits"), ((4, 0), "32 bits"), ((1, 4), "8 bits")])
def test_the_precision_is_that_of_the_loaded_model(number_bytes: tuple[int, int], words: str) -> None:
    model = replace(
        MODEL,
        kv_bytes_per_token=SPEC.kv_bytes_per_token(*number_bytes),
        eight_bit_kv_bytes_per_token=SPEC.kv_bytes_per_token(1, 4),
    )
    assert kv_precision_words(model, SPEC) == f"{words} at the moment."


def test_the_hubs_address_is_told_with_its_origin(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    page, note = window.settings_page, window.settings_page.rows["hub_endpoint"].note_label
    monkeypatch.delenv(ENDPOINT_VARIABLE, raising=False)
    page.show_value(options.HUB_ENDPOINT)
    assert note.text().endswith("https://huggingface.co at the moment.")
    monkeypatch.setenv(ENDPOINT_VARIABLE, "https://mirror.example/")
    page.show_value(options.HUB_ENDPOINT)
    assert note.text().endswith("https://mirror.example at the moment, from the environment variable HF_ENDPOINT.")
    window.change_setting(options.HUB_ENDPOINT, "https://own.example")
    assert note.text().endswith("there too. Changed by you.")


def test_a_chosen_number_of_threads_holds_from_the_next_start_of_the_engine(
    qtbot: QtBot, window: MainWindow, engines: FakeEngines, tmp_path: Path
) -> None:
    window.show_settings()
    page = window.settings_page
    row = page.rows["num_threads"]
    assert "2 threads" in row.note_label.text()
    assert not page.restart_button.isVisible()
    assert isinstance(row.field, QSpinBox)
    row.field.setValue(1)
    assert page.restart_button.isVisible()
    assert configured(EngineConfig(home=tmp_path), window.settings).num_threads == 1
    before = engines.newest
    qtbot.mouseClick(page.restart_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: engines.newest is not before and engines.newest.is_started)
    assert before.is_closed
    engines.newest.get_ready()
    qtbot.waitUntil(lambda: not page.restart_button.isVisible())


def test_unchanged_settings_leave_the_engines_own_choices(window: MainWindow, tmp_path: Path) -> None:
    config = EngineConfig(home=tmp_path)
    assert configured(config, window.settings) == config
    assert all(not window.settings.is_chosen(setting) for setting in ENGINE_SETTINGS)


def test_large_text_in_a_usual_window_is_not_cut_off(qtbot: QtBot, window: MainWindow) -> None:
    window.resize(1280, 800)
    window.show_settings()
    before = window.fontInfo().pointSizeF()
    window.change_setting(options.ZOOM_PERCENT, 150)
    qtbot.waitUntil(lambda: window.fontInfo().pointSizeF() > 1.3 * before)
    for setting in (options.KEEP_AWAKE, options.SWAP_BUDGET_MIB, options.KV_DTYPE):
        # The button beside the field needs room too.
        window.settings.set(setting, {options.KEEP_AWAKE: False, options.KV_DTYPE: "int8"}.get(setting, 64))
    area = window.settings_page.findChild(QScrollArea)
    assert area is not None
    qtbot.waitUntil(lambda: window.settings_page.rows["keep_awake"].reset_button.isVisible())
    qtbot.waitUntil(lambda: area.widget().width() == area.viewport().width())


def test_the_page_begins_at_its_top_whenever_it_is_shown(qtbot: QtBot, window: MainWindow) -> None:
    window.show_settings()
    area = window.settings_page.findChild(QScrollArea)
    assert area is not None
    bar = area.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    bar.setValue(bar.maximum())
    window.show_chats()
    window.show_settings()
    qtbot.waitUntil(lambda: bar.value() == 0)


def test_labels_stand_below_their_heading_and_facts_below_the_fields(qtbot: QtBot, window: MainWindow) -> None:
    window.resize(1600, 900)
    window.show_settings()
    page = window.settings_page
    fact = page.about.findChildren(TextLabel)[1]
    row = page.rows["theme"]
    qtbot.waitUntil(lambda: fact.mapTo(page, fact.rect().topLeft()).x() == row.mapTo(page, row.rect().topLeft()).x())
    assert {label.indent() for label in page._labels} == {0}


def test_a_data_folder_elsewhere_says_who_chose_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(HOME_VARIABLE, raising=False)
    assert home_origin(default_home()) == "The usual place on this system."
    assert home_origin(tmp_path).endswith("the program was started with the option --home.")
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    assert home_origin(tmp_path) == f"Not the usual place: the environment variable {HOME_VARIABLE} says so."


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [("top_k", 40, "40"), ("min_p", 0.05, "0.05"), ("repetition_penalty", 1.1, "1.10"), ("seed", 7, "7")],
)
def test_how_new_chats_draw_is_chosen_and_set_back(
    qtbot: QtBot, window: MainWindow, key: str, value: float, text: str
) -> None:
    window.show_settings()
    row = window.settings_page.rows[key]
    assert isinstance(row.field, QSpinBox | QDoubleSpinBox)
    assert row.field.toolTip() == "This is the default."
    row.field.setValue(value)  # type: ignore[arg-type]  # ints for whole numbers
    tab = window.tabs.current_tab()
    assert tab is not None
    assert getattr(tab.read_params(), key) == value
    assert row.field.text() == text
    assert "Changed by you; the default is “" in row.note_label.text()
    qtbot.mouseClick(row.reset_button, Qt.MouseButton.LeftButton)
    assert tab.read_params() == SamplingParams()


def test_without_a_seed_the_row_says_that_each_answer_has_another(window: MainWindow) -> None:
    field = window.settings_page.rows["seed"].field
    assert isinstance(field, QSpinBox)
    assert field.text() == "another for each answer"
