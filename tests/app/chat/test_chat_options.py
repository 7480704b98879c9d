"""What a chat sets for itself: presets, system prompt, parameters, and the prompts behind a slash."""

from __future__ import annotations

from dataclasses import asdict, replace

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QInputDialog, QScrollArea

from app.state.parameters import ChatParameters
from app.theme import apply_zoom
from engine.messages import SamplingParams
from engine.sampling_checks import check_params
from tests.app.chat.desk import PARAMS, Desk


def test_a_chats_own_parameters_go_with_its_messages_and_stay_with_it(desk: Desk) -> None:
    options = desk.tab.open_options()
    options.prompt_field.setPlainText("Be brief.")
    options.fields.ticks["top_k"].setChecked(True)
    options.fields.boxes["top_k"].setValue(20)
    options.fields.ticks["stop"].setChecked(True)
    options.fields.stop_field.setText("END, STOP")
    options.fields.changed.emit()
    options.accept()
    desk.send("hello")
    (submit,) = desk.engine.submits()
    assert (submit.params.top_k, submit.params.stop) == (20, ("END", "STOP"))
    assert submit.params.temperature == PARAMS.temperature
    assert submit.messages[0].content == "Be brief."
    stored = desk.history.load(desk.tab.session.id)
    assert stored is not None
    assert stored.system_prompt == "Be brief."
    assert stored.parameters == ChatParameters(model_id="tiny", top_k=20, stop=("END", "STOP"))


def test_what_a_field_cannot_show_stays_while_another_is_changed(desk: Desk) -> None:
    taken_in = ChatParameters(temperature=0.333, seed=2**60 + 1, stop=("\n", "a, b"))
    desk.tab.session.parameters = taken_in
    options = desk.tab.open_options()
    options.fields.ticks["top_k"].setChecked(True)
    options.fields.boxes["top_k"].setValue(20)
    assert desk.tab.session.parameters == replace(taken_in, top_k=20)
    options.fields.stop_field.setText("END")
    options.fields.ticks["seed"].setChecked(False)
    assert desk.tab.session.parameters == ChatParameters(temperature=0.333, top_k=20, stop=("END",))


def test_the_end_of_every_field_is_one_that_the_engine_takes(desk: Desk) -> None:
    fields = desk.tab.open_options().fields
    for ends in ("minimum", "maximum"):
        for name, box in fields.boxes.items():
            fields.ticks[name].setChecked(True)
            box.setValue(getattr(box, ends)())
        own = asdict(fields.parameters())
        check_params(SamplingParams(**{name: own[name] for name in fields.boxes}), vocab_size=256)


def test_a_preset_fills_the_chat_and_the_button_tells_what_was_changed(desk: Desk) -> None:
    options = desk.tab.open_options()
    index = options.preset_box.findText("Precise")
    options.preset_box.setCurrentIndex(index)
    options.preset_box.activated.emit(index)
    assert desk.tab.options_button.text() == "Precise"
    assert options.fields.boxes["temperature"].value() == 0.2
    options.fields.boxes["temperature"].setValue(0.4)
    assert desk.tab.options_button.text() == "Precise*"
    desk.send("hello")
    assert desk.engine.submits()[-1].params.temperature == 0.4


def test_presets_of_ones_own_are_kept_renamed_and_deleted(desk: Desk) -> None:
    options = desk.tab.open_options()
    options.prompt_field.setPlainText("You are a pirate.")
    options.save_preset("Pirate")
    options.rename_preset("Captain")
    assert [preset.name for preset in desk.history.presets.all()] == ["Captain"]
    other = desk.tab.open_options()
    assert other.preset_box.findText("Captain") >= 0
    options.delete_preset()
    assert desk.history.presets.all() == []
    assert desk.tab.session.system_prompt == "You are a pirate."
    desk.qtbot.mouseClick(desk.tab.undo_bar.undo_button, Qt.MouseButton.LeftButton)
    assert [preset.name for preset in desk.history.presets.all()] == ["Captain"]


def test_a_system_prompt_of_the_settings_is_no_change_and_a_chosen_preset_is_no_blank_chat(desk: Desk) -> None:
    desk.tab.session.system_prompt = "Of the settings."
    desk.tab.options_button.show_preset()
    assert desk.tab.options_button.text() == "Standard"
    assert desk.tab.is_blank
    options = desk.tab.open_options()
    options.preset_box.activated.emit(options.preset_box.findText("Precise"))
    assert not desk.tab.is_blank


def test_a_slash_finds_prompts_and_enter_puts_one_in(desk: Desk) -> None:
    picker = desk.tab.panel.prompts
    desk.qtbot.keyClicks(desk.tab.composer, "/su")
    assert picker.names() == ["Summarise"]
    desk.qtbot.keyClick(desk.tab.composer, Qt.Key.Key_Return)
    assert desk.tab.composer.toPlainText().startswith("Summarise this")
    assert not picker.isVisible()
    assert desk.engine.submits() == []


