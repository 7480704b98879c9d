"""Uses the real window with the real engine for a long time, at random, and says as JSON how it went.

    python -m tests.e2e.soak HOME --minutes 30 --seed 1

HOME is a data folder with at least one model, of several it changes between them; chats are added to it, so give it a
copy. Six tabs at most; questions, stops, edits, new answers, continued ones, branches, versions, deletions taken back,
tabs closed and opened again, changes of model, of the window's size and theme. The exit code is 0 if no fault was
logged or raised, and no block is held once everything has been stopped. Memory is written down each minute, for a
person to judge: all that is resident; of it `mapped`, pages of files, which the system may drop; and `pool`, the most
that caches of keys and values have been in use since the model was loaded. The last two grow until everything has been
read and the pool has been full once, and a larger model takes longer for that.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import qasync
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication

from app.application import configured, engine_factory, make_window
from app.chat.tab import ChatTab
from app.main_window import MainWindow
from app.state import options
from app.state.settings import Settings
from engine.api import EngineConfig
from engine.messages import EngineStats

MAX_TABS = 6
_IDLE_TIMEOUT_S = 300.0
_PAUSE_S = (0.05, 1.5)
_SAMPLE_S = 60.0
_SUBJECTS = ("a lighthouse", "bread", "the moon", "a train journey", "sorting numbers in Python", "the sea", "a garden")
_FORMS = (
    "Tell me a story about {}.",
    "Explain {} with a list and a table.",
    "Write a poem about {}.",
    "Write Python code about {}, with comments.",
    "What is {}?",
)


class FaultLog(logging.Handler):
    """Keeps what was logged as an error."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.faults: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.faults.append(logging.Formatter("%(name)s: %(message)s").format(record))


