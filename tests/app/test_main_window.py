"""The window as a whole: its start without torch, its keys, its pages, its end."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QLockFile, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QInputDialog, QSpinBox, QTabBar
from pytestqt.qtbot import QtBot

from app import application
from app.__main__ import display_problem, library_problem
from app.main_window import MainWindow
from app.state import settings as options
from app.state.session import Phase
from app.theme import current_theme
from engine.api import ModelEntry, list_models
from engine.messages import (
    BlockSnapshot,
    EngineDied,
    EngineStats,
    FetchJob,
    JobFinished,
    JobProgress,
    LoadModel,
    ModelLoadFailed,
    ModelLoadProgress,
    RequestQueued,
    StartJob,
    Submit,
    WatchBlocks,
)
from engine.planner import Machine
from tests.app.fake_engine import FakeEngine, FakeEngines

ROOT = Path(__file__).resolve().parents[2]
CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier

OpenWindow = Callable[[], MainWindow]


@pytest.fixture
def window(qtbot: QtBot, open_window: OpenWindow, engines: FakeEngines) -> MainWindow:
    """A window that has been painted, with the model loaded."""
    result = open_window()
    wait_until_started(qtbot, engines)
    engines.newest.get_ready()
    qtbot.waitUntil(lambda: result.models.loaded is not None)
    return result


@pytest.fixture
def engine(window: MainWindow, engines: FakeEngines) -> FakeEngine:
    return engines.newest


def wait_until_started(qtbot: QtBot, engines: FakeEngines) -> None:
    qtbot.waitUntil(lambda: bool(engines.made) and engines.newest.is_started)


def send(qtbot: QtBot, window: MainWindow, engine: FakeEngine, text: str) -> str:
    """Types into the current tab and sends; returns the request's id."""
    tab = window.tabs.current_tab()
    assert tab is not None, "no tab is open"
    qtbot.keyClicks(tab.composer, text)
    qtbot.keyClick(tab.composer, Qt.Key.Key_Return)
    return engine.submits()[-1].request_id


def titles(window: MainWindow) -> list[str]:
    return [tab.session.title for tab in window.tabs.tabs()]


# --- start


def test_the_engine_starts_after_the_first_paint_with_the_model_of_last_time(
    qtbot: QtBot, open_window: OpenWindow, engines: FakeEngines
) -> None:
    window = open_window()
    assert not engines.newest.is_started
    wait_until_started(qtbot, engines)
    assert LoadModel("tiny") in engines.newest.commands
    engines.newest.emit(ModelLoadProgress("tiny", 3, 30))
    qtbot.waitUntil(lambda: "loading, layer 3 of 30" in window.status_line.label.text())


