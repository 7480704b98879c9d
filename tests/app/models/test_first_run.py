"""The page for a person without a model."""

import dataclasses

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel

from app.models.first_run import FirstRunPage
from engine.messages import JobFinished, JobProgress
from engine.planner import recommended

from .entries import MACHINE, STARTER

FILE = "/models/一个模型.Q4_0.gguf"


@pytest.fixture
def page(qtbot) -> FirstRunPage:
    widget = FirstRunPage(lambda: MACHINE, STARTER, [])
    qtbot.addWidget(widget)
    widget.resize(900, 500)
    with qtbot.waitExposed(widget):
        widget.show()
    assert widget.fetch_card is not None
    button = widget.fetch_card.strip.main_button
    # The cards are laid out a moment later, once more if they go below each other.
    qtbot.waitUntil(lambda: button.height() == button.sizeHint().height())
    return widget


def texts(page: FirstRunPage) -> list[str]:
    return [label.text() for label in page.findChildren(QLabel) if label.isVisible()]


def drop(page: FirstRunPage, *paths: str) -> bool:
    """Drag files over the card and drop them if it takes them; whether it did."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(path) for path in paths])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(5, 5), Qt.DropAction.CopyAction, data, buttons, keys)
    enter.ignore()
    QApplication.sendEvent(page.import_card, enter)
    if not enter.isAccepted():
        return False
    event = QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, data, buttons, keys)
    QApplication.sendEvent(page.import_card, event)
    return event.isAccepted()


def test_machine_is_described_with_units(page: FirstRunPage):
    (words,) = [text for text in texts(page) if text.startswith("This machine: A CPU, 4 core")]
    assert words.endswith(" · 16 GiB memory (9.0 GiB free) · 41 GB free disk")


def test_starter_card_says_what_comes_and_how_large_it_is(page: FirstRunPage):
    assert {"Start now", "SmolLM2 135M", "Small, for trying out."} <= set(texts(page))
    size = "94 MB to download · then 98 MB on disk, and as much again for a copy prepared for this machine"
    assert f"{size} · licence apache-2.0" in texts(page)


def test_starter_is_looked_up_when_not_given(qtbot):
    page = FirstRunPage(lambda: MACHINE)
    qtbot.addWidget(page)
    assert page.fetch_card is not None
    assert page.fetch_card.entry.catalog_id == "starter"


def test_get_asks_for_the_starter(page: FirstRunPage, qtbot):
    with qtbot.waitSignal(page.fetch_requested) as asked:
        qtbot.mouseClick(page.fetch_card.strip.main_button, Qt.MouseButton.LeftButton)
    assert asked.args == ["starter"]


def test_pause_names_the_job(page: FirstRunPage, qtbot):
    page.show_job(JobProgress("fetch:starter", "download", 1, 94_000_000))
    with qtbot.waitSignal(page.pause_requested) as asked:
        qtbot.mouseClick(page.fetch_card.strip.main_button, Qt.MouseButton.LeftButton)
    assert asked.args == ["fetch:starter"]


def test_stages_of_a_fetch_are_shown_in_its_card(page: FirstRunPage):
    said = []
    for stage, done, total in [("download", 47_000_000, 94_000_000), ("convert", 14, 30), ("verify", 1, 2)]:
        page.show_job(JobProgress("fetch:starter", stage, done, total))
        said.append(page.fetch_card.strip.text())
    page.finish_job(JobFinished("fetch:starter", "small"))
    said.append(page.fetch_card.strip.text())
    assert said == ["Download 47 of 94 MB", "Convert layer 14 of 30", "Check what was written", "Ready"]


def test_failed_fetch_stands_in_its_card(page: FirstRunPage):
    message = "The connection was closed at 40 of 94 MB: check the network, then retry"
    page.finish_job(JobFinished("fetch:starter", None, "download", message))
    assert message in texts(page)
    assert page.import_card.strip.error_text() == ""


def convert(page: FirstRunPage, path: str = FILE) -> None:
    """Drop it and press Convert."""
    assert drop(page, path)
    page.import_card.strip.main_button.click()


def test_dropped_model_file_is_converted_once_a_person_says_so(page: FirstRunPage, qtbot):
    with qtbot.assertNotEmitted(page.convert_requested), qtbot.waitSignal(page.import_card.inspect_requested) as told:
        assert drop(page, FILE)
    assert told.args == [FILE]
    assert "Reading the file" in texts(page)
    with qtbot.waitSignal(page.convert_requested) as asked:
        qtbot.mouseClick(page.import_card.strip.main_button, Qt.MouseButton.LeftButton)
    assert asked.args == [FILE, None, ""]
    assert "一个模型.Q4_0.gguf" in texts(page)


@pytest.mark.parametrize("paths", [["/models/notes.txt"], ["/models/model.bin"], [FILE, "/models/b.gguf"], []])
def test_anything_but_one_model_file_is_not_taken(page: FirstRunPage, qtbot, paths: list[str]):
    with qtbot.assertNotEmitted(page.convert_requested):
        assert not drop(page, *paths)


def test_second_file_waits_until_the_first_is_converted(page: FirstRunPage):
    convert(page)
    assert not page.import_card.acceptDrops()
    assert not page.import_card.choose_button.isEnabled()
    page.finish_job(JobFinished(f"convert:{FILE}", "m"))
    assert page.import_card.acceptDrops()
    assert page.import_card.choose_button.isEnabled()


def test_failed_conversion_stands_in_its_card_and_can_be_retried(page: FirstRunPage, qtbot):
    convert(page)
    page.finish_job(JobFinished(f"convert:{FILE}", None, "storage", "The file ends early: download it again"))
    assert "The file ends early: download it again" in texts(page)
    # The card is laid out anew first.
    qtbot.waitUntil(lambda: page.import_card.strip.main_button.height() > 0)
    with qtbot.waitSignal(page.convert_requested) as asked:
        qtbot.mouseClick(page.import_card.strip.main_button, Qt.MouseButton.LeftButton)
    assert asked.args == [FILE, None, ""]


def test_after_a_file_that_is_none_the_next_step_is_another_one(page: FirstRunPage, qtbot):
    convert(page)
    page.finish_job(JobFinished(f"convert:{FILE}", None, "source", "It is no GGUF file: choose another"))
    card = page.import_card
    assert card.choose_button.text() == "Choose another…"
    assert card.choose_button.property("kind") == "primary"
    assert not card.strip.main_button.isVisible()
    drop(page, "/models/b.gguf")
    assert card.choose_button.text() == "Choose…"
    assert card.strip.main_button.text() == "Convert"


def test_after_the_dialog_the_focus_is_on_the_button_again(page: FirstRunPage, qtbot):
    page.activateWindow()
    qtbot.mouseClick(page.import_card.choose_button, Qt.MouseButton.LeftButton)
    page.import_card.findChild(QFileDialog).reject()
    qtbot.waitUntil(page.import_card.choose_button.hasFocus)


def test_pausing_a_conversion_names_its_job(page: FirstRunPage, qtbot):
    convert(page)
    with qtbot.waitSignal(page.pause_requested) as asked:
        page.import_card.strip.main_button.click()
    assert asked.args == [f"convert:{FILE}"]


def test_choosing_opens_a_dialog_without_a_loop_of_its_own(page: FirstRunPage, qtbot):
    qtbot.mouseClick(page.import_card.choose_button, Qt.MouseButton.LeftButton)
    dialog = page.import_card.findChild(QFileDialog)
    assert dialog.nameFilters() == ["Models (*.gguf *.safetensors)"]
    with qtbot.waitSignal(page.import_card.inspect_requested) as asked:
        dialog.fileSelected.emit(FILE)
    assert asked.args == [FILE]
    dialog.reject()


def test_conversion_started_elsewhere_is_shown(page: FirstRunPage):
    page.show_job(JobProgress(f"convert:{FILE}", "convert", 3, 30))
    assert page.import_card.strip.text() == "Convert layer 3 of 30"


def test_job_of_another_model_is_ignored(page: FirstRunPage):
    page.show_job(JobProgress("fetch:large", "download", 1, 2))
    page.finish_job(JobFinished("fetch:large", None, "download", "no"))
    assert page.fetch_card.strip.text() == ""
    assert page.import_card.strip.text() == ""


def test_a_folder_can_be_dropped_as_well(page: FirstRunPage, qtbot, tmp_path):
    with qtbot.waitSignal(page.import_card.inspect_requested) as asked:
        assert drop(page, str(tmp_path))
    assert asked.args == [str(tmp_path)]


def test_what_suits_the_machine_is_recommended(qtbot):
    page = FirstRunPage(lambda: MACHINE, STARTER)
    qtbot.addWidget(page)
    made = []
    page.card_made.connect(made.append)
    with qtbot.waitExposed(page):
        page.show()
    assert page.hub_card is not None
    assert made == [page.hub_card]
    assert page.hub_card.offer.repo_id in [model.repo_id for model in recommended()]
    assert "Recommended for you" in texts(page)
    assert page.hub_card.verdict.text().startswith("Fits, with ")


def test_where_nothing_suits_nothing_is_recommended(qtbot):
    page = FirstRunPage(lambda: dataclasses.replace(MACHINE, memory_free_bytes=2**29), STARTER)
    qtbot.addWidget(page)
    with qtbot.waitExposed(page):
        page.show()
    assert page.hub_card is None
    assert "Start now" in texts(page)


def test_a_file_is_converted_in_the_quality_that_was_chosen(page: FirstRunPage, qtbot):
    drop(page, FILE)
    quality = page.import_card.quality
    quality.buttons["smallest"].click()
    with qtbot.waitSignal(page.convert_requested) as asked:
        qtbot.mouseClick(page.import_card.strip.main_button, Qt.MouseButton.LeftButton)
    assert asked.args == [FILE, "smallest", ""]
    # What it says of the costs is not greyed.
    assert not any(button.isEnabled() for button in quality.buttons.values())
    assert quality.verdict.isEnabled()


def test_a_job_elsewhere_does_not_take_the_place_of_a_file_that_is_asked_about(page: FirstRunPage):
    drop(page, FILE)
    page.show_job(JobProgress("convert:/models/b.gguf", "convert", 3, 30))
    assert page.import_card.strip.text() == ""
    assert page.import_card.strip.main_button.text() == "Convert"
