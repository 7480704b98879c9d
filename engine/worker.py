"""The engine thread: drains commands, steps the core, publishes once per step. Owns the loaded model.

Knows nothing of who sent a command and who reads an event.
"""

from __future__ import annotations

import gc
import logging
import queue
import threading
import time
from collections.abc import Callable
from collections.abc import Sequence as Events

from engine.backends import choose_backend
from engine.config import EngineConfig
from engine.core import EngineCore
from engine.environment import return_free_memory
from engine.errors import EngineError, ModelBusyError, NoModelError
from engine.jobs.hub_queries import HubQueries
from engine.jobs.library_orders import LibraryOrders
from engine.jobs.runner import JobRunner
from engine.jobs.token_counts import TokenCounts
from engine.jobs.transfers import InstallPrefix, Order, PrefixTransfers
from engine.messages import (
    TREE_INTERVAL_S,
    AskBlock,
    BlockSnapshot,
    BringToFront,
    Cancel,
    CancelJob,
    CountTokens,
    DeleteModel,
    DropNode,
    EngineDied,
    EngineStarted,
    EngineStats,
    Event,
    InspectRepository,
    JobFinished,
    LibraryCommand,
    LibraryFailed,
    LoadModel,
    ModelLoadFailed,
    ModelLoadProgress,
    ModelUnloaded,
    MoveJob,
    PinNode,
    PinPrefix,
    PrefixRefused,
    ReadHeader,
    RequestFailed,
    RestorePrefix,
    SavePrefix,
    SearchHub,
    StartJob,
    StopReading,
    Submit,
    UnloadModel,
    WatchBlocks,
)
from engine.planner import num_physical_cores
from engine.serving import ServedModel, serve
from engine.store.library import Library
from kernels.ops import Backend

_log = logging.getLogger(__name__)

_STATS_INTERVAL_S = 0.1
_QUIET_S = 2.0


class _ClosedError(Exception):
    """The engine is closing while a model loads."""


