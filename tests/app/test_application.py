"""The program from its start to its exit code: without torch, without a display, with faults."""

from __future__ import annotations

import json
import os
import socket
import sys
import tempfile
from pathlib import Path

import pytest
from PySide6.QtCore import QLockFile
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app import application
from app.__main__ import can_reach_display, cursor_library_problem, display_problem, library_problem
from app.running_window import RunningWindow, ask_to_show
from tests.app.processes import run_python


def test_the_window_is_painted_before_torch_is_imported(tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
import qasync
from PySide6.QtWidgets import QApplication
from app import application
from app.state.settings import Settings
from engine.api import EngineConfig
app = QApplication([])
loop = qasync.QEventLoop(app)
config = EngineConfig(home=Path(sys.argv[1]))
window = application.make_window(
    config.home, loop, application.engine_factory(lambda: config), Settings(config.home / "settings.json")
)
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
    code = """
import sys
from pathlib import Path
from app import application
application._ENDING_WAIT_MS = 0
sys.exit(application.run(Path(sys.argv[1]), "cpu"))
"""
    result = run_python("-c", code, str(tmp_path))
    lock.unlock()
    assert result.returncode == 1
    assert "already running" in result.stderr


def test_the_window_gets_its_turns_soon_and_no_garbage_collector_holds_it_up(tmp_path: Path) -> None:
    code = """
import gc
import sys
from pathlib import Path
from app import application

def make_window(*arguments):
    window = make(*arguments)

    def tell():
        print(sys.getswitchinterval() <= 0.001, gc.get_freeze_count() > len(gc.get_objects()))
        window.close()

    window.first_painted.connect(tell)
    return window

make, application.make_window = application.make_window, make_window
sys.exit(application.run(Path(sys.argv[1]), "cpu"))
"""
    result = run_python("-c", code, str(tmp_path))
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == ["True", "True"]


def test_a_start_behind_a_window_that_is_being_closed_waits_for_its_end(tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
from PySide6.QtCore import QLockFile
from app import application
other = QLockFile(sys.argv[1] + "/app.lock")
assert other.tryLock(0)
application.ask_to_show = lambda home: other.unlock()
application._run_loop = lambda *_: (7, False)
sys.exit(application.run(Path(sys.argv[1]), "cpu"))
"""
    assert run_python("-c", code, str(tmp_path)).returncode == 7


def test_a_window_that_is_being_closed_is_not_asked_to_show_itself(qtbot: QtBot, tmp_path: Path) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    RunningWindow(tmp_path, window)
    assert ask_to_show(tmp_path)
    window.close()
    assert not ask_to_show(tmp_path)


def test_without_a_console_a_dialog_says_why_no_window_opens(tmp_path: Path) -> None:
    no_folder = tmp_path / "file"
    no_folder.write_text("")
    code = """
import sys
from pathlib import Path
from PySide6.QtWidgets import QMessageBox
from app import application
QMessageBox.critical = lambda parent, title, words: print(words)
sys.stderr = None
sys.exit(application.run(Path(sys.argv[1]), "cpu"))
"""
    result = run_python("-c", code, str(no_folder))
    assert result.returncode == 1
    assert f"The data folder {no_folder} cannot be written" in result.stdout


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(
    ("error", "step"),
    [
        (QLockFile.LockError.PermissionError, "Allow writing to it"),
        (QLockFile.LockError.UnknownError, "Free some space"),
    ],
)
def test_a_data_folder_that_cannot_be_locked_says_what_to_do(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: QLockFile.LockError,
    step: str,
) -> None:
    class Unlocked(QLockFile):
        def tryLock(self, timeout_ms: int = 0) -> bool:  # noqa: N802 - Qt's name
            return False

        def error(self) -> QLockFile.LockError:
            return error

    monkeypatch.setattr(application, "QLockFile", Unlocked)
    monkeypatch.setattr(application, "_start_log", lambda home: None)
    assert application.run(tmp_path, "cpu") == 1
    assert f"The data folder {tmp_path} cannot be written. {step}, or choose another" in capsys.readouterr().err


def test_a_second_start_brings_the_running_window_to_the_front(qtbot: QtBot, tmp_path: Path) -> None:
    lock = QLockFile(str(tmp_path / "app.lock"))
    assert lock.tryLock(0)
    running = RunningWindow(tmp_path)
    asked: list[bool] = []
    running.show_requested.connect(lambda: asked.append(True))
    result = run_python("-m", "app", "--home", str(tmp_path))
    lock.unlock()
    assert result.returncode == 1
    assert "brought to the front" in result.stderr
    qtbot.waitUntil(lambda: asked == [True])


def test_the_self_test_says_what_to_do_without_a_model(tmp_path: Path) -> None:
    result = run_python("-m", "app", "--home", str(tmp_path), "--self-test")
    assert result.returncode == 1
    assert "python -m engine fetch starter" in result.stdout


def test_without_a_display_one_line_names_the_terminal_chat(tmp_path: Path) -> None:
    assert display_problem("win32", {}) is None
    assert display_problem("linux", {"DISPLAY": ":0"}, lambda display: True) is None
    assert display_problem("linux", {"WAYLAND_DISPLAY": "wayland-0"}) is None
    assert display_problem("linux", {"QT_QPA_PLATFORM": "offscreen"}) is None
    assert "python -m engine chat starter" in (display_problem("linux", {"QT_QPA_PLATFORM": "xcb"}) or "")


def test_a_display_that_cannot_be_reached_is_named_before_qt_would_abort() -> None:
    said = display_problem("linux", {"DISPLAY": ":41"}, lambda display: False) or ""
    assert ":41" in said
    assert "python -m engine chat starter" in said
    assert display_problem("linux", {"DISPLAY": ":41", "WAYLAND_DISPLAY": "wayland-0"}, lambda display: False) is None


def test_a_display_is_reached_where_something_listens() -> None:
    with socket.create_server(("localhost", 0)) as server:
        number = server.getsockname()[1] - 6000
        assert can_reach_display(f"localhost:{number}.0")
    assert not can_reach_display(f"localhost:{number}.0")
    assert not can_reach_display("localhost:99999")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such sockets")
def test_a_display_of_this_machine_is_reached_by_its_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory() as folder:  # a socket's path must be short
        monkeypatch.setattr("app.__main__._X11_SOCKETS", folder)
        assert not can_reach_display(":77")
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(f"{folder}/X77")
            server.listen()
            assert can_reach_display(":77")


def test_a_missing_system_library_is_named_with_its_package() -> None:
    text = library_problem("libEGL.so.1: cannot open shared object file: No such file or directory")
    assert text is not None
    assert "libEGL.so.1" in text
    assert "apt install libegl1" in text
    assert "libfoo.so.2" in (library_problem("libfoo.so.2: cannot open shared object file") or "")
    assert library_problem("No module named 'qasync'") is None


@pytest.mark.parametrize(
    ("environment", "can_load", "is_problem"),
    [
        ({"DISPLAY": ":0"}, False, True),
        ({"DISPLAY": ":0"}, True, False),
        ({"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}, False, False),
        ({"DISPLAY": ":0", "QT_QPA_PLATFORM": "offscreen"}, False, False),
        ({}, False, False),
    ],
)
def test_a_library_without_which_qt_would_abort_is_named_before(
    environment: dict[str, str], can_load: bool, is_problem: bool
) -> None:
    said = cursor_library_problem("linux", environment, lambda _: can_load)
    assert (said is not None) == is_problem
    assert said is None or ("libxcb-cursor.so.0" in said and "apt install libxcb-cursor0" in said)
    assert cursor_library_problem("win32", environment, lambda _: can_load) is None


def test_the_log_has_no_address_that_was_asked(tmp_path: Path) -> None:
    code = """
import logging, sys
from pathlib import Path
from app import application
application._start_log(Path(sys.argv[1]))
logging.getLogger("httpx2").info("HTTP Request: GET https://hub/api/models?search=secret")
logging.getLogger("app").info("a line")
"""
    result = run_python("-c", code, str(tmp_path))
    assert result.returncode == 0, result.stderr
    log = (tmp_path / "app.log").read_text(encoding="utf-8")
    assert "a line" in log
    assert "secret" not in log


def test_a_fault_in_the_self_test_is_a_failed_check(tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
from app import application
from app.checks import self_test
async def fail(self):
    self._check("a first check", True)
    raise ValueError("a fault of the test")
self_test.SelfTest._test = fail
sys.exit(application.run(Path(sys.argv[1]), "cpu", "self-test"))
"""
    result = run_python("-c", code, str(tmp_path))
    assert result.returncode == 1, result.stderr
    report = json.loads(result.stdout)
    assert not report["ok"]
    assert report["checks"][-1]["detail"] == "ValueError: a fault of the test"


def test_a_self_test_whose_window_is_closed_has_failed(tmp_path: Path) -> None:
    code = """
import asyncio, sys
from pathlib import Path
from app import application
from app.checks import self_test
async def be_closed(self):
    self._check("a first check", True)
    asyncio.get_running_loop().call_soon(self._window.close)
    await asyncio.Event().wait()
self_test.SelfTest._test = be_closed
sys.exit(application.run(Path(sys.argv[1]), "cpu", "self-test"))
"""
    result = run_python("-c", code, str(tmp_path))
    assert result.returncode == 1, result.stderr
    report = json.loads(result.stdout)
    assert not report["ok"]
    assert "the window was closed" in report["checks"][-1]["detail"]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names of files are text")
def test_a_data_folder_whose_name_is_no_text_is_refused_with_a_step(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / os.fsdecode(b"home\xff")
    assert application.run(home, "cpu") == 1
    told = capsys.readouterr().err
    assert "has bytes that are no text (UTF-8): rename it, or choose another data folder with --home" in told
    assert not home.exists()
