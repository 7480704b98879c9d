"""The window under a real X server, moved by real keys and clicks, with the real starter.

What happened is read from the outside: the chats on disk, the settings file, the exit code. Needs Xvfb and xdotool
(Debian's packages `xvfb` and `xdotool`) and is passed over where they are not installed.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.state.history import History
from app.state.message import Message
from app.state.session import Session

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 120.0
_POLL_S = 0.1
SCREEN = "1400x900x24"

pytestmark = pytest.mark.skipif(
    shutil.which("Xvfb") is None or shutil.which("xdotool") is None, reason="Xvfb or xdotool is not installed"
)


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    """A screen of the test's own, whose number the server chooses."""
    reading, writing = os.pipe()
    # -noreset: or the server begins anew when the first test's window closes, and the second test's may not reach it.
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", SCREEN, "-nolisten", "tcp", "-noreset"],
        pass_fds=[writing],
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    with os.fdopen(reading) as pipe:
        number = pipe.readline().strip()
    assert number, f"Xvfb ended with {server.wait()}"
    yield f":{number}"
    server.terminate()
    server.wait()


class Person:
    """Types and clicks in one window, and looks at what is on disk."""

    def __init__(self, display: str, home: Path) -> None:
        self._home = home
        self._environment = {**os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb"}
        self._environment.pop("WAYLAND_DISPLAY", None)
        command = [sys.executable, "-m", "app", "--home", str(home)]
        self.app = subprocess.Popen(command, cwd=ROOT, env=self._environment)
        self._window = self._find_window()
        self._xdotool("windowfocus", "--sync", self._window)

    def type(self, text: str) -> None:
        self._xdotool("type", "--delay", "15", text)

    def press(self, *keys: str) -> None:
        self._xdotool("key", "--delay", "60", *keys)

    def click(self, x: int, y: int, button: int = 1, times: int = 1) -> None:
        """At a place of the window."""
        place = ["mousemove", "--window", self._window, str(x), str(y)]
        self._xdotool(*place, "click", "--repeat", str(times), "--delay", "80", str(button))

    def drag(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        """With the left button held from one place to the other, in steps as a hand does it."""
        self._xdotool("mousemove", "--window", self._window, *map(str, start), "mousedown", "1")
        steps = 12
        for step in range(1, steps + 1):
            place = (str(a + (b - a) * step // steps) for a, b in zip(start, end, strict=True))
            self._xdotool("mousemove", "--window", self._window, *place, "sleep", "0.03")
        self._xdotool("mouseup", "1")

    def size(self) -> tuple[int, int]:
        lines = self._xdotool("getwindowgeometry", "--shell", self._window).splitlines()
        values = dict(line.split("=") for line in lines)
        return int(values["WIDTH"]), int(values["HEIGHT"])

    def answers(self) -> list[tuple[str, str]]:
        """(question, answer) of each finished answer, as they came."""
        path = self._home / "chats.sqlite3"
        if not path.exists():
            return []
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
            rows = db.execute("SELECT chat_id, role, text, end FROM messages ORDER BY rowid").fetchall()
        questions = {chat_id: text for chat_id, role, text, _ in rows if role == "user"}
        return [(questions[chat_id], text) for chat_id, role, text, end in rows if role == "assistant" and end]

    def chats(self) -> list[tuple[str, bool]]:
        """(title, whether it is pinned) of each chat, the newest first."""
        with sqlite3.connect(f"file:{self._home / 'chats.sqlite3'}?mode=ro", uri=True) as db:
            rows = db.execute("SELECT title, is_pinned FROM chats ORDER BY rowid DESC").fetchall()
        return [(title, bool(is_pinned)) for title, is_pinned in rows]

    def num_chats_in_folders(self) -> int:
        with sqlite3.connect(f"file:{self._home / 'chats.sqlite3'}?mode=ro", uri=True) as db:
            (count,) = db.execute("SELECT COUNT(*) FROM chats WHERE folder_id IS NOT NULL").fetchone()
        return int(count)

    def setting(self, key: str) -> object:
        return json.loads((self._home / "settings.json").read_text()).get(key)

    def wait_until(self, holds: Callable[[], bool]) -> None:
        started_s = time.monotonic()
        while not holds():
            assert self.app.poll() is None, f"the program ended with {self.app.returncode}"
            assert time.monotonic() - started_s < TIMEOUT_S, "it did not happen in time"
            time.sleep(_POLL_S)

    def _find_window(self) -> str:
        found = ""
        started_s = time.monotonic()
        while not found:
            assert self.app.poll() is None, f"the program ended with {self.app.returncode}"
            assert time.monotonic() - started_s < TIMEOUT_S, "no window came"
            found = self._xdotool("search", "--onlyvisible", "--name", "^DeepInfer$", check=False)
        return found.split()[0]

    def _xdotool(self, *arguments: str, check: bool = True) -> str:
        result = subprocess.run(
            ["xdotool", *arguments], env=self._environment, capture_output=True, text=True, check=check, timeout=60
        )
        return result.stdout


@pytest.fixture
def person(display: str, starter_home: Path) -> Iterator[Person]:
    (starter_home / "settings.json").write_text(json.dumps({"max_tokens": 12, "language": "en"}))
    person = Person(display, starter_home)
    yield person
    person.app.kill()
    person.app.wait()


def test_a_person_chats_in_two_tabs_finds_a_command_and_quits_by_keys_alone(person: Person) -> None:
    # Typed at once: a message that no model can answer yet stays where it was typed.
    person.type("Say hello.")
    person.wait_until(lambda: person.setting("last_model_id") is not None)
    person.press("Return")
    person.wait_until(lambda: len(person.answers()) == 1)
    person.press("ctrl+t")
    person.type("Name a colour.")
    person.press("Return")
    person.wait_until(lambda: len(person.answers()) == 2)
    assert [question for question, _ in person.answers()] == ["Say hello.", "Name a colour."]
    assert all(answer.strip() for _, answer in person.answers())
    person.press("ctrl+k")
    person.type("larger")
    person.press("Return")
    person.wait_until(lambda: person.setting("zoom_percent") == 110)
    person.press("ctrl+q")
    assert person.app.wait(TIMEOUT_S) == 0


def test_clicks_open_a_tab_rename_a_chat_and_pin_it(person: Person) -> None:
    person.wait_until(lambda: person.setting("last_model_id") is not None)
    person.type("First.")
    person.press("Return")
    person.wait_until(lambda: len(person.answers()) == 1)
    # "New chat" stands at the left, below the search.
    person.click(100, 56)
    person.type("Second.")
    person.press("Return")
    person.wait_until(lambda: len(person.answers()) == 2)
    assert [question for question, _ in person.answers()] == ["First.", "Second."]
    # The newest chat stands below the heading of its day: a double click renames it, and its menu pins it.
    person.click(100, 117, times=2)
    person.type("Later")
    person.press("Return")
    person.wait_until(lambda: person.chats() == [("Later", False), ("First.", False)])
    person.click(100, 117, button=3)
    person.press("Down", "Down", "Return")
    person.wait_until(lambda: person.chats() == [("Later", True), ("First.", False)])


@pytest.fixture
def chats_and_a_folder(starter_home: Path) -> None:
    history = History(starter_home / "chats.sqlite3")
    for number in range(12):
        question = Message("user", f"Question {number}.")
        history.save(Session(title=f"Chat {number}", messages=[question]), [question])
    history.folders.add("Travel")
    history.close()


def test_a_chat_is_dragged_into_a_folder_and_out_again_onto_a_chat_or_beside_all(
    chats_and_a_folder: None, person: Person
) -> None:
    person.wait_until(lambda: person.setting("last_model_id") is not None)
    # The places hold for rows of 22 to 28 px: the folder is the second one, what lies in it the third.
    some_chat, folder, in_folder, beside_all = (100, 250), (100, 117), (100, 141), (100, 560)
    for out in (some_chat, beside_all):
        person.drag(some_chat, folder)
        person.wait_until(lambda: person.num_chats_in_folders() == 1)
        person.drag(in_folder, out)
        person.wait_until(lambda: person.num_chats_in_folders() == 0)
