"""Makes the pictures in docs/screenshots/ from the real window with the starter: `python docs/make_screenshots.py`.

Runs offscreen, in a data folder of its own, beside a small hub on this computer. It fetches the starter, which needs
the network, unless `--home` names a folder that has it; from that folder models are read, and nothing is written to it.
`--language`, `--theme` and `--zoom` make the same pictures in another look, with its name behind theirs. The starter
knows English alone: for Chinese pictures name a folder with a model that knows Chinese.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# No keyring of this machine is asked.
os.environ.setdefault("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")

import qasync  # noqa: E402
from PySide6.QtCore import QSize  # noqa: E402
from PySide6.QtWidgets import QApplication  # noqa: E402

from app.application import engine_factory, make_window  # noqa: E402
from app.chat.tab import ChatTab  # noqa: E402
from app.commands.command_palette import CommandPalette  # noqa: E402
from app.commands.shortcut_sheet import ShortcutSheet  # noqa: E402
from app.main_window import MainWindow  # noqa: E402
from app.state import options  # noqa: E402
from app.state.session import Session  # noqa: E402
from app.state.settings import Settings  # noqa: E402
from docs.camera import PAUSE_S, Camera  # noqa: E402
from docs.model_scenes import ModelScenes  # noqa: E402
from docs.sample_chats import sample_chats, samples  # noqa: E402
from engine.api import PART_IS_MISSING, EngineConfig, list_models  # noqa: E402
from engine.messages import EngineDied, EngineStarted, FetchJob, JobFinished, StartJob  # noqa: E402
from tests.engine.hub.hub_server import HubServer  # noqa: E402

SIZE = QSize(1360, 860)
MIN_CHARACTERS = {"en": 120, "zh_CN": 50}
"""Of each answer, before pictures are made of it."""
GLANCE_S = 0.1
"""Between pictures of what does not wait."""
SYSTEM_PROMPT = "You are a friendly assistant who answers in Markdown, with short paragraphs and lists."
STREAMS = ("plan", "formula", "code")
"""The shortest answer first, so that all three are still being written when their pictures are made."""


class Photographer:
    """Leads the window through its states and saves a picture of each."""

    def __init__(
        self,
        window: MainWindow,
        home: Path,
        model_source: Path | None,
        camera: Camera,
        models: ModelScenes,
        language: str,
    ) -> None:
        self._window = window
        self._home = home
        self._model_source = model_source
        self._camera = camera
        self._models = models
        self._has_fetched = self._has_started = False
        window.models.client.engine_started.connect(self._on_started)
        self._language = language
        self._chats: dict[str, Session] = {}

    async def run(self) -> None:
        window, camera = self._window, self._camera
        await camera.wait(lambda: self._has_started)
        await camera.save_at_rest("first_run", window)
        await self._install()
        await camera.wait(lambda: window.models.loaded is not None)
        window.show_chats()
        await camera.save_at_rest("empty", window)
        self._bring_chats()
        await self._show_thinking()
        await self._show_streams()
        await self._models.show()
        window.show_settings()
        await camera.save_at_rest("settings", window)
        window.show_chats()
        await self._show_commands()
        await self._show_dead_engine()

    def _bring_chats(self) -> None:
        loaded = self._window.models.loaded
        assert loaded is not None, "no model is loaded"
        self._chats = sample_chats(self._language, loaded.name)
        for chat in self._chats.values():
            self._window._history.save(chat, chat.messages)
        self._window.chats.refresh()

    async def _show_thinking(self) -> None:
        window, camera = self._window, self._camera
        tab = await self._open("thinking")
        camera.save("thinking", window)
        answer = tab.transcript.answer_view()
        assert answer is not None, "no answer is shown"
        assert answer.reasoning is not None, "no thoughts are shown"
        answer.reasoning.fold_button.click()
        await camera.save_at_rest("thinking_open", window)
        await self._open("failed")
        camera.save("error_chat", window)

    async def _show_streams(self) -> None:
        window, camera = self._window, self._camera
        tabs = {name: await self._open(name) for name in STREAMS}
        for tab in window.tabs.tabs():
            if tab not in tabs.values():
                window.tabs.close_tab(window.tabs.indexOf(tab))
        self._unfold_memory()
        # The one that ends first begins last.
        for name in reversed(STREAMS):
            tabs[name].submit(samples(self._language)[name].next_question)
        min_characters = MIN_CHARACTERS[self._language]
        await camera.wait(
            lambda: all(
                len(tab.session.answer.text) > min_characters or not tab.session.is_busy for tab in tabs.values()
            )
        )
        for name, tab in tabs.items():
            await self._open(name, GLANCE_S)
            camera.snap(f"streaming_{name}", window)
            if not tab.session.is_busy:
                raise RuntimeError(f"the answer of {name!r} had ended before its picture was made: make them again")
        self._show_memory()
        await camera.wait(lambda: not any(tab.session.is_busy for tab in tabs.values()))
        camera.develop()
        tab = await self._open("code")
        tab.transcript.verticalScrollBar().setValue(0)
        await camera.save_at_rest("table", window)
        window.tabs.show_beside(await self._open("formula"))
        await self._open("plan")
        camera.save("split", window)
        window.tabs.end_split()
        window.sidebar.search_field.setText("渡轮" if self._language == "zh_CN" else "ferry")
        await camera.save_at_rest("search", window)
        window.sidebar.search_field.clear()

    def _unfold_memory(self) -> None:
        for section in self._window.memory_panel.sections.values():
            if section.is_folded:
                section.fold_button.click()

    def _show_memory(self) -> None:
        panel = self._window.memory_panel
        for key, section in panel.sections.items():
            self._camera.snap(f"memory_{key}", section, panel)

    async def _show_commands(self) -> None:
        window, camera = self._window, self._camera
        window.commands.show_palette()
        await camera.pause()
        palette = window.findChild(CommandPalette)
        assert palette is not None
        camera.save("commands", palette)
        palette.reject()
        window.commands.show_keys()
        await camera.pause()
        sheet = window.findChild(ShortcutSheet)
        assert sheet is not None
        camera.save("keys", sheet)
        sheet.reject()

    async def _show_dead_engine(self) -> None:
        """As the window is told of it; the engine itself goes on."""
        message = f"The engine cannot start: {PART_IS_MISSING}"
        self._window.models.client.engine_died.emit(EngineDied("engine_error", message))
        await self._camera.save_at_rest("error_engine", self._window)

    async def _open(self, name: str, pause_s: float = PAUSE_S) -> ChatTab:
        self._window.chats.open(self._chats[name].id)
        await asyncio.sleep(pause_s)
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
        await self._camera.wait(lambda: self._has_fetched)

    def _on_started(self, _: EngineStarted) -> None:
        self._has_started = True

    def _on_job_finished(self, finished: JobFinished) -> None:
        if finished.model_id is None and not self._has_fetched:
            raise RuntimeError(finished.message)
        self._has_fetched = True


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
    with tempfile.TemporaryDirectory(prefix="DeepInfer-") as folder, HubServer() as hub:
        home = Path(folder)
        settings = Settings(home / "settings.json")
        settings.set(options.LANGUAGE, arguments.language)
        settings.set(options.THEME, arguments.theme)
        settings.set(options.ZOOM_PERCENT, arguments.zoom)
        settings.set(options.SYSTEM_PROMPT, SYSTEM_PROMPT)
        # The likeliest words, so that the pictures come out alike, and no loops.
        settings.set(options.TEMPERATURE, 0.0)
        settings.set(options.REPETITION_PENALTY, 1.1)
        settings.set(options.MAX_TOKENS, 400)
        window = make_window(home, loop, engine_factory(lambda: EngineConfig(home=home)), settings)
        window.resize(SIZE)
        window.show()
        try:
            camera = Camera(arguments.folder, suffix, arguments.only)
            models = ModelScenes(window, home, hub, camera)
            photographer = Photographer(window, home, arguments.home, camera, models, arguments.language)
            loop.run_until_complete(photographer.run())
        finally:
            window.close()
            # Its threads must have ended before Qt's objects do.
            loop.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