class Worker:
    """`commands` ends with None. Both sinks are called on the thread that runs `run`."""

    def __init__(
        self,
        config: EngineConfig,
        commands: queue.SimpleQueue[Order | None],
        closing: threading.Event,
        sink: Callable[[Events[Event]], None],
        snapshot_sink: Callable[[BlockSnapshot], None] | None,
        jobs: JobRunner,
        transfers: PrefixTransfers,
        library_orders: LibraryOrders,
    ) -> None:
        self._config = config
        self._commands = commands
        self._closing = closing
        self._sink = sink
        self._snapshot_sink = snapshot_sink
        self._jobs = jobs
        self._transfers = transfers
        self._library_orders = library_orders
        self._hub_queries = HubQueries(sink)
        self._token_counts = TokenCounts(sink)
        self._backend: Backend
        self._library = Library(config.models_dir)
        self._model: ServedModel | None = None
        self._watch: WatchBlocks | None = None
        self._has_computed = False  # since memory was given back
        self._front_owner = ""
        self._events: list[Event] = []
        self._last_stats: EngineStats | None = None
        self._next_stats_s = 0.0
        self._next_snapshot_s = 0.0
        self._next_tree_s = 0.0

    def run(self) -> None:
        """Until None is drained, or until a fault that is reported as `EngineDied`."""
        try:
            self._start()
            while self._drain():
                self._step()
        except _ClosedError:
            pass
        except EngineError as error:
            self._die(error.code, str(error))
        except Exception as error:  # the last line of defence of this thread
            _log.exception("the engine thread ended")
            self._die("engine_error", f"{type(error).__name__}: {error}")
        finally:
            self._shut_down()

    def _start(self) -> None:
        num_threads = self._config.num_threads or num_physical_cores()
        self._backend = choose_backend(self._config.backend, num_threads, self._config.kv_dtype)
        self._events.append(EngineStarted(self._backend.name, num_threads, self._backend.handicap))
        self._publish()

    def _drain(self) -> bool:
        """Obey what has come in; wait for the first if there is nothing to compute. False when the engine closes."""
        is_idle = self._core is None or not self._core.num_live
        if is_idle and self._commands.empty() and self._core is not None:
            self._core.check_invariants()
        while is_idle or not self._commands.empty():
            command = self._next_command()
            is_idle = False
            if command is None or self._closing.is_set():
                return False
            self._obey(command)
        return True

    def _next_command(self) -> Order | None:
        """Wait for it. When nothing has come for a while, what answers have left free goes back to the system once."""
        if self._has_computed:
            try:
                return self._commands.get(timeout=_QUIET_S)
            except queue.Empty:
                return_free_memory()
                self._has_computed = False
        return self._commands.get()

    @property
    def _core(self) -> EngineCore | None:
        return None if self._model is None else self._model.core

    def _obey(self, command: Order) -> None:
        match command:
            case Submit():
                self._submit(command)
            case Cancel(request_id):
                if self._core is not None:
                    self._core.cancel(request_id)
            case BringToFront(owner):
                self._front_owner = owner
                if self._core is not None:
                    self._core.bring_to_front(owner)
            case PinPrefix(owner, is_pinned):
                if self._core is not None:
                    self._core.pin_prefix(owner, is_pinned)
            case SavePrefix() | RestorePrefix() | InstallPrefix():
                self._transfer(command)
            case LoadModel(model_id):
                self._load(model_id)
            case UnloadModel():
                self._unload_on_request()
            case StartJob(job_id, MoveJob(model_id)) if self._is_loaded(model_id):
                self._events.append(JobFinished(job_id, None, ModelBusyError.code, _loaded_text(model_id)))
            case StartJob():
                self._jobs.start(command)
            case CancelJob(job_id):
                self._jobs.cancel(job_id)
            case CountTokens():
                self._token_counts.ask(command, None if self._core is None else self._core.count_text)
            case SearchHub() | InspectRepository() | ReadHeader():
                self._hub_queries.ask(command)
            case StopReading(repo_id):
                self._hub_queries.stop_reading(repo_id)
            case DeleteModel(model_id) if self._is_loaded(model_id):
                self._events.append(LibraryFailed(command, ModelBusyError.code, _loaded_text(model_id)))
            case _ if isinstance(command, LibraryCommand):
                self._library_orders.send(command)
            case WatchBlocks():
                self._watch = command if command.is_on else None
                self._next_snapshot_s = self._next_tree_s = 0.0
                if self._core is not None:
                    self._core.view.watch(command.is_on)
            case AskBlock() | PinNode() | DropNode():
                if self._core is not None:
                    _obey_view(self._core, command)

    def _submit(self, submit: Submit) -> None:
        if self._core is None:
            error = NoModelError("No model is loaded: load one first")
            self._events.append(RequestFailed(submit.request_id, error.code, str(error)))
        else:
            self._core.submit(submit)

    def _transfer(self, command: SavePrefix | RestorePrefix | InstallPrefix) -> None:
        """This thread's part of saving and restoring: the copy out of the pool, and the copy into it."""
        asked = command.restore if isinstance(command, InstallPrefix) else command
        try:
            if self._core is None:
                raise NoModelError("No model is loaded: load one first")
            prefixes = self._core.prefixes
            match command:
                case SavePrefix(owner):
                    self._transfers.require_room()
                    self._transfers.save(command, prefixes.save(owner))
                case RestorePrefix():
                    self._transfers.restore(command, prefixes.identity, prefixes.num_blocks)
                case InstallPrefix(RestorePrefix(owner, path), prefix):
                    self._events.append(prefixes.install(owner, path, prefix))
        except EngineError as error:
            self._events.append(PrefixRefused(asked.owner, asked.path, error.code, str(error)))

    def _load(self, model_id: str) -> None:
        try:
            entry = self._library.find(model_id)
            if self._model is None or self._model.facts.model_id != entry.model_id:
                self._check_idle()
                self._unload()
                # Before the load, whose progress goes out at once: the order of events is the order of what happened.
                self._publish()
                self._model = serve(entry, self._backend, self._config, self._on_load_progress)
                self._model.core.bring_to_front(self._front_owner)
                self._model.core.view.watch(self._watch is not None)
        except (EngineError, OSError) as error:
            code = error.code if isinstance(error, EngineError) else EngineError.code
            self._events.append(ModelLoadFailed(model_id, code, str(error)))
        else:
            self._events.append(self._model.facts)
        self._publish()

    def _on_load_progress(self, progress: ModelLoadProgress) -> None:
        if self._closing.is_set():
            raise _ClosedError
        self._sink([progress])

    def _is_loaded(self, model_id: str) -> bool:
        """As the model that answers, or as the one that guesses for it."""
        return self._model is not None and model_id in (self._model.facts.model_id, self._config.draft_model)

    def _unload_on_request(self) -> None:
        try:
            self._check_idle()
        except ModelBusyError as error:
            assert self._model is not None
            self._events.append(ModelLoadFailed(self._model.facts.model_id, error.code, str(error)))
        else:
            self._unload()

    def _check_idle(self) -> None:
        if self._model is not None and self._model.core.num_live:
            count = self._model.core.num_live
            raise ModelBusyError(
                f"{count} answer{'s' if count > 1 else ''} still running on {self._model.facts.name}: "
                "stop them or wait until they end"
            )

    def _unload(self) -> None:
        if self._model is not None:
            core, facts = self._model.core, self._model.facts
            # Ends and refusals of this very drain still wait in the core.
            self._events += core.drain_events()
            self._events.append(ModelUnloaded(facts.model_id))
            _log.info("unloading %s after %s", facts.model_id, core.metrics)
            self._model = self._last_stats = None
            del core
            gc.collect()  # weights and pool are large, and cycles would keep them until some later time

    def _step(self) -> None:
        if self._core is not None:
            # Also when idle: refusals and cancellations wait in the core for the next publication.
            self._has_computed |= self._core.num_live > 0
            self._events += self._core.step() if self._core.num_live else self._core.drain_events()
        self._observe()
        self._publish()

    def _observe(self) -> None:
        """Statistics at most ten times a second, and always when the engine falls idle; snapshots as watched."""
        if self._model is None:
            return
        core, now_s = self._model.core, time.monotonic()
        is_idle = not core.num_live
        if is_idle or now_s >= self._next_stats_s:
            stats = core.stats()
            if stats != self._last_stats:
                self._events.append(stats)
            self._last_stats, self._next_stats_s = stats, now_s + _STATS_INTERVAL_S
        if self._watch is not None and self._snapshot_sink is not None and (is_idle or now_s >= self._next_snapshot_s):
            self._next_snapshot_s = now_s + self._watch.interval_ms / 1000
            self._snapshot_sink(core.snapshot(self._model.facts.model_id))
            core.tell_steps()
            self._events += core.drain_events()
        if self._watch is not None and self._watch.with_tree and (is_idle or now_s >= self._next_tree_s):
            self._next_tree_s = now_s + TREE_INTERVAL_S
            self._events.append(core.view.tree(self._model.facts.model_id))

    def _publish(self) -> None:
        if self._events:
            events, self._events = self._events, []
            self._sink(events)

    def _die(self, code: str, message: str) -> None:
        try:
            if self._core is not None:
                self._core.fail_all(code, "The engine stopped: restart it and try again")
                self._events += self._core.drain_events()
        except Exception:  # what broke may break again while it cleans up after itself
            _log.exception("the live requests could not be ended")
        self._model = None
        self._events.append(EngineDied(code, message))
        self._publish()

    def _shut_down(self) -> None:
        if self._core is not None:
            for request_id in self._core.live_request_ids():
                self._core.cancel(request_id)
            self._events += self._core.drain_events()
            self._publish()
        self._model = None


def _obey_view(core: EngineCore, command: AskBlock | PinNode | DropNode) -> None:
    match command:
        case AskBlock(block):
            core.tell_block(block)
        case PinNode(digest, is_pinned, first_digest):
            core.pin_node(digest, is_pinned, first_digest)
        case DropNode(digest):
            core.drop_node(digest)


def _loaded_text(model_id: str) -> str:
    return f"{model_id} is loaded: unload it first, or load another model"


def run_engine_thread(
    config: EngineConfig,
    commands: queue.SimpleQueue[Order | None],
    closing: threading.Event,
    sink: Callable[[Events[Event]], None],
    snapshot_sink: Callable[[BlockSnapshot], None] | None,
) -> None:
    """Body of the engine thread; returns when the engine and its jobs have ended."""
    jobs = JobRunner(config, sink)
    transfers = PrefixTransfers(sink, commands.put)
    library_orders = LibraryOrders(config.home, sink)
    library_orders.start()
    try:
        Worker(config, commands, closing, sink, snapshot_sink, jobs, transfers, library_orders).run()
    finally:
        library_orders.close(timeout_s=5)
        transfers.close(timeout_s=5)
        jobs.close(timeout_s=5)