class Soak:
    def __init__(self, window: MainWindow, duration_s: float, seed: int, faults: list[str]) -> None:
        self._window = window
        self._duration_s = duration_s
        self._random = random.Random(seed)
        self._faults = faults
        self._stats: EngineStats | None = None
        self._counts: Counter[str] = Counter()
        self._memory_mib: list[dict[str, int]] = []
        self._pool_model_id = ""
        self._most_pool_bytes = 0
        self._actions: list[tuple[int, Callable[[], bool]]] = [
            (30, self._send),
            (12, self._switch),
            (8, self._stop),
            (6, self._again),
            (6, self._edit),
            (4, self._go_on),
            (4, self._show_version),
            (3, self._branch),
            (3, self._delete_and_undo),
            (6, self._new_tab),
            (6, self._close_tab),
            (3, self._reopen),
            (4, self._resize),
            (2, self._change_theme),
            (2, self._toggle_memory),
            (1, self._change_model),
        ]

    def show_stats(self, stats: EngineStats) -> None:
        self._stats = stats
        model = self._window.models.loaded
        if model is None:
            return
        if model.model_id != self._pool_model_id:
            self._pool_model_id, self._most_pool_bytes = model.model_id, 0
        num_used = stats.num_referenced_blocks + stats.num_cached_blocks
        used_bytes = num_used * model.block_size * model.kv_bytes_per_token
        self._most_pool_bytes = max(self._most_pool_bytes, used_bytes)

    async def run(self) -> dict[str, Any]:
        await self._wait("the model", lambda: self._window.models.loaded is not None)
        started_s = sampled_s = time.monotonic()
        self._sample()
        weights = [weight for weight, _ in self._actions]
        while time.monotonic() - started_s < self._duration_s and not self._faults:
            (_, action) = self._random.choices(self._actions, weights)[0]
            if action():
                self._counts[action.__name__.strip("_")] += 1
            await asyncio.sleep(self._random.uniform(*_PAUSE_S))
            if time.monotonic() - sampled_s >= _SAMPLE_S:
                sampled_s = time.monotonic()
                self._sample()
        for tab in self._window.tabs.tabs():
            tab.stop()
        await self._wait("every answer's end", lambda: not any(t.session.is_busy for t in self._window.tabs.tabs()))
        await self._wait("the model", lambda: self._window.models.loaded is not None)
        await self._wait("free blocks", lambda: self._stats is not None and self._stats.num_referenced_blocks == 0)
        self._sample()
        return {
            "minutes": round((time.monotonic() - started_s) / 60, 1),
            "actions": dict(self._counts.most_common()),
            "memory_mib": self._memory_mib,
            "blocks_held_at_the_end": self._stats.num_referenced_blocks if self._stats is not None else None,
            "faults": self._faults,
        }

    def _sample(self) -> None:
        memory = psutil.Process().memory_info()
        # Only Linux tells them apart.
        mapped_bytes = getattr(memory, "shared", 0)
        sizes = {"resident": memory.rss, "mapped": mapped_bytes, "pool": self._most_pool_bytes}
        self._memory_mib.append({name: size >> 20 for name, size in sizes.items()})

    def _tab(self, is_busy: bool) -> ChatTab | None:
        tabs = [tab for tab in self._window.tabs.tabs() if tab.session.is_busy == is_busy]
        return self._random.choice(tabs) if tabs else None

    def _answered_tab(self) -> ChatTab | None:
        tab = self._tab(is_busy=False)
        return tab if tab is not None and tab.session.messages and self._window.models.loaded is not None else None

    def _send(self) -> bool:
        tab = self._tab(is_busy=False)
        if tab is None or self._window.models.loaded is None:
            return False
        tab.composer.setPlainText(self._random.choice(_FORMS).format(self._random.choice(_SUBJECTS)))
        tab.composer.submit()
        return True

    def _stop(self) -> bool:
        tab = self._tab(is_busy=True)
        if tab is not None:
            tab.stop()
        return tab is not None

    def _switch(self) -> bool:
        self._window.tabs.setCurrentWidget(self._random.choice(self._window.tabs.tabs()))
        return True

    def _use(self, tool: str, role: str) -> bool:
        tab = self._answered_tab()
        if tab is None:
            return False
        messages = [message for message in tab.session.messages if message.role == role and message.text]
        if not messages:
            return False
        tab.transcript.tool_used.emit(self._random.choice(messages), tool)
        return True

    def _again(self) -> bool:
        return self._use("again", "assistant")

    def _show_version(self) -> bool:
        tab = self._answered_tab()
        if tab is None:
            return False
        message = self._random.choice(tab.session.messages)
        versions = tab.session.tree.versions(message)
        index = versions.index(message)
        tools = ["version_before"] * (index > 0) + ["version_behind"] * (index + 1 < len(versions))
        if tools:
            tab.transcript.tool_used.emit(message, self._random.choice(tools))
        return bool(tools)

    def _branch(self) -> bool:
        return len(self._window.tabs.tabs()) < MAX_TABS and self._use("branch", "assistant")

    def _go_on(self) -> bool:
        tab = self._answered_tab()
        if tab is None or tab.session.messages[-1].role != "assistant" or not tab.session.messages[-1].text:
            return False
        tab.transcript.tool_used.emit(tab.session.messages[-1], "go_on")
        return True

    def _edit(self) -> bool:
        tab = self._answered_tab()
        if tab is None:
            return False
        message = self._random.choice(tab.session.messages)
        tab.transcript.edited.emit(message, f"{message.text[:200]} And say it in other words.")
        return True

    def _delete_and_undo(self) -> bool:
        if not self._use("delete_turn", "user"):
            return False
        for tab in self._window.tabs.tabs():
            if tab.undo_bar.isVisible():
                tab.undo_bar.undo_button.click()
        return True

    def _new_tab(self) -> bool:
        if len(self._window.tabs.tabs()) >= MAX_TABS:
            return False
        self._window.new_chat()
        return True

    def _close_tab(self) -> bool:
        if len(self._window.tabs.tabs()) < 2:
            return False
        self._window.tabs.close_tab(self._random.randrange(self._window.tabs.count()))
        return True

    def _reopen(self) -> bool:
        if len(self._window.tabs.tabs()) >= MAX_TABS:
            return False
        self._window.chats.reopen()
        return True

    def _resize(self) -> bool:
        self._window.resize(QSize(self._random.randrange(500, 1900), self._random.randrange(350, 1100)))
        return True

    def _change_theme(self) -> bool:
        self._window.change_setting(options.THEME, self._random.choice(("light", "dark", "contrast")))
        return True

    def _toggle_memory(self) -> bool:
        self._window.memory_dock.setVisible(not self._window.memory_dock.isVisible())
        return True

    def _change_model(self) -> bool:
        models = self._window.models
        others = [model for model in models.models if models.loaded and model.model_id != models.loaded.model_id]
        if not others:
            return False
        models.load(self._random.choice(others).model_id)
        return True

    async def _wait(self, name: str, holds: Callable[[], bool]) -> None:
        started_s = time.monotonic()
        while not holds():
            if time.monotonic() - started_s > _IDLE_TIMEOUT_S:
                raise TimeoutError(name)
            await asyncio.sleep(0.05)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.e2e.soak", description=__doc__)
    parser.add_argument("home", type=Path)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    log = FaultLog()
    logging.getLogger().addHandler(log)
    sys.excepthook = lambda kind, fault, trace: logging.error("raised", exc_info=(kind, fault, trace))
    app = QApplication([])
    app.setQuitOnLastWindowClosed(False)
    loop = qasync.QEventLoop(app)
    asyncio.set_event_loop(loop)
    loop.set_exception_handler(lambda _, context: logging.error("%s", context))
    settings = Settings(arguments.home / "settings.json")
    config = EngineConfig(home=arguments.home)
    window = make_window(arguments.home, loop, engine_factory(lambda: configured(config, settings)), settings)
    soak = Soak(window, arguments.minutes * 60, arguments.seed, log.faults)
    window._client.stats_changed.connect(soak.show_stats)
    window.resize(1280, 800)
    window.memory_dock.show()
    window.show()
    try:
        report = loop.run_until_complete(soak.run())
    finally:
        sys.excepthook = sys.__excepthook__
        window.close()
        # Its threads must have ended before Qt's objects do.
        loop.close()
        print("\n".join(log.faults), file=sys.stderr)
    print(json.dumps(report))
    return 1 if report["faults"] or report["blocks_held_at_the_end"] else 0


if __name__ == "__main__":
    sys.exit(main())
