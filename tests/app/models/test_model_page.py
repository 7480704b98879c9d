"""The page of models, fed by hand."""

import dataclasses

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel, QWidget

from app.models.job_store import JobRecord
from app.models.model_card import ModelCard
from app.models.model_facts import (
    conversion_text,
    fidelity_text,
    fidelity_tip,
    nature_text,
    nature_tip,
    parameters_text,
    storage_text,
)
from app.models.model_page import ModelPage
from engine.api import Fidelity
from engine.messages import (
    ConvertJob,
    JobFinished,
    JobProgress,
    ModelFolder,
    ModelLoadFailed,
    ModelLoadProgress,
    SourceFacts,
    StorageItem,
    StorageReport,
)
from engine.store.formats import ConversionSummary, FormatGroup
from engine.store.manifest import TensorFormat

from .entries import MACHINE, OTHER, SMALL, SPEC, STARTER, loaded


@pytest.fixture
def page(qtbot) -> ModelPage:
    widget = ModelPage(lambda: MACHINE, [STARTER], [])
    qtbot.addWidget(widget)
    widget.resize(800, 900)
    with qtbot.waitExposed(widget):
        widget.show()
    return widget


def texts(page: ModelPage) -> list[str]:
    return [label.text() for label in page.findChildren(QLabel) if label.isVisible()]


def press(qtbot, button) -> None:
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_number_of_parameters_is_that_of_the_known_model():
    # SmolLM2-135M's card: 134.5 M.
    assert SMALL.num_parameters == 134_515_008
    untied = dataclasses.replace(SMALL, spec=dataclasses.replace(SPEC, is_tied=False))
    assert untied.num_parameters - SMALL.num_parameters == 49152 * 576


def test_large_models_count_in_billions():
    assert [parameters_text(n) for n in (134_515_008, 999_600_000, 3_085_938_688)] == [
        "135 M parameters",
        "1.0 B parameters",
        "3.1 B parameters",
    ]


def test_card_says_what_a_model_is(page: ModelPage, qtbot):
    page.set_models([SMALL])
    qtbot.waitUntil(page.card("small").isVisible)
    assert nature_text(SMALL) == "llama · 135 M parameters · 30 layers · context 8,192 tokens"
    assert {"SmolLM2 135M", nature_text(SMALL), "98 MB on disk · licence apache-2.0"} <= set(texts(page))
    assert "from SmolLM2.Q4_1.gguf" in texts(page)


def test_card_says_how_true_a_model_is_to_its_source(page: ModelPage, qtbot):
    exact = FormatGroup("embedding", (), "", TensorFormat(8, 32, False, "Q8_0", True))
    packed = FormatGroup("down", (0, 1), "0-1", TensorFormat(4, 32, True, "F16", False, 0.0521))
    whole = dataclasses.replace(SMALL, conversion=ConversionSummary((exact,), 1, 1))
    page.set_models([dataclasses.replace(SMALL, conversion=ConversionSummary((exact, packed), 3, 1, "down", 0.0521))])
    line = page.card("small").conversion
    assert line.text() == ("5.8 bits a weight · 1 of 3 matrices exactly as in the source · largest error 5.2 % (down)")
    assert line.toolTip().splitlines() == [
        "embedding: 8 bits in groups of 32, exactly from Q8_0",
        "down in layers 0-1: 4 bits with minimum in groups of 32, from F16, error 5.2 %",
    ]
    assert conversion_text(whole) == "5.8 bits a weight · all weights exactly as in the source"
    assert conversion_text(SMALL) == "5.8 bits a weight"


def test_unknown_licence_is_called_so():
    assert storage_text(OTHER) == "1.8 GB on disk · licence not stated"


def test_the_prepared_file_is_told_apart_from_the_model():
    words = storage_text(dataclasses.replace(SMALL, prepared_bytes=96_000_000))
    assert words == "194 MB on disk: 98 MB the model, 96 MB a copy prepared for this machine · licence apache-2.0"


def test_the_sum_on_the_disk_agrees_with_its_parts_as_they_are_written():
    words = storage_text(dataclasses.replace(SMALL, size_bytes=98_400_000, prepared_bytes=96_400_000))
    assert words.startswith("194 MB on disk: 98 MB the model, 96 MB")


def test_a_second_table_of_the_vocabulary_is_told_of():
    untied = dataclasses.replace(SMALL, spec=dataclasses.replace(SMALL.spec, is_tied=False))
    assert nature_tip(SMALL) == ""
    assert "Two tables of the vocabulary are counted" in nature_tip(untied)


def test_the_figures_of_a_conversion_are_told_in_plain_words():
    assert all(word in fidelity_tip() for word in ("Agrees", "Perplexity", "Divergence"))