def test_the_window_is_painted_before_torch_is_imported(tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
import qasync
from PySide6.QtWidgets import QApplication
from app import application
from engine.api import EngineConfig
app = QApplication([])
loop = qasync.QEventLoop(app)
config = EngineConfig(home=Path(sys.argv[1]))
window = application.make_window(config.home, loop, application.engine_factory(config))
window.first_painted.disconnect()
window.first_painted.connect(lambda: print(sorted({"torch", "numpy"} & set(sys.modules))))
window.first_painted.connect(window.close)
window.closed.connect(loop.stop)
window.show()
loop.run_forever()
"""
    result = run_python("-c", code, str(tmp_path))
    assert (result.returncode, result.stdout.strip()) == (0, "[]"), result.stderr


def test_closing_the_real_program_ends_it_with_code_zero(tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
from app import application, main_window
main_window.MainWindow.showEvent = lambda self, event: self.first_painted.connect(self.close)
sys.exit(application.run(Path(sys.argv[1]), "cpu"))
"""
    result = run_python("-c", code, str(tmp_path))
    assert result.returncode == 0, result.stderr
    assert "Traceback" not in result.stderr


def test_a_fault_in_a_slot_is_logged_and_the_window_goes_on(tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from app import application, main_window
def fault():
    raise ValueError("a fault of a slot")
def show(self, event):
    self.first_painted.connect(fault)
    self.first_painted.connect(lambda: QTimer.singleShot(0, self.close))
main_window.MainWindow.showEvent = show
sys.exit(application.run(Path(sys.argv[1]), "cpu"))
"""
    result = run_python("-c", code, str(tmp_path))
    assert result.returncode == 0, result.stderr
    assert "a fault of a slot" in (tmp_path / "app.log").read_text(encoding="utf-8")


def test_a_second_window_on_the_same_folder_is_refused(tmp_path: Path) -> None:
    lock = QLockFile(str(tmp_path / "app.lock"))
    assert lock.tryLock(0)
    result = run_python("-m", "app", "--home", str(tmp_path))
    lock.unlock()
    assert result.returncode == 1
    assert "already running" in result.stderr


def test_the_self_test_says_what_to_do_without_a_model(tmp_path: Path) -> None:
    result = run_python("-m", "app", "--home", str(tmp_path), "--self-test")
    assert result.returncode == 1
    assert "python -m engine fetch starter" in result.stdout


def test_without_a_display_one_line_names_the_terminal_chat(tmp_path: Path) -> None:
    assert display_problem("win32", {}) is None
    assert display_problem("linux", {"DISPLAY": ":0"}) is None
    assert display_problem("linux", {"WAYLAND_DISPLAY": "wayland-0"}) is None
    assert display_problem("linux", {"QT_QPA_PLATFORM": "offscreen"}) is None
    assert "python -m engine chat starter" in (display_problem("linux", {"QT_QPA_PLATFORM": "xcb"}) or "")


def test_a_missing_system_library_is_named_with_its_package() -> None:
    text = library_problem("libEGL.so.1: cannot open shared object file: No such file or directory")
    assert text is not None
    assert "libEGL.so.1" in text
    assert "apt install libegl1" in text
    assert "libfoo.so.2" in (library_problem("libfoo.so.2: cannot open shared object file") or "")
    assert library_problem("No module named 'qasync'") is None


def run_python(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


# --- chats and tabs


def test_two_tabs_stream_at_once_each_into_its_own_chat(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    first = send(qtbot, window, engine, "first question")
    qtbot.keyClick(window, Qt.Key.Key_T, CONTROL)
    second = send(qtbot, window, engine, "second question")
    engine.answer(first, "one")
    engine.answer(second, "two")
    one, two = window.tabs.tabs()
    qtbot.waitUntil(lambda: (one.session.answer.text, two.session.answer.text) == ("one", "two"))
    assert one.session.is_busy
    assert two.session.is_busy
    engine.finish(second)
    qtbot.waitUntil(lambda: not two.session.is_busy)
    assert one.session.is_busy


def test_a_tab_says_what_its_chat_is_doing(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    request_id = send(qtbot, window, engine, "R&D")
    engine.emit(RequestQueued(request_id, 1))
    qtbot.waitUntil(lambda: window.tabs.tabText(0) == "R&&D  (2nd)")
    engine.answer(request_id, "hi")
    qtbot.waitUntil(lambda: window.tabs.tabText(0) == "R&&D")


def test_keys_open_switch_and_close_tabs(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    for number in range(2):
        send(qtbot, window, engine, f"chat {number}")
        qtbot.keyClick(window, Qt.Key.Key_T, CONTROL)
    assert titles(window) == ["chat 0", "chat 1", "New chat"]
    qtbot.keyClick(window, Qt.Key.Key_Tab, CONTROL)
    assert window.tabs.currentIndex() == 0
    qtbot.keyClick(window, Qt.Key.Key_Backtab, CONTROL | SHIFT)
    assert window.tabs.currentIndex() == 2
    qtbot.keyClick(window, Qt.Key.Key_W, CONTROL)
    assert titles(window) == ["chat 0", "chat 1"]


def test_the_middle_button_and_the_cross_close_a_tab(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    bar = window.tabs.tabBar()
    for number in range(3):
        send(qtbot, window, engine, f"chat {number}")
        if number < 2:
            window.chats.new_chat()
    qtbot.mouseClick(bar, Qt.MouseButton.MiddleButton, pos=bar.tabRect(1).center())
    assert titles(window) == ["chat 0", "chat 2"]
    cross = bar.tabButton(0, QTabBar.ButtonPosition.RightSide)
    qtbot.mouseClick(cross, Qt.MouseButton.LeftButton)
    assert titles(window) == ["chat 2"]


def test_closing_a_streaming_tab_cancels_and_keeps_the_chat(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    request_id = send(qtbot, window, engine, "a story")
    engine.answer(request_id, "once upon")
    tab = window.tabs.current_tab()
    assert tab is not None
    qtbot.waitUntil(lambda: tab.session.answer.text == "once upon")
    chat_id = tab.session.id
    qtbot.keyClick(window, Qt.Key.Key_W, CONTROL)
    assert engine.cancelled() == [request_id]
    assert titles(window) == ["New chat"]
    window.chats.open(chat_id)
    reopened = window.tabs.tab_of(chat_id)
    assert reopened is not None
    assert [message.text for message in reopened.session.messages] == ["a story", "once upon"]


def test_the_next_start_opens_the_same_tabs(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, open_window: OpenWindow
) -> None:
    for number in range(3):
        send(qtbot, window, engine, f"chat {number}")
        window.chats.new_chat()
    window.tabs.setCurrentIndex(1)
    window.close()
    again = open_window()
    assert titles(again) == ["chat 0", "chat 1", "chat 2"]
    assert again.tabs.currentIndex() == 1


def test_renaming_changes_tab_list_and_disk(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    send(qtbot, window, engine, "old name")
    tab = window.tabs.current_tab()
    assert tab is not None
    window.chats.rename(tab.session.id, "  new\nname ")
    assert window.tabs.tabText(0).startswith("new name")
    assert window.sidebar.list.item(1).text() == "new name"
    window.chats.rename(tab.session.id, "   ")
    assert tab.session.title == "new name"


def test_a_deleted_chat_is_gone_from_tab_list_and_disk(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    request_id = send(qtbot, window, engine, "secret")
    tab = window.tabs.current_tab()
    assert tab is not None
    window.chats.delete(tab.session.id)
    assert engine.cancelled() == [request_id]
    assert titles(window) == ["New chat"]
    assert window.sidebar.list.count() == 0


def test_search_narrows_the_list(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    send(qtbot, window, engine, "apples")
    window.chats.new_chat()
    send(qtbot, window, engine, "pears")
    qtbot.keyClicks(window.sidebar.search_field, "pear")
    qtbot.waitUntil(lambda: window.sidebar.list.count() == 2)
    assert window.sidebar.list.item(1).text() == "pears"


def test_a_new_chat_begins_with_the_system_prompt_of_the_settings(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    window.change_setting(options.SYSTEM_PROMPT, "Be brief.")
    window.chats.new_chat()
    send(qtbot, window, engine, "hello")
    assert [message.role for message in engine.submits()[-1].messages] == ["system", "user"]


# --- pages


def test_without_a_model_the_window_welcomes_and_the_first_one_is_loaded(
    qtbot: QtBot, open_window: OpenWindow, engines: FakeEngines, models: list[ModelEntry]
) -> None:
    library = list(models)
    models.clear()
    window = open_window()
    wait_until_started(qtbot, engines)
    assert window.pages.currentWidget() is window.first_run_page
    window.first_run_page.fetch_requested.emit("starter")
    (start,) = [command for command in engines.newest.commands if isinstance(command, StartJob)]
    assert start.job == FetchJob("starter")
    engines.newest.emit(JobProgress(start.job_id, "download", 1, 2))
    models.extend(library)
    engines.newest.emit(JobFinished(start.job_id, "tiny"))
    qtbot.waitUntil(lambda: window.pages.currentWidget() is window.tabs)
    assert LoadModel("tiny") in engines.newest.commands


def test_the_welcome_measures_the_disk_of_the_windows_own_data_folder(
    open_window: OpenWindow, models: list[ModelEntry], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[Path] = []
    monkeypatch.setattr(
        application, "machine", lambda home: asked.append(home) or Machine("A CPU", 4, 2**34, 2**33, 41 * 10**9)
    )
    models.clear()
    window = open_window()
    assert window.first_run_page.isVisible()
    assert set(asked) == {tmp_path}


def test_a_library_that_cannot_be_read_is_told_and_can_be_tried_again(
    qtbot: QtBot, open_window: OpenWindow, engines: FakeEngines, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    listing = application.list_models
    monkeypatch.setattr(application, "list_models", list_models)
    (tmp_path / "models").write_text("no folder", encoding="utf-8")
    (tmp_path / "settings.json").write_text("{", encoding="utf-8")
    window = open_window()
    wait_until_started(qtbot, engines)
    said = window.banner.label.text()
    assert "The models cannot be listed" in said
    assert str(tmp_path / "models") in said
    assert "settings file was damaged" in said
    monkeypatch.setattr(application, "list_models", listing)
    qtbot.mouseClick(window.banner.action_button, Qt.MouseButton.LeftButton)
    assert not window.banner.isVisible()
    assert window.pages.currentWidget() is window.tabs
    assert engines.newest.commands[-1] == LoadModel("tiny")


def test_settings_that_cannot_be_saved_say_why_and_what_to_do(window: MainWindow, tmp_path: Path) -> None:
    (tmp_path / "settings.json.new").mkdir()
    window.change_setting(options.SYSTEM_PROMPT, "Be brief.")
    said = window.banner.label.text()
    assert "settings.json.new" in said
    assert "Free some space" not in said
    assert window.settings.get(options.SYSTEM_PROMPT) == "Be brief."


def test_escape_leads_back_from_models_and_settings(qtbot: QtBot, window: MainWindow) -> None:
    for show, page in ((window.show_models, window.model_page), (window.show_settings, window.settings_page)):
        show()
        assert window.pages.currentWidget() is page
        qtbot.keyClick(page, Qt.Key.Key_Escape)
        assert window.pages.currentWidget() is window.tabs


def test_a_system_prompt_typed_just_before_leaving_is_kept(qtbot: QtBot, window: MainWindow) -> None:
    window.show_settings()
    field = window.settings_page.fields["system_prompt"]
    qtbot.keyClicks(field, "Be brief.")
    qtbot.keyClick(window.settings_page, Qt.Key.Key_Escape)
    assert window.settings.get(options.SYSTEM_PROMPT) == "Be brief."


def test_longest_answer_is_the_engines_choice_until_it_is_set(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    field = window.settings_page.fields["max_tokens"]
    assert isinstance(field, QSpinBox)
    assert field.text() == "automatic"
    send(qtbot, window, engine, "one")
    field.setValue(300)
    window.chats.new_chat()
    send(qtbot, window, engine, "two")
    limits = [command.params.max_tokens for command in engine.commands if isinstance(command, Submit)]
    assert limits == [None, 300]


def test_a_double_click_on_a_tab_renames_its_chat(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    send(qtbot, window, engine, "old name")
    bar = window.tabs.tabBar()
    qtbot.mouseDClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(0).center())
    dialog = window.tabs.findChild(QInputDialog)
    assert dialog is not None
    dialog.setTextValue("new name")
    dialog.accept()
    assert titles(window) == ["new name"]


def test_panels_are_toggled_and_stay_so(qtbot: QtBot, window: MainWindow, open_window: OpenWindow) -> None:
    qtbot.keyClick(window, Qt.Key.Key_B, CONTROL)
    qtbot.keyClick(window, Qt.Key.Key_M, CONTROL)
    assert not window.sidebar.isVisible()
    assert not window.memory_panel.isVisible()
    window.close()
    again = open_window()
    assert not again.sidebar.isVisible()
    assert not again.memory_panel.isVisible()


def test_snapshots_are_asked_for_only_while_the_memory_view_shows(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    def last_watch() -> WatchBlocks:
        return [command for command in engine.commands if isinstance(command, WatchBlocks)][-1]

    assert last_watch().is_on
    engine.snapshot_sink(BlockSnapshot("tiny", 1, 16, 1, bytes(4), bytes(4), b"\xff" * 4, bytes(4), (), ()))
    qtbot.keyClick(window, Qt.Key.Key_M, CONTROL)
    assert not last_watch().is_on
    qtbot.keyClick(window, Qt.Key.Key_M, CONTROL)
    assert last_watch().is_on


def test_zoom_keys_scale_the_font_within_bounds_and_stay(
    qtbot: QtBot, window: MainWindow, open_window: OpenWindow
) -> None:
    def points() -> float:
        return QFont(QApplication.font()).pointSizeF()

    base = points()
    qtbot.keyClick(window, Qt.Key.Key_Plus, CONTROL)
    assert points() == pytest.approx(base * 1.1)
    for _ in range(20):
        qtbot.keyClick(window, Qt.Key.Key_Plus, CONTROL)
    assert points() == pytest.approx(base * 2)
    qtbot.keyClick(window, Qt.Key.Key_0, CONTROL)
    qtbot.keyClick(window, Qt.Key.Key_Minus, CONTROL)
    assert points() == pytest.approx(base * 0.9)
    window.close()
    open_window().change_setting(options.ZOOM_PERCENT, 100)
    assert points() == pytest.approx(base)


def test_the_theme_changes_at_once_and_shown_answers_follow(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    request_id = send(qtbot, window, engine, "hello")
    engine.answer(request_id, "some `code`")
    engine.finish(request_id)
    tab = window.tabs.current_tab()
    assert tab is not None
    qtbot.waitUntil(lambda: tab.session.phase is Phase.IDLE)
    for name in ("dark", "light"):
        window.change_setting(options.THEME, name)
        assert current_theme().name == name
        view = tab.transcript.answer_view()
        assert view is not None
        body = view.body.views[0].document().toHtml()  # type: ignore[union-attr]
        assert current_theme().colors["code_bg"] in body


# --- engine


def test_the_status_line_sums_the_engine_up(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    engine.emit(EngineStats(3, 1, 39, 0, 61, 118.4))
    expected = "engine: ready · CPU, 2 threads · 3 running, 1 waiting · 118 tok/s together · KV 61 %"
    qtbot.waitUntil(lambda: window.status_line.label.text() == expected)


def test_a_dead_engine_can_be_restarted_and_chats_stay(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, engines: FakeEngines
) -> None:
    send(qtbot, window, engine, "hello")
    engine.emit(EngineDied("engine_error", "The engine stopped: out of memory"))
    qtbot.waitUntil(window.banner.isVisible)
    tab = window.tabs.current_tab()
    assert tab is not None
    qtbot.waitUntil(lambda: tab.session.phase is Phase.FAILED)
    assert window.banner.label.text() == "The engine stopped: out of memory"
    assert window.models.loaded is None
    qtbot.mouseClick(window.banner.action_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(engines.made) == 2 and LoadModel("tiny") in engines.newest.commands)
    engines.newest.get_ready()
    qtbot.waitUntil(lambda: window.models.loaded is not None)
    tab.retry()
    assert len(engines.newest.submits()) == 1


def test_a_message_to_a_dead_engine_brings_the_way_to_restart_back(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine
) -> None:
    engine.emit(EngineDied("engine_error", "The engine stopped: out of memory"))
    qtbot.waitUntil(window.banner.isVisible)
    window.banner.hide()
    tab = window.tabs.current_tab()
    assert tab is not None
    tab.submit("hello")
    assert window.banner.action_button.text() == "Restart engine"
    assert window.banner.isVisible()
    qtbot.waitUntil(lambda: tab.session.phase is Phase.FAILED)
    assert engine.submits() == []


def test_a_model_that_cannot_be_loaded_says_why(qtbot: QtBot, window: MainWindow, engine: FakeEngine) -> None:
    engine.emit(ModelLoadFailed("tiny", "checkpoint", "layers/0003 is damaged: get the model again"))
    qtbot.waitUntil(window.banner.isVisible)
    assert window.banner.label.text() == "layers/0003 is damaged: get the model again"


def test_closing_keeps_a_streaming_answer_and_closes_the_engine(
    qtbot: QtBot, window: MainWindow, engine: FakeEngine, open_window: OpenWindow
) -> None:
    request_id = send(qtbot, window, engine, "a story")
    engine.answer(request_id, "once upon")
    tab = window.tabs.current_tab()
    assert tab is not None
    qtbot.waitUntil(lambda: tab.session.phase is Phase.STREAMING)
    with qtbot.waitSignal(window.closed):
        window.close()
    assert engine.is_closed
    assert engine.cancelled() == [request_id]
    again = open_window().tabs.current_tab()
    assert again is not None
    assert [message.text for message in again.session.messages] == ["a story", "once upon"]
    assert again.session.messages[-1].end == "cancelled"


def test_a_damaged_history_is_said_and_the_window_opens(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    (tmp_path / "chats.sqlite3").write_bytes(b"no database" * 500)
    (tmp_path / "settings.json").write_text("{", encoding="utf-8")
    window = open_window()
    assert window.banner.isVisible()
    assert "settings file was damaged" in window.banner.label.text()
    assert "chat history is damaged" in window.banner.label.text()
    assert titles(window) == ["New chat"]
