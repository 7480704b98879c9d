"""Owns what the banner says of the engine, its models and the settings, and takes it back when it is no longer so.

Does not know why any of it failed; the parts of the window tell.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QObject

from app.bridge.engine_client import EngineClient
from app.i18n import translate
from app.models.model_controller import ModelController
from app.state import options
from app.state.advice import file_advice
from app.state.settings import Settings
from app.widgets.banner import Banner
from engine.messages import EngineDied, EngineStarted, EngineStats, ModelLoadFailed

_BUSY = "model_busy"


class _Window(Protocol):
    """What the problems need of the window."""

    banner: Banner
    models: ModelController
    settings: Settings

    def show_models(self) -> None: ...

    def restart_engine(self) -> None: ...


class Problems(QObject):
    """As long-lived as the window that it is a child of."""

    def __init__(self, window: _Window, client: EngineClient) -> None:
        assert isinstance(window, QObject), f"the window is {window!r}"
        super().__init__(window)
        self._window = window
        self._told: dict[str, str] = {}
        """What was said of each thing that may come right again."""
        self._busy_id = ""
        """The model that was not loaded, or unloaded, as answers were running."""
        models = window.models
        models.list_failed.connect(self._on_list_failed)
        models.models_changed.connect(lambda: self._settle("models"))
        models.load_failed.connect(self._on_load_failed)
        models.loading_changed.connect(self._on_loading_changed)
        client.stats_changed.connect(self._on_stats_changed)
        client.engine_started.connect(self._on_engine_started)

    def tell_death(self, death: EngineDied) -> None:
        self._tell("engine", death.message, translate("app", "Restart the engine"), self._window.restart_engine)

    def forget_engine(self) -> None:
        """It is started anew, and with it whatever was wrong with it or a model in it is over."""
        self._settle("engine")
        self._settle_load()

    def tell_unsaved(self, error: OSError) -> None:
        cause = f"{error.strerror} ({error.filename})"
        words = translate("app", "The settings cannot be saved: {cause}. {advice}")
        self._tell("settings", words.format(cause=cause, advice=file_advice(error)))

    def forget_unsaved(self) -> None:
        """The settings were saved."""
        self._settle("settings")

    def _on_engine_started(self, engine: EngineStarted) -> None:
        self._settle("speed")
        if engine.handicap:
            # Beside what else is wrong, of which something can be done here.
            self._told["speed"] = engine.handicap
            self._window.banner.add_message(engine.handicap)

    def _on_list_failed(self, problem: str) -> None:
        self._tell("models", problem, translate("app", "Try again"), self._list_again)

    def _list_again(self) -> None:
        models = self._window.models
        models.refresh()
        if models.loaded is None:
            models.load_first(self._window.settings.get(options.LAST_MODEL_ID))

    def _on_load_failed(self, failure: ModelLoadFailed) -> None:
        self._busy_id = failure.model_id if failure.code == _BUSY else ""
        self._tell("load", failure.message, translate("app", "Models"), self._window.show_models)

    def _on_loading_changed(self, name: str) -> None:
        if name:
            self._settle_load()

    def _on_stats_changed(self, stats: EngineStats) -> None:
        if not self._busy_id:
            return
        num_live = stats.num_running + stats.num_waiting + stats.num_swapped
        model = self._window.models.loaded
        if not num_live or model is None:
            self._settle_load()
            return
        # As the engine says it.
        if num_live == 1:
            words = translate("app", "{count} answer still running on {name}: stop them or wait until they end")
        else:
            words = translate("app", "{count} answers still running on {name}: stop them or wait until they end")
        words = words.format(count=num_live, name=model.name)
        self._window.banner.tell_anew(self._told["load"], words)
        self._told["load"] = words

    def _settle_load(self) -> None:
        self._settle("load")
        if self._busy_id:
            self._window.models.forget_failure(self._busy_id)
            self._busy_id = ""

    def _tell(self, about: str, words: str, action_words: str = "", action: Callable[[], None] | None = None) -> None:
        self._told[about] = words
        self._window.banner.show_message(words, action_words, action)

    def _settle(self, about: str) -> None:
        if (words := self._told.pop(about, None)) is not None:
            self._window.banner.take_back(words)
