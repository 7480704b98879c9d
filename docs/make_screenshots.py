"""Makes the pictures in docs/screenshots/ from the real window with the starter: `python docs/make_screenshots.py`.

Runs offscreen, in a data folder of its own, beside a small hub on this computer. It fetches the starter, which needs
the network, unless `--home` names a folder that has it; from that folder models are read, and nothing is written to it.
`--language`, `--theme` and `--zoom` make the same pictures in another look, with its name behind theirs.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# No keyring of this machine is asked.
os.environ.setdefault("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")

import qasync  # noqa: E402
from PySide6.QtCore import QSize  # noqa: E402
from PySide6.QtWidgets import QApplication, QWidget  # noqa: E402

from app.application import engine_factory, make_window  # noqa: E402
from app.chat.tab import ChatTab  # noqa: E402
from app.commands.command_palette import CommandPalette  # noqa: E402
from app.commands.shortcut_sheet import ShortcutSheet  # noqa: E402
from app.main_window import MainWindow  # noqa: E402
from app.models.hub_search import ResultRow  # noqa: E402
from app.state import options  # noqa: E402
from app.state.settings import Settings  # noqa: E402
from docs.sample_chats import sample_chats  # noqa: E402
from engine.api import EngineConfig, list_models  # noqa: E402
from engine.messages import FetchJob, JobFinished, StartJob  # noqa: E402
from tests.engine.hub.hub_server import HubServer, Stall  # noqa: E402
from tests.engine.tiny_models import write_tiny_gguf  # noqa: E402

SIZE = QSize(1360, 860)
TIMEOUT_S = 600.0
SYSTEM_PROMPT = "You are a friendly assistant who answers in Markdown, with short paragraphs and lists."
QUESTIONS = {
    "formula": "Give three examples, each step by step.",
    "code": "Write another one, for times of day.",
    "plan": "And if it rains?",
}
"""The shortest answer first, so that all three are still being written when its picture is made."""


class Photographer:
    """Leads the window through its states and saves a picture of each."""

    def __init__(
        self, window: MainWindow, home: Path, model_source: Path | None, folder: Path, suffix: str, wanted: str
    ) -> None:
        self._window = window
        self._home = home
        self._model_source = model_source
        self._folder = folder
        self._suffix = suffix
        self._wanted = wanted
        self._has_fetched = False
        self._chats = sample_chats()

    async def run(self) -> None:
        window = self._window
        await self._pause()
        self._save("first_run", window)
        await self._install()
        await self._wait(lambda: window.models.loaded is not None)
        window.show_chats()
        await self._pause()
        self._save("empty", window)
        for chat in self._chats.values():
            window._history.save(chat, chat.messages)
        window.chats.refresh()
        await self._show_chats()
        await self._show_models()
        window.show_settings()
        await self._pause()
        self._save("settings", window)
        window.show_chats()
        await self._show_commands()

    async def _show_chats(self) -> None:
        window = self._window
        tab = await self._open("thinking")
        self._save("thinking", window)
        answer = tab.transcript.answer_view()
        assert answer is not None, "no answer is shown"
        assert answer.reasoning is not None, "no thoughts are shown"
        answer.reasoning.fold_button.click()
        await self._pause()
        self._save("thinking_open", window)
        await self._open("failed")
        self._save("error_chat", window)
        tabs = [await self._open(name) for name in QUESTIONS]
        for tab, question in zip(tabs, QUESTIONS.values(), strict=True):
            tab.submit(question)
        await self._wait(lambda: all(len(tab.session.answer.text) > 120 or not tab.session.is_busy for tab in tabs))
        for name in QUESTIONS:
            await self._open(name)
            self._save(f"streaming_{name}", window)
        for section in window.memory_panel.sections.values():
            if section.is_folded:
                section.fold_button.click()
        # What had been folded is told only with the next pictures of the memory.
        await asyncio.sleep(2)
        for key, section in window.memory_panel.sections.items():
            self._save(f"memory_{key}", section)
        await self._wait(lambda: not any(tab.session.is_busy for tab in tabs))
        tab = await self._open("code")
        tab.transcript.verticalScrollBar().setValue(0)
        await self._pause()
        self._save("table", window)
        window.tabs.show_beside(await self._open("formula"))
        await self._open("plan")
        self._save("split", window)
        window.tabs.end_split()
        window.sidebar.search_field.setText("ferry")
        await self._pause()
        self._save("search", window)
        window.sidebar.search_field.clear()

    async def _show_models(self) -> None:
        window, page = self._window, self._window.model_page
        window.show_models()
        await self._pause()
        self._save("models", window)
        page.show_get()
        await self._pause()
        self._save("fits", window)
        page.get.search.field.setText("Tiny")
        page.get.search.field.returnPressed.emit()
        await self._wait(lambda: bool(page.get.search.rows))
        row = page.get.search.rows[0]
        assert isinstance(row, ResultRow), row
        row.button.click()
        await self._wait(lambda: bool(page.get.search.cards()) and page.get.search.cards()[0].get_button.isVisible())
        card = page.get.search.cards()[0]
        await self._pause()
        self._save("model_search", window)
        card.get_button.click()
        await self._wait(lambda: bool(page.jobs.rows))
        await self._pause()
        self._save("jobs", window)
        broken = self._home / "broken.gguf"
        broken.write_bytes(b"GGUF, but no more")
        window.models.take_in(str(broken))
        await self._wait(lambda: bool(page.import_card.strip.error_text()))
        await self._pause()
        self._save("error", window)

    async def _show_commands(self) -> None:
        window = self._window
        window.commands.show_palette()
        await self._pause()
        palette = window.findChild(CommandPalette)
        assert palette is not None
        self._save("commands", palette)
        palette.reject()
        window.commands.show_keys()
        await self._pause()
        sheet = window.findChild(ShortcutSheet)
        assert sheet is not None
        self._save("keys", sheet)
        sheet.reject()

    async def _open(self, name: str) -> ChatTab:
        self._window.chats.open(self._chats[name].id)
        await self._pause()
        tab = self._window.tabs.tab_of(self._chats[name].id)
        assert tab is not None, name
        return tab

    async def _install(self) -> None:
        """Bring the starter in: by copying, or as a person would."""
        if self._model_source is not None:
            shutil.copytree(self._model_source / "models", self._home / "models")
            self._window.models.refresh()
            self._window.models.load_first("")
            return
        self._window.models.client.job_finished.connect(self._on_job_finished)
        self._window.models.client.send(StartJob("fetch:starter", FetchJob("starter")))
        await self._wait(lambda: self._has_fetched)

    def _on_job_finished(self, finished: JobFinished) -> None:
        if finished.model_id is None:
            raise RuntimeError(finished.message)
        self._has_fetched = True

    def _save(self, name: str, widget: QWidget) -> None:
        if self._wanted not in name:
            return
        path = self._folder / f"{name}{self._suffix}.png"
        widget.grab().save(str(path))
        print(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)

    async def _pause(self) -> None:
        """Time for layouts and queued paints; these are pictures, not tests."""
        await asyncio.sleep(0.5)

    async def _wait(self, holds: Callable[[], bool]) -> None:
        started_s = time.monotonic()
        while not holds():
            if time.monotonic() - started_s > TIMEOUT_S:
                raise TimeoutError("the window did not get there in time")
            await asyncio.sleep(0.02)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", type=Path, help="a data folder that has the starter already")
    parser.add_argument("--folder", type=Path, default=ROOT / "docs" / "screenshots", help="where the pictures go")
    parser.add_argument("--language", choices=("en", "zh_CN"), default="en")
    parser.add_argument("--theme", choices=("light", "dark", "contrast"), default="light")
    parser.add_argument("--zoom", type=int, default=100, metavar="PERCENT")
    parser.add_argument("--only", default="", metavar="PART", help="save those with this part in their name")
    arguments = parser.parse_args()
    if arguments.home is not None and not list_models(arguments.home):
        parser.error(f"{arguments.home} has no models")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    usual = ("en", "light", 100)
    look = (arguments.language, arguments.theme, arguments.zoom)
    suffix = "".join(f"_{part}" for part, other in zip(look, usual, strict=True) if part != other)
    app = QApplication([])
    app.setQuitOnLastWindowClosed(False)
    loop = qasync.QEventLoop(app)
    asyncio.set_event_loop(loop)
    with tempfile.TemporaryDirectory() as folder, HubServer() as hub:
        home = Path(folder)
        data = write_tiny_gguf(home / "source.gguf").read_bytes()
        hub.add("maker/Tiny-Chat-GGUF", {"Tiny-Chat-Q8_0.gguf": data})
        hub.faults["Tiny-Chat-Q8_0.gguf"].append(Stall(len(data) // 2))
        settings = Settings(home / "settings.json")
        settings.set(options.LANGUAGE, arguments.language)
        settings.set(options.THEME, arguments.theme)
        settings.set(options.ZOOM_PERCENT, arguments.zoom)
        settings.set(options.HUB_ENDPOINT, hub.url)
        settings.set(options.SYSTEM_PROMPT, SYSTEM_PROMPT)
        # The likeliest words, so that the pictures come out alike.
        settings.set(options.TEMPERATURE, 0.0)
        settings.set(options.MAX_TOKENS, 300)
        window = make_window(home, loop, engine_factory(lambda: EngineConfig(home=home)), settings)
        window.resize(SIZE)
        window.show()
        try:
            loop.run_until_complete(
                Photographer(window, home, arguments.home, arguments.folder, suffix, arguments.only).run()
            )
        finally:
            window.close()
            # Its threads must have ended before Qt's objects do.
            loop.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
