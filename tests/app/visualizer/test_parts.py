"""The smaller parts of the memory view: how many chats fit, the machine's memory, and the last steps."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QLabel

from app.theme import apply_zoom, current_theme
from app.visualizer.fit_planner import FitPlanner
from app.visualizer.machine_memory import MachineMemory
from app.visualizer.part_chip import PartChip
from app.visualizer.step_legend import StepLegend
from app.visualizer.step_log import StepLog
from app.visualizer.step_text import table
from app.visualizer.step_timeline import StepTimeline
from engine.messages import StepReport, StepsTaken
from engine.planner import MemoryUse, chat_blocks

from .pools import MODEL

GIB = 2**30


def step(end_s: float, prefill: int = 0, decode: int = 1) -> StepReport:
    return StepReport(end_s, 0.05, prefill, decode, 1, 0, 0)


@pytest.fixture
def planner(qtbot) -> FitPlanner:
    widget = FitPlanner()
    qtbot.addWidget(widget)
    # 64 blocks of 16 tokens.
    widget.show_model(MODEL)
    return widget


def test_as_many_chats_fit_as_whole_blocks_allow(planner: FitPlanner):
    planner.context_slider.setValue(0)
    planner.chats_slider.setValue(2)
    assert planner.context == 512
    assert planner.verdict.text() == (
        "There is room for 2 chats of 512 tokens: 1.0 MiB of the 1.0 MiB for chats. Of this length, 2 fit at once."
    )


def test_what_does_not_fit_says_what_to_do(planner: FitPlanner):
    planner.context_slider.setValue(1)
    planner.chats_slider.setValue(4)
    assert "together: 4.0 MiB needed, 1.0 MiB there. Of this length, 1 fits" in planner.text()
    assert "raise “Memory for chats”" in planner.text()
    assert "4. No room for 4 chats" in planner.chats_slider.accessibleDescription()


def test_of_a_model_with_a_window_more_and_longer_chats_fit(planner: FitPlanner):
    planner.context_slider.setValue(1)
    num_whole = planner.num_fitting()
    planner.show_model(replace(MODEL, cache_window=64, max_chunk=32))
    planner.context_slider.setValue(1)
    assert planner.num_fitting() > num_whole
    assert planner.num_fitting() == MODEL.num_blocks // chat_blocks(
        replace(MODEL, cache_window=64, max_chunk=32), planner.context
    )


def test_longest_chat_is_the_models_context(planner: FitPlanner):
    planner.show_model(replace(MODEL, max_context=3000))
    planner.context_slider.setValue(99)
    assert planner.context == 3000


def test_eight_bits_hold_more_chats_in_the_same_memory(planner: FitPlanner):
    assert planner.eight_bits.isHidden()
    planner.show_model(replace(MODEL, eight_bit_kv_bytes_per_token=MODEL.kv_bytes_per_token // 2))
    planner.context_slider.setValue(0)
    assert planner.num_fitting() == 2
    planner.eight_bits.setChecked(True)
    assert planner.num_fitting() == 4
    assert "3 chats of 512 tokens: 768 KiB of the 1.0 MiB" in planner.text()


def test_slider_moves_by_keys(planner: FitPlanner, qtbot):
    planner.context_slider.setValue(0)
    qtbot.keyClick(planner.context_slider, Qt.Key.Key_Right)
    assert planner.context == 1024


def test_machines_memory_is_told_and_divided(qtbot):
    memory = MachineMemory(lambda: MemoryUse(8 * GIB, 3 * GIB, GIB, 0))
    qtbot.addWidget(memory)
    memory.refresh()
    assert memory.words() == "RAM: this program 1.0 GiB, other programs 4.0 GiB, left 3.0 GiB of 8.0 GiB"
    key = [entry.label.text() for entry in memory._entries]
    assert key == ["this program 1.0 GiB", "other programs 4.0 GiB", "left 3.0 GiB of 8.0 GiB"]
    assert memory.alarm.isHidden()


def test_program_on_the_disk_is_an_alarm_with_its_remedy(qtbot):
    memory = MachineMemory(lambda: MemoryUse(8 * GIB, 3 * GIB, GIB, GIB // 2))
    qtbot.addWidget(memory)
    memory.refresh()
    assert not memory.alarm.isHidden()
    assert memory.alarm.text().startswith("512 MiB of this program were moved to the disk")
    assert "smaller model" in memory.alarm.text()


def test_scarce_memory_is_told_before_it_is_too_late(qtbot):
    memory = MachineMemory(lambda: MemoryUse(8 * GIB, GIB // 4, GIB, None))
    qtbot.addWidget(memory)
    memory.refresh()
    assert memory.alarm.text().startswith("Only 256 MiB of memory are left")


def test_machine_is_read_while_visible_alone(qtbot):
    reads: list[int] = []

    def read() -> MemoryUse:
        reads.append(1)
        return MemoryUse(8 * GIB, 3 * GIB, GIB, 0)

    memory = MachineMemory(read)
    qtbot.addWidget(memory)
    assert not reads
    memory.show()
    assert len(reads) == 1
    memory.hide()
    assert not memory._timer.isActive()


def test_steps_older_than_the_span_are_forgotten():
    log = StepLog()
    log.add(StepsTaken((step(1.0, decode=100), step(9.0)), 9.5))
    log.add(StepsTaken((step(11.0, prefill=32, decode=0),), 12.0))
    total = log.total()
    assert (total.num_steps, total.num_prefill_tokens, total.num_decode_tokens) == (2, 32, 1)


def test_slices_cover_the_span_once():
    log = StepLog()
    log.add(StepsTaken(tuple(step(end / 4) for end in range(1, 41)), 10.0))
    for parts in (log.slices(), log.seconds()):
        assert sum(part.num_steps for part in parts) == len(log) == 40
        assert sum(part.num_decode_tokens for part in parts) == log.total().num_decode_tokens


def test_table_has_a_line_for_each_second():
    log = StepLog()
    log.add(StepsTaken((step(9.5, prefill=64, decode=2),), 10.0))
    lines = table(log).splitlines()
    assert len(lines) == 11
    assert lines[-1].split("\t") == ["1", "1", "64", "2", "50", "1", "0", "0", "0"]


def test_timeline_describes_the_column_under_its_cursor(qtbot):
    log = StepLog()
    timeline = StepTimeline(log)
    qtbot.addWidget(timeline)
    timeline.resize(200, 100)
    with qtbot.waitExposed(timeline):
        timeline.show()
    log.add(StepsTaken((step(9.99),), 10.0))
    timeline.refresh()
    said: list[str] = []
    timeline.described.connect(said.append)
    timeline.setFocus()
    qtbot.keyClick(timeline, Qt.Key.Key_End)
    assert said[-1] == "0.1 s ago · 1 token of answers · 1 step of 50 ms · 1 chat at once"
    qtbot.keyClick(timeline, Qt.Key.Key_Left)
    assert said[-1].endswith("nothing computed")
    assert timeline.accessibleDescription() == said[-1]


def test_the_legend_tells_of_each_mark_of_the_timeline(qtbot):
    legend = StepLegend()
    qtbot.addWidget(legend)
    legend.resize(300, legend.heightForWidth(300))
    with qtbot.waitExposed(legend):
        legend.show()
    picture = legend.grab().toImage()
    theme = current_theme()
    seen = {picture.pixelColor(x, y).name() for x in range(picture.width()) for y in range(picture.height())}
    roles = ("bar_cached", "bar_used", "warning", "error", "ok")
    assert [role for role in roles if theme.color(role).name() not in seen] == []
    for word in ("prompts", "answers", "waits", "preempted", "swapped out", "back again"):
        assert word in legend.accessibleDescription()


def test_a_mouse_dragged_out_of_the_timeline_stays_at_its_end(qtbot):
    log = StepLog()
    timeline = StepTimeline(log)
    qtbot.addWidget(timeline)
    timeline.resize(200, 100)
    log.add(StepsTaken((step(0.01, prefill=7), step(9.99)), 10.0))
    timeline.refresh()
    said: list[str] = []
    timeline.described.connect(said.append)
    for x in (-30, 230):
        point = QPointF(x, 50)
        left = Qt.MouseButton.LeftButton
        timeline.mouseMoveEvent(
            QMouseEvent(QEvent.Type.MouseMove, point, point, left, left, Qt.KeyboardModifier.NoModifier)
        )
    assert [words.split(" · ")[0] for words in said] == ["9.9 s ago", "0.1 s ago"]


def test_what_a_legend_shows_beside_its_words_grows_with_the_zoom(qtbot, qapp):
    chip, legend = PartChip("bar_used"), StepLegend()
    qtbot.addWidget(chip)
    qtbot.addWidget(legend)
    samples = [label.parentWidget().layout().itemAt(0).widget() for label in legend.findChildren(QLabel)]
    before = [widget.height() for widget in (chip, *samples)]
    apply_zoom(qapp, 150)
    assert [widget.height() for widget in (chip, *samples)] == [height * 3 // 2 for height in before]
    apply_zoom(qapp, 100)
