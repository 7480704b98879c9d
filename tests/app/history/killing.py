"""Kills a window that answers, at moments drawn by chance, and looks at what is on disk.

`python -m tests.app.history.killing --kills 50` does so; with `--window HOME` it is the window that is killed. The
engine is a fake that answers at once and fast: what is tried is the way from its events to the disk.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import qasync
from PySide6.QtWidgets import QApplication

from app.application import make_window
from app.chat.tab import ChatTab
from app.main_window import MainWindow
from app.state.history import History
from app.state.settings import Settings
from engine.messages import BlockSnapshot, Command, Event, PrefillProgress, RequestFinished, Submit, TextDelta
from tests.app.fake_engine import FakeEngine

ROOT = Path(__file__).resolve().parents[3]
NUM_TABS = 3
NUM_PIECES = 40
PIECE_S = 0.002
MIN_LIFE_S, MAX_LIFE_S = 0.0, 3.0
START_TIMEOUT_S = 120.0


class StreamingEngine(FakeEngine):
    """Answers each request on a thread of its own."""

    def start(self) -> None:
        super().start()
        self.get_ready()

    def send(self, command: Command) -> None:
        if isinstance(command, Submit):
            threading.Thread(target=self._answer, args=(command,), daemon=True).start()

    def _answer(self, submit: Submit) -> None:
        request_id, question = submit.request_id, submit.messages[-1].content
        self.emit(PrefillProgress(request_id, 20, 20, 16))
        for number in range(NUM_PIECES):
            time.sleep(PIECE_S)
            self.emit(TextDelta(request_id, f"{number} of {question}, ", (1,)))
        self.emit(RequestFinished(request_id, "stop", 20, 16, NUM_PIECES, 0.1, 60.0))


def answer_to(question: str) -> str:
    """The whole answer of `StreamingEngine`."""
    return "".join(f"{number} of {question}, " for number in range(NUM_PIECES))


def run_window(home: Path) -> None:
    """A window in which some tabs ask one question after another. What it prints is done: it is on disk."""
    app = QApplication([])
    loop = qasync.QEventLoop(app)
    asyncio.set_event_loop(loop)

    def make(sink: Callable[[Sequence[Event]], None], snapshots: Callable[[BlockSnapshot], None]) -> FakeEngine:
        return StreamingEngine(sink, snapshots)

    window = make_window(home, loop, make, Settings(home / "settings.json"))
    window.show()
    print(f"started with {window.banner.isVisible()}", flush=True)
    task = loop.create_task(_use(window))
    loop.run_forever()
    task.result()


async def _use(window: MainWindow) -> None:
    while window.models.loaded is None:
        await asyncio.sleep(0.01)
    await asyncio.gather(*(_ask(window.tabs.open_chat(window._make_session()), str(tab)) for tab in range(NUM_TABS)))


async def _ask(tab: ChatTab, name: str) -> None:
    for number in itertools.count():
        question = f"question {number} of {name} in {tab.session.id}"
        tab.submit(question)
        print(f"asked {question}", flush=True)
        tab.composer.setPlainText(f"draft {number}")
        while tab.session.is_busy:
            await asyncio.sleep(0.005)
        print(f"answered {question}", flush=True)


@dataclass(slots=True)
class Tally:
    """What was seen over all kills."""

    num_kills: int = 0
    num_asked: int = 0
    num_answered: int = 0
    num_interrupted: int = 0
    faults: list[str] = field(default_factory=list)


def kill_windows(num_kills: int, home: Path, chance: random.Random) -> Tally:
    """Starts a window so many times on the same folder and kills each; then looks for all that they said was done."""
    tally = Tally()
    asked: set[str] = set()
    answered: set[str] = set()
    for _ in range(num_kills):
        lines = _start_and_kill(home, chance.uniform(MIN_LIFE_S, MAX_LIFE_S))
        if not lines or not lines[0].startswith("started"):
            tally.faults.append(f"a window did not start: {lines}")
        elif lines[0] != "started with False":
            tally.faults.append("a window said that something is wrong with the chats")
        asked |= {line.removeprefix("asked ") for line in lines if line.startswith("asked ")}
        answered |= {line.removeprefix("answered ") for line in lines if line.startswith("answered ")}
        tally.num_kills += 1
    tally.num_asked, tally.num_answered = len(asked), len(answered)
    tally.faults += _missing(home, asked, answered, tally)
    return tally


def _start_and_kill(home: Path, life_s: float) -> list[str]:
    window = subprocess.Popen(
        [sys.executable, "-m", "tests.app.history.killing", "--window", str(home)],
        cwd=ROOT, env={**os.environ, "QT_QPA_PLATFORM": "offscreen"}, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert window.stdout is not None
    timer = threading.Timer(START_TIMEOUT_S, window.kill)
    timer.start()
    lines = [window.stdout.readline().strip()]
    timer.cancel()
    # Counted from the moment at which it has opened the chats: what is drawn is where in its work it is killed.
    threading.Timer(life_s, lambda: window.send_signal(signal.SIGKILL)).start()
    lines += [line.strip() for line in window.stdout if line.endswith("\n")]
    window.wait()
    return lines


def _missing(home: Path, asked: set[str], answered: set[str], tally: Tally) -> list[str]:
    history = History(home / "chats.sqlite3")
    faults = [f"the history was set aside: {history.notice}"] if history.notice else []
    found: dict[str, str | None] = {}
    for summary in history.chats():
        session = history.load(summary.id)
        assert session is not None, f"the chat {summary.id} is in the list but cannot be read"
        for question, answer in zip(session.messages[::2], session.messages[1::2], strict=False):
            found[question.text] = answer.text if answer.end == "stop" else None
            tally.num_interrupted += answer.end == "interrupted"
    faults += [f"lost: {question}" for question in asked - found.keys()]
    faults += [f"cut off: {question}" for question in answered if found.get(question) != answer_to(question)]
    if asked and not history.search.find("question 0 of"):
        faults.append("the search finds nothing")
    history.close()
    db = sqlite3.connect(home / "chats.sqlite3")
    try:
        db.execute("INSERT INTO text_index (text_index, rank) VALUES ('integrity-check', 1)")
        db.execute("INSERT INTO title_index (title_index, rank) VALUES ('integrity-check', 1)")
    except sqlite3.DatabaseError as error:
        faults.append(f"the index is not that of the texts: {error}")
    finally:
        db.close()
    return faults


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--window", type=Path)
    arguments = parser.parse_args()
    if arguments.window is not None:
        run_window(arguments.window)
        return 0
    with tempfile.TemporaryDirectory() as home:
        tally = kill_windows(arguments.kills, Path(home), random.Random(arguments.seed))
    print(tally)
    return 1 if tally.faults else 0


if __name__ == "__main__":
    sys.exit(main())
