"""One job's button through start, pause, failure and end."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton

from app.models.job_store import JobRecord
from app.models.job_strip import JobState, JobStrip, StartWord
from app.widgets.error_note import ErrorNote
from engine.messages import FetchJob, JobFinished, JobProgress

JOB = "fetch:starter"
HALF = JobProgress(JOB, "download", 47_000_000, 94_000_000)
CANCELLED = JobFinished(JOB, None, "cancelled", "cancelled")


@pytest.fixture
def strip(qtbot) -> JobStrip:
    widget = JobStrip(StartWord.GET, now_s=lambda: 0.0)
    qtbot.addWidget(widget)
    with qtbot.waitExposed(widget):
        widget.show()
    return widget


def press(qtbot, button: QPushButton) -> None:
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_word_on_the_button_is_the_next_step(strip: JobStrip, qtbot):
    words = [strip.main_button.text()]
    press(qtbot, strip.main_button)
    words.append(strip.main_button.text())
    press(qtbot, strip.main_button)
    strip.finish(CANCELLED)
    words.append(strip.main_button.text())
    press(qtbot, strip.main_button)
    strip.finish(JobFinished(JOB, None, "download", "It broke"))
    words.append(strip.main_button.text())
    assert words == ["Get", "Pause", "Resume", "Retry"]


def test_pause_asks_to_stop_and_keeps_what_was_reached(strip: JobStrip, qtbot):
    strip.show_progress(HALF)
    with qtbot.waitSignal(strip.pause_requested):
        press(qtbot, strip.main_button)
    assert strip.state is JobState.STOPPING
    assert not strip.main_button.isEnabled()
    strip.finish(CANCELLED)
    assert strip.state is JobState.PAUSED
    assert strip.text() == "Paused · Download 47 of 94 MB"


def test_the_focus_stays_at_the_strip_from_cancel_to_the_next_start(strip: JobStrip, qtbot):
    strip.show_progress(HALF)
    strip.cancel_button.setFocus()
    press(qtbot, strip.cancel_button)
    assert strip.window().focusWidget() is strip
    strip.end()
    assert strip.window().focusWidget() is strip.main_button


def test_the_focus_is_told_of_when_the_strip_goes(strip: JobStrip, qtbot):
    strip.show_progress(HALF)
    strip.main_button.setFocus()
    strip.state_changed.connect(strip.hide)
    with qtbot.waitSignal(strip.focus_freed):
        strip.finish(CANCELLED)


def test_progress_that_was_on_its_way_does_not_undo_a_pause(strip: JobStrip, qtbot):
    strip.show_progress(HALF)
    press(qtbot, strip.main_button)
    strip.show_progress(HALF)
    assert strip.state is JobState.STOPPING


def test_paused_job_resumes_from_what_was_reached(strip: JobStrip, qtbot):
    strip.show_progress(HALF)
    press(qtbot, strip.main_button)
    strip.finish(CANCELLED)
    with qtbot.waitSignal(strip.start_requested):
        press(qtbot, strip.main_button)
    assert strip.state is JobState.RUNNING
    assert set(strip.findChildren(QPushButton)) == {strip.main_button, strip.cancel_button}


def test_stop_that_nobody_asked_for_can_be_resumed(strip: JobStrip):
    strip.show_progress(HALF)
    strip.finish(CANCELLED)
    assert strip.state is JobState.PAUSED
    assert strip.main_button.text() == "Resume"


def test_failure_stands_with_its_cause_and_retry_starts_again(strip: JobStrip, qtbot):
    strip.show_progress(HALF)
    strip.finish(JobFinished(JOB, None, "storage", "Needs 191 MB, 12 MB free on the disk: make room, then retry"))
    assert strip.error_text() == "Needs 191 MB, 12 MB free on the disk: make room, then retry"
    with qtbot.waitSignal(strip.start_requested):
        press(qtbot, strip.main_button)
    assert strip.error_text() == ""
    assert strip.is_busy


def test_finished_job_has_no_button_left(strip: JobStrip):
    strip.show_progress(HALF)
    strip.finish(JobFinished(JOB, "small"))
    assert strip.text() == "Ready"
    assert not strip.main_button.isVisible()


def test_job_that_ends_well_while_being_paused_is_done(strip: JobStrip, qtbot):
    strip.show_progress(HALF)
    press(qtbot, strip.main_button)
    strip.finish(JobFinished(JOB, "small"))
    assert strip.state is JobState.DONE


def test_job_without_a_known_size_has_an_empty_bar(strip: JobStrip):
    strip.show_progress(JobProgress(JOB, "verify", 0, 0))
    assert strip.text() == "Verify"


def test_cancel_is_there_while_there_is_something_to_give_up(strip: JobStrip, qtbot):
    assert not strip.cancel_button.isVisible()
    strip.show_progress(HALF)
    with qtbot.waitSignal(strip.cancel_requested):
        press(qtbot, strip.cancel_button)
    assert strip.state is JobState.STOPPING
    strip.finish(CANCELLED)
    strip.end()
    assert strip.state is JobState.IDLE
    assert not strip.cancel_button.isVisible()


def test_job_of_an_earlier_start_is_shown_as_it_was_left(strip: JobStrip):
    strip.restore(JobRecord(JOB, "A model", FetchJob("starter"), "paused", "Download 1.2 of 1.8 GB", share=0.4))
    assert strip._bar.value() == 400
    assert strip.text() == "Paused · Download 1.2 of 1.8 GB"
    assert strip.main_button.text() == "Resume"
    strip.restore(JobRecord(JOB, "A model", FetchJob("starter"), "failed", "", "offline", "No network: try later"))
    assert strip.error_text() == "No network: try later"
    assert strip.main_button.text() == "Retry"


def test_an_error_can_be_copied_with_its_details(strip: JobStrip, qtbot):
    strip.show_progress(HALF)
    strip.finish(JobFinished(JOB, None, "storage", "The disk is full: make room"))
    note = strip.findChild(ErrorNote)
    press(qtbot, note.copy_button)
    copied = QGuiApplication.clipboard().text()
    assert copied == "The disk is full: make room\nError: storage\nLast progress: Download 47 of 94 MB"


def test_a_failed_job_is_dismissed_not_cancelled(strip: JobStrip, qtbot):
    strip.show_progress(HALF)
    strip.finish(JobFinished(JOB, None, "download", "It broke"))
    assert strip.cancel_button.text() == "Dismiss"
    with qtbot.waitSignal(strip.cancel_requested):
        press(qtbot, strip.cancel_button)


def test_a_job_that_is_done_offers_to_load_what_it_has_brought(qtbot):
    strip = JobStrip(StartWord.CONVERT, offers_load=True)
    qtbot.addWidget(strip)
    strip.show()
    strip.finish(JobFinished(JOB, "tiny"))
    assert strip.main_button.text() == "Load"
    with qtbot.waitSignal(strip.load_requested) as asked:
        press(qtbot, strip.main_button)
    assert asked.args == ["tiny"]
    strip.show_loaded(None, "tiny")
    assert not strip.main_button.isVisible()
    strip.show_loaded("tiny", None)
    assert strip.text() == "Ready and loaded"
    assert strip.main_button.text() == "Start a chat"
    with qtbot.waitSignal(strip.chat_requested):
        press(qtbot, strip.main_button)
