"""The real starter in a real window, offscreen, in a process of its own."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from app.state.history import History
from app.state.message import Message

ROOT = Path(__file__).resolve().parents[2]


TIMEOUT_S = 600.0
# The window as `python -m app` opens it; it asks by itself, and says when the answer has begun.
ASKING_APP = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from app import application, main_window

def show(window, event):
    timer = QTimer(window, interval=10)
    timer.timeout.connect(lambda: look(window, timer))
    window.models.loaded_changed.connect(lambda _: window.tabs.current_tab().submit("Tell me a very long story."))
    window.models.loaded_changed.connect(lambda _: timer.start())

def look(window, timer):
    session = window.tabs.current_tab().session
    if len(session.answer.text) > 10:
        timer.stop()
        print(session.id, flush=True)

main_window.MainWindow.showEvent = show
sys.exit(application.run(Path(sys.argv[1]), "cpu"))
"""


def offscreen() -> dict[str, str]:
    return {**os.environ, "QT_QPA_PLATFORM": "offscreen"}


def run_offscreen(*arguments):
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=offscreen(), capture_output=True, text=True, encoding="utf-8", timeout=TIMEOUT_S
    )


def stored_messages(home: Path, chat_id: str) -> list[Message]:
    history = History(home / "chats.sqlite3")
    session = history.load(chat_id)
    history.close()
    assert session is not None
    return session.messages


def stored_texts(home: Path, chat_id: str) -> list[str]:
    return [message.text for message in stored_messages(home, chat_id)]


def test_three_tabs_stream_one_is_stopped_one_closed_and_the_program_quits(starter_home):
    result = run_offscreen("tests.e2e.window_driver", str(starter_home))
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    assert report["all_streamed_at_once"]
    # The step that was under way when Stop was pressed may still be published.
    assert report["steps_until_stopped"] <= 1
    assert report["blocks_after_stop"] == 0
    assert report["closed_while_streaming"]
    assert report["blocks_after_close"] == 0
    assert report["quit_while_streaming"]
    for name, chat in report["chats"].items():
        question, answer = chat["texts"]
        assert len(answer) > 10, name
        assert stored_texts(starter_home, chat["id"]) == [question, answer], name
    assert "Traceback" not in result.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="Windows ends a process at once in place of SIGTERM")
def test_a_request_to_end_keeps_the_answer_that_streams_and_ends_with_code_zero(starter_home, tmp_path):
    with (tmp_path / "stderr").open("w+", encoding="utf-8") as errors:
        command = [sys.executable, "-c", ASKING_APP, str(starter_home)]
        app = subprocess.Popen(command, cwd=ROOT, env=offscreen(), stdout=subprocess.PIPE, stderr=errors, text=True)
        # So that no fault of the program lets the reading below wait for ever.
        limit = threading.Timer(TIMEOUT_S, app.kill)
        limit.start()
        chat_id = app.stdout.readline().strip()
        app.send_signal(signal.SIGTERM)
        exit_code = app.wait()
        limit.cancel()
        app.stdout.close()
        errors.seek(0)
        log = errors.read()
    assert exit_code == 0, log
    assert "Traceback" not in log
    _, answer = stored_messages(starter_home, chat_id)
    assert len(answer.text) > 10
    assert answer.end == "cancelled"


def test_a_fault_of_the_driver_ends_it_with_its_traceback(tmp_path):
    code = (
        "import sys; from pathlib import Path; from tests.e2e import window_driver\n"
        "async def fail(self): raise ValueError('a fault of the driver')\n"
        "window_driver.Driver._use = fail\n"
        "sys.exit(window_driver.main(Path(sys.argv[1])))\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    result = subprocess.run(command, cwd=ROOT, env=offscreen(), capture_output=True, text=True, timeout=TIMEOUT_S)
    assert result.returncode != 0
    assert "ValueError: a fault of the driver" in result.stderr


def test_self_test_passes_with_the_starter(starter_home):
    result = run_offscreen("app", "--self-test", "--home", str(starter_home))
    assert result.returncode == 0, result.stdout + result.stderr
    report = json.loads(result.stdout)
    assert report["ok"]
    assert all(check["ok"] for check in report["checks"])


def test_lag_is_reported_of_the_idle_window_and_of_one_in_which_four_chats_stream(starter_home):
    code = (
        "import sys; from pathlib import Path; from app import application; from app.checks import lag_check; "
        "lag_check._MEASURED_S = 0.5; "
        "sys.exit(application.run(Path(sys.argv[1]), 'cpu', 'lag'))"
    )
    command = [sys.executable, "-c", code, str(starter_home)]
    result = subprocess.run(command, cwd=ROOT, env=offscreen(), capture_output=True, text=True, timeout=TIMEOUT_S)
    assert result.returncode == 0, result.stdout + result.stderr
    lag = json.loads(result.stdout)["lag"]
    for view in ("memory_view_hidden", "memory_view_shown"):
        idle, streaming = lag[view]["idle"], lag[view]["streaming"]
        assert idle["count"] > 0
        assert streaming["count"] > 0
        assert streaming["p99_ms"] <= streaming["max_ms"]


def test_self_test_fails_without_a_model_and_says_what_to_do(tmp_path):
    result = run_offscreen("app", "--self-test", "--home", str(tmp_path))
    assert result.returncode != 0
    report = json.loads(result.stdout)
    assert not report["ok"]
    assert "fetch starter" in json.dumps(report)
