"""Makes the pictures in docs/screenshots/ from the real window with the starter: `python docs/make_screenshots.py`.

Runs offscreen, in a data folder of its own. It fetches the starter, which needs the network, unless `--home` names a
folder that has it; from that folder models are read, and nothing is written to it.
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

import qasync  # noqa: E402
from PySide6.QtCore import QSize  # noqa: E402
from PySide6.QtWidgets import QApplication, QWidget  # noqa: E402

from app.application import engine_factory, make_window  # noqa: E402
from app.main_window import MainWindow  # noqa: E402
from app.state import options  # noqa: E402
from app.state.settings import Settings  # noqa: E402
from engine.api import EngineConfig, list_models  # noqa: E402
from engine.messages import FetchJob, JobFinished, StartJob  # noqa: E402

SIZE = QSize(1280, 800)
TIMEOUT_S = 600.0
SYSTEM_PROMPT = "You are a friendly assistant who answers in Markdown, with short paragraphs and lists."
QUESTIONS = ("Plan a day trip to an island by ferry.", "Explain regular expressions with two examples.")


class Photographer:
    """Leads the window through its states and saves a picture of each."""

    def __init__(self, window: MainWindow, home: Path, model_source: Path | None, folder: Path) -> None:
        self._window = window
        self._home = home
        self._model_source = model_source
        self._folder = folder
        self._has_fetched = False

    async def run(self) -> None:
        window = self._window
        await self._pause()
        self._save("first_run", window)
        await self._install()
        await self._wait(lambda: window.models.loaded is not None)
        await self._pause()
        self._save("empty", window)
        tabs = []
        for question in QUESTIONS:
            tab = window.tabs.new_chat() if tabs else window.tabs.current_tab()
            assert tab is not None
            tab.session.system_prompt = SYSTEM_PROMPT
            tab.submit(question)
            tabs.append(tab)
        await self._wait(lambda: all(len(tab.session.answer.text) > 250 or not tab.session.is_busy for tab in tabs))
        self._save("streaming", window)
        self._save("block_grid", window.memory_panel)
        window.change_setting(options.THEME, "dark")
        await self._pause()
        self._save("dark", window)
        await self._wait(lambda: not any(tab.session.is_busy for tab in tabs))
        window.change_setting(options.THEME, "light")
        window.show_models()
        await self._pause()
        self._save("models", window)

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
        path = self._folder / f"{name}.png"
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
    arguments = parser.parse_args()
    if arguments.home is not None and not list_models(arguments.home):
        parser.error(f"{arguments.home} has no models")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    app = QApplication([])
    app.setQuitOnLastWindowClosed(False)
    loop = qasync.QEventLoop(app)
    asyncio.set_event_loop(loop)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        window = make_window(
            home, loop, engine_factory(lambda: EngineConfig(home=home)), Settings(home / "settings.json")
        )
        window.change_setting(options.THEME, "light")
        # The likeliest words, so that the pictures come out alike.
        window.change_setting(options.TEMPERATURE, 0.0)
        window.resize(SIZE)
        # A screen without a size of its own hides it.
        window.memory_dock.show()
        window.show()
        try:
            loop.run_until_complete(Photographer(window, home, arguments.home, arguments.folder).run())
        finally:
            window.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