def test_without_models_the_page_says_what_to_do(page: ModelPage, qtbot):
    page.set_models([])
    assert page.get.isVisible()
    press(qtbot, page.sections.button(0))
    assert any("No model yet" in text for text in texts(page))
    page.set_models([SMALL])
    assert not any("No model yet" in text for text in texts(page))


def test_adding_a_model_leads_to_the_place_for_a_file_before_all_offers(page: ModelPage, qtbot):
    page.set_models([OTHER])
    press(qtbot, page.add_button)
    card, (offer,) = page.import_card, page.get.fetch_cards.values()
    assert page.get.isVisible()
    assert not page.yours.isVisible()
    assert card.choose_button.hasFocus()
    qtbot.waitUntil(lambda: page.get.search.y() < card.y() < offer.y())


def test_load_asks_for_the_model_and_shows_its_layers(page: ModelPage, qtbot):
    page.set_models([SMALL, OTHER])
    card = page.card("other")
    with qtbot.waitSignal(page.load_requested) as asked:
        press(qtbot, card.button)
    assert asked.args == ["other"]
    page.show_load(ModelLoadProgress("other", 12, 30))
    assert card.text() == "Load layer 12 of 30"
    assert not card.button.isEnabled()
    assert page.card("small").button.isEnabled()


def test_loaded_model_can_be_unloaded(page: ModelPage, qtbot):
    page.set_models([SMALL, OTHER])
    page.set_loaded("small")
    page.show_load(loaded(OTHER))
    assert [page.card(name).button.text() for name in ("small", "other")] == ["Load", "Unload"]
    with qtbot.waitSignal(page.unload_requested):
        press(qtbot, page.card("other").button)
    page.set_loaded(None)
    assert page.card("other").button.text() == "Load"


def test_failed_load_stands_in_the_card_until_the_next_try(page: ModelPage, qtbot):
    page.set_models([SMALL])
    card = page.card("small")
    press(qtbot, card.button)
    page.show_load(ModelLoadFailed("small", "no_memory", "Needs 9.2 GiB, 6.0 GiB free: pick a 4-bit model"))
    assert card.error_text() == "Needs 9.2 GiB, 6.0 GiB free: pick a 4-bit model"
    assert card.button.isEnabled()
    assert card.button.text() == "Load"
    press(qtbot, card.button)
    assert card.error_text() == ""


def test_message_about_a_model_that_is_gone_is_ignored(page: ModelPage):
    page.set_models([SMALL])
    page.show_load(ModelLoadFailed("gone", "no_memory", "no"))
    page.show_load(ModelLoadProgress("gone", 1, 2))
    assert page.card("small").error_text() == ""


def test_models_that_are_here_are_not_offered(page: ModelPage):
    page.set_models([])
    assert page.offer("small").isVisible()
    page.set_models([SMALL])
    assert not page.offer("small").isVisible()
    assert "Models to get" not in texts(page)


def test_fetch_runs_in_its_card(page: ModelPage, qtbot):
    page.set_models([OTHER])
    press(qtbot, page.sections.button(1))
    offer = page.offer("small")
    with qtbot.waitSignal(page.fetch_requested) as asked:
        press(qtbot, offer.strip.main_button)
    assert asked.args == ["starter"]
    page.show_job(JobProgress("fetch:starter", "convert", 3, 30))
    assert offer.strip.text() == "Convert layer 3 of 30"
    with qtbot.waitSignal(page.pause_requested) as stopped:
        press(qtbot, offer.strip.main_button)
    assert stopped.args == ["fetch:starter"]


def test_failed_fetch_stands_in_its_card(page: ModelPage):
    page.set_models([])
    page.finish_job(JobFinished("fetch:starter", None, "download", "The checksum is wrong: retry"))
    assert page.offer("small").strip.error_text() == "The checksum is wrong: retry"


def test_removed_model_is_offered_anew_from_the_start(page: ModelPage):
    page.finish_job(JobFinished("fetch:starter", "small"))
    page.set_models([SMALL])
    page.set_models([])
    assert page.offer("small").strip.main_button.text() == "Get"


def test_file_of_ones_own_is_converted_in_its_card(page: ModelPage, qtbot):
    with qtbot.waitSignal(page.convert_requested) as asked:
        page.import_card.offer("/m/a.gguf")
        page.import_card.strip.main_button.click()
    assert asked.args == ["/m/a.gguf", None, ""]
    page.show_job(JobProgress("convert:/m/a.gguf", "convert", 2, 4))
    assert page.import_card.strip.text() == "Convert layer 2 of 4"
    page.finish_job(JobFinished("convert:/m/a.gguf", "a"))
    assert page.import_card.strip.text() == "Ready"


