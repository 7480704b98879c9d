"""EngineHandle: the only door to the engine. What takes long to import is imported by `start`, on the engine thread."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable
from collections.abc import Sequence as Events
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.config import HOME_VARIABLE, EngineConfig, KvDtype, Speculation, assets_dir, default_home
from engine.environment import loading_modules, lower_thread_priority, prepare_environment, shorten_time_slice
from engine.errors import PART_IS_MISSING, EngineError
from engine.hub.address import ENDPOINT_VARIABLE, hub_address
from engine.messages import BlockSnapshot, Command, EngineDied, Event
from engine.spec import ModelSpec
from engine.store.damaged import DamagedModel
from engine.store.folders import reachable
from engine.store.formats import FormatGroup
from engine.store.library import Library, ModelEntry
from engine.store.manifest import Fidelity
from engine.store.names import is_safe_name, name_problem

if TYPE_CHECKING:
    from engine.jobs.transfers import Order

__all__ = [
    "ENDPOINT_VARIABLE",
    "HOME_VARIABLE",
    "PART_IS_MISSING",
    "DamagedModel",
    "EngineConfig",
    "EngineError",
    "EngineHandle",
    "Fidelity",
    "FormatGroup",
    "KvDtype",
    "ModelEntry",
    "ModelSpec",
    "Speculation",
    "assets_dir",
    "default_home",
    "forget_hub_token",
    "hub_address",
    "is_safe_name",
    "keep_hub_token",
    "list_damaged_models",
    "list_models",
    "name_problem",
    "shorten_time_slice",
]

_log = logging.getLogger(__name__)


def list_models(home: Path) -> list[ModelEntry]:
    """The verified models of a data folder, by name. Reads manifests only.

    Raises OSError or `EngineError` if the folder cannot be read.
    """
    return Library(EngineConfig(home=home).models_dir).list()


def list_damaged_models(home: Path) -> tuple[DamagedModel, ...]:
    """The models of a data folder that are there but cannot be loaded. Raises as `list_models` does."""
    return tuple(Library(EngineConfig(home=home).models_dir).damaged())


def keep_hub_token(token: str, endpoint: str | None = None) -> str:
    """Ask the hub whose token it is, then keep it in the system's keyring; the name of its owner.

    Takes as long as the hub. Raises `EngineError` if the hub refuses it, or there is no keyring that works.
    """
    # Asking the hub takes packages that are slow to load.
    from engine.hub.client import HubClient
    from engine.hub.tokens import store_token

    name = HubClient(token, endpoint=endpoint).account()
    store_token(token)
    return name


def forget_hub_token() -> bool:
    """Take the token out of the system's keyring; whether there was one.

    Raises `EngineError` if there is no keyring that works. One in the environment or of the hub's own program stays.
    """
    from engine.hub.tokens import forget_token

    return forget_token()


class EngineHandle:
    """One engine and its thread.

    `sink` gets all events of a step in one call on the engine thread, and those of jobs on their threads; it must be
    quick and never raise. `snapshot_sink` gets block snapshots on the engine thread while they are watched.
    """

    def __init__(
        self,
        config: EngineConfig,
        sink: Callable[[Events[Event]], None],
        snapshot_sink: Callable[[BlockSnapshot], None] | None = None,
    ) -> None:
        self._config = replace(config, home=reachable(config.home))
        self._sink = sink
        self._snapshot_sink = snapshot_sink
        self._commands: queue.SimpleQueue[Order | None] = queue.SimpleQueue()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)

    def start(self) -> None:
        """Start the engine thread and return at once. `EngineStarted` or `EngineDied` follows."""
        self._thread.start()

    def send(self, command: Command) -> None:
        """Queue a command; from any thread, never blocks. Commands sent before `start` are kept."""
        self._commands.put(command)

    def close(self, timeout_s: float = 10) -> bool:
        """End all requests and jobs and join the thread. True if it ended in time. Idempotent."""
        self._closing.set()
        self._commands.put(None)
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        prepare_environment(self._config.num_threads)
        lower_thread_priority()
        try:
            with loading_modules():
                from engine.worker import run_engine_thread
        except (ImportError, OSError) as error:  # a broken installation shows itself only here
            _log.error("the engine cannot be imported: %s", error)
            self._sink([EngineDied("engine_error", f"The engine cannot start: {PART_IS_MISSING}")])
            return
        run_engine_thread(self._config, self._commands, self._closing, self._sink, self._snapshot_sink)