def test_a_text_is_kept_as_a_prompt_and_forgotten_by_delete(desk: Desk) -> None:
    desk.qtbot.keyClicks(desk.tab.composer, "As a haiku: ")
    desk.tab.panel.keep_prompt("Haiku")
    assert desk.tab.undo_bar.label.text() == "Prompt kept. Type / to use it."
    desk.tab.composer.clear()
    desk.qtbot.keyClicks(desk.tab.composer, "/hai")
    assert desk.tab.panel.prompts.names() == ["Haiku"]
    desk.qtbot.keyClick(desk.tab.composer, Qt.Key.Key_Delete)
    assert desk.history.prompts.all() == []
    desk.qtbot.mouseClick(desk.tab.undo_bar.undo_button, Qt.MouseButton.LeftButton)
    assert [prompt.name for prompt in desk.history.prompts.all()] == ["Haiku"]


def test_prompts_are_explained_changed_and_deleted_in_their_dialog(desk: Desk) -> None:
    panel = desk.tab.panel
    desk.qtbot.keyClicks(desk.tab.composer, "As a haiku: ")
    panel.keep_prompt("Haiku")
    desk.tab.composer.clear()
    desk.qtbot.keyClicks(desk.tab.composer, "/hai")
    assert panel.prompts_label.isVisible()
    desk.tab.composer.clear()
    assert not panel.prompts_label.isVisible()
    dialog = panel.open_prompts()
    assert (dialog.name_field.text(), dialog.text_field.toPlainText()) == ("Haiku", "As a haiku: ")
    assert not dialog.save_button.isEnabled()
    dialog.text_field.setPlainText("As two haikus: ")
    desk.qtbot.mouseClick(dialog.save_button, Qt.MouseButton.LeftButton)
    assert [(one.name, one.text) for one in desk.history.prompts.all()] == [("Haiku", "As two haikus: ")]
    desk.qtbot.mouseClick(dialog.delete_button, Qt.MouseButton.LeftButton)
    assert desk.history.prompts.all() == []
    assert dialog.name_field.text() == "Summarise"
    assert not dialog.delete_button.isEnabled()
    dialog.name_field.setText("Shorten")
    dialog.save()
    assert [one.name for one in desk.history.prompts.all()] == ["Shorten"]
    dialog.reject()


def test_escape_leaves_a_slash_as_text(desk: Desk) -> None:
    desk.qtbot.keyClicks(desk.tab.composer, "/")
    assert desk.tab.panel.prompts.isVisible()
    desk.qtbot.keyClick(desk.tab.composer, Qt.Key.Key_Escape)
    assert not desk.tab.panel.prompts.isVisible()
    desk.qtbot.keyClicks(desk.tab.composer, "etc")
    desk.qtbot.keyClick(desk.tab.composer, Qt.Key.Key_Return)
    assert desk.engine.submits()[-1].messages[0].content == "/etc"


def test_close_is_in_sight_however_low_the_panel_is(desk: Desk) -> None:
    options = desk.tab.open_options()
    options.resize(460, 300)
    options.grab()
    button = options.close_button
    assert options.rect().contains(button.geometry().translated(button.parentWidget().mapTo(options, QPoint())))
    assert button.visibleRegion().boundingRect() == button.rect()


def test_a_prompt_is_edited_by_keeping_it_under_its_name_again(desk: Desk) -> None:
    panel = desk.tab.panel
    desk.qtbot.keyClicks(desk.tab.composer, "Answer in verse.")
    panel.keep_prompt("Haiku")
    desk.tab.composer.clear()
    desk.qtbot.keyClicks(desk.tab.composer, "/hai")
    desk.qtbot.keyClick(desk.tab.composer, Qt.Key.Key_Return)
    desk.qtbot.keyClicks(desk.tab.composer, " Be brief.")
    panel._ask_for_name()
    dialog = panel.findChild(QInputDialog)
    assert dialog.textValue() == "Haiku"
    dialog.setTextValue("haiku")
    dialog.accept()
    assert [(one.name, one.text) for one in desk.history.prompts.all()] == [("haiku", "Answer in verse. Be brief.")]
    desk.tab.undo_bar.undo_deletion()
    assert [(one.name, one.text) for one in desk.history.prompts.all()] == [("Haiku", "Answer in verse.")]
    desk.tab.composer.clear()
    panel._ask_for_name()
    assert [one.textValue() for one in panel.findChildren(QInputDialog)][-1] == ""


def test_a_prompt_of_ones_own_takes_the_place_of_one_that_came_along(desk: Desk) -> None:
    desk.qtbot.keyClicks(desk.tab.composer, "Explain it to a child.")
    desk.tab.panel.keep_prompt("explain")
    desk.tab.composer.clear()
    desk.qtbot.keyClicks(desk.tab.composer, "/expl")
    assert desk.tab.panel.prompts.names() == ["explain"]


def test_the_dialog_grows_with_the_zoom_and_scrolls_only_downwards(desk: Desk, qapp: QApplication) -> None:
    desk.tab.resize(1200, 1100)
    usual = desk.tab.open_options()
    apply_zoom(qapp, 150)
    try:
        larger = desk.tab.open_options()
        assert larger.width() > usual.width()
        assert larger.height() > usual.height()
        (area,) = larger.findChildren(QScrollArea)
        larger.grab()
        assert not area.horizontalScrollBar().isVisible()
        # A bar that comes takes its room in the next turn.
        desk.qtbot.waitUntil(lambda: area.widget().width() <= area.viewport().width())
    finally:
        apply_zoom(qapp, 100)
