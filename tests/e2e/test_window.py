"""The real starter in a real window, offscreen, in a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

from app.state.history import History
from app.state.session import Message

ROOT = Path(__file__).resolve().parents[2]


def run_offscreen(*arguments):
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, encoding="utf-8")


def stored_texts(home: Path, chat_id: str) -> list[str]:
    history = History(home / "chats.sqlite3")
    session = history.load(chat_id)
    history.close()
    assert session is not None
    messages: list[Message] = session.messages
    return [message.text for message in messages]


def test_three_tabs_stream_one_is_stopped_one_closed_and_the_program_quits(starter_home):
    result = run_offscreen("tests.e2e.window_driver", str(starter_home))
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    assert "timeout" not in report, report
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


def test_self_test_passes_with_the_starter(starter_home):
    result = run_offscreen("app", "--self-test", "--home", str(starter_home))
    assert result.returncode == 0, result.stdout + result.stderr
    report = json.loads(result.stdout)
    assert report["ok"]
    assert all(check["ok"] for check in report["checks"])


def test_self_test_fails_without_a_model_and_says_what_to_do(tmp_path):
    result = run_offscreen("app", "--self-test", "--home", str(tmp_path))
    assert result.returncode != 0
    report = json.loads(result.stdout)
    assert not report["ok"]
    assert "fetch starter" in json.dumps(report)