def test_the_name_of_a_model_can_be_chosen_and_one_that_is_taken_is_not_offered(page: ModelPage, qtbot):
    page.set_models([OTHER, dataclasses.replace(SMALL, name="Sea")])
    card = page.import_card
    card.offer("/m/sea.gguf")
    card.show_facts(SourceFacts("/m/sea.gguf", "sea", SPEC, ()))
    assert card.name_field.text() == "sea 2"
    card.name_field.selectAll()
    qtbot.keyClicks(card.name_field, " My own ")
    card.show_facts(SourceFacts("/m/sea.gguf", "sea", SPEC, ()))
    with qtbot.waitSignal(page.convert_requested) as asked:
        card.strip.main_button.click()
    assert asked.args == ["/m/sea.gguf", None, "My own"]
    page.show_job(JobProgress("convert:/m/sea.gguf", "convert", 2, 4))
    assert not card.name_field.isEnabled(), "the name is settled while it is converted"
    page.finish_job(
        JobFinished("convert:/m/sea.gguf", None, "invalid_request", "There is already a model: another name")
    )
    assert card.name_field.isEnabled(), "another name is the next step"
    assert card.name_field.text() == " My own "


def test_a_conversion_of_an_earlier_start_goes_on_as_it_was_asked_for(page: ModelPage, qtbot):
    card = page.import_card
    page.show_job(JobProgress("convert:/m/sea.gguf", "convert", 2, 4))
    assert not card.name_field.isVisibleTo(card)
    assert not card.quality.isVisibleTo(card)
    page.finish_job(JobFinished("convert:/m/sea.gguf", None, "cancelled"))
    assert not card.quality.isVisibleTo(card)
    # Its name and quality are known to the list of jobs alone.
    with qtbot.assertNotEmitted(page.convert_requested), qtbot.waitSignal(card.resume_requested) as asked:
        card.strip.main_button.click()
    assert asked.args == ["convert:/m/sea.gguf"]


def test_new_list_keeps_the_state_of_cards_that_stay(page: ModelPage):
    page.set_models([SMALL])
    page.show_load(ModelLoadProgress("small", 5, 30))
    card = page.card("small")
    page.set_models([OTHER, SMALL])
    assert page.card("small") is card
    assert card.text() == "Load layer 5 of 30"


def test_cards_stand_in_the_order_of_the_list(page: ModelPage, qtbot):
    page.set_models([SMALL])
    page.set_models([OTHER, SMALL])
    qtbot.waitUntil(lambda: 0 <= page.card("other").y() < page.card("small").y())


def test_escape_closes_the_page(page: ModelPage, qtbot):
    page.set_models([SMALL])
    page.activateWindow()
    page.card("small").button.setFocus()
    with qtbot.waitSignal(page.closed):
        qtbot.keyClick(page.card("small").button, Qt.Key.Key_Escape)


def test_a_measured_model_says_how_near_it_is_to_its_source(qtbot):
    measured = dataclasses.replace(SMALL, fidelity=Fidelity(900, 8.91, 9.14, 0.031, 0.941))
    expected = "agrees with its source on 94 % of tokens · perplexity 9.1, the source's 8.9 · divergence 0.031"
    assert fidelity_text(measured) == expected
    card = ModelCard(measured)
    qtbot.addWidget(card)
    assert expected in [label.text() for label in card.findChildren(QLabel)]
    assert fidelity_text(SMALL) == ""


def test_the_page_follows_an_import_to_its_end(page: ModelPage, qtbot):
    page.resize(600, 400)
    page.show_get()
    with qtbot.waitExposed(page):
        page.show()
    card = page.import_card
    page.offer_file("/m/a.gguf")
    qtbot.waitUntil(lambda: not card.strip.main_button.visibleRegion().isEmpty())
    press(qtbot, card.strip.main_button)
    page.jobs.add(JobRecord("convert:/m/a.gguf", "Convert a.gguf", ConvertJob("/m/a.gguf")))
    page.finish_job(JobFinished("convert:/m/a.gguf", None, "room", "No room"))
    qtbot.waitUntil(lambda: card.strip.cancel_button.visibleRegion().boundingRect().height() > 10)


def test_disk_use_that_is_unfolded_comes_into_view(page: ModelPage, qtbot):
    page.set_models([SMALL, OTHER])
    page.resize(800, 400)
    qtbot.waitUntil(lambda: page._area.verticalScrollBar().maximum() > 0)
    page.storage.fold_button.click()
    items = tuple(StorageItem("model", f"Model {n}", f"/d/{n}", 10**6, 0.0) for n in range(3))
    page.storage.show_report(StorageReport(items, (ModelFolder("/d", 10**9),)))
    viewport = page._area.viewport()

    def is_in_view(part: QWidget) -> bool:
        top = part.mapTo(viewport, QPoint(0, 0)).y()
        return top >= 0 and top + part.height() <= viewport.height()

    qtbot.waitUntil(lambda: is_in_view(page.storage.fold_button) and is_in_view(page.storage.free_label))
