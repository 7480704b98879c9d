"""What clients ask of the models on disk, done one after another on a thread of its own and answered as events.

Knows nothing of which model is loaded: who sends an order has made sure that it is not the one.
"""

from __future__ import annotations

import logging
import queue
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Thread

from engine.errors import EngineError
from engine.jobs import model_care
from engine.messages import (
    AskStorage,
    CleanUp,
    DeleteModel,
    DiscoverModels,
    EmptyTrash,
    Event,
    InspectSource,
    LibraryCommand,
    LibraryEvent,
    LibraryFailed,
    RenameModel,
    RestoreModel,
)

_log = logging.getLogger(__name__)


class LibraryOrders:
    """Each order gets exactly one answer, unless the engine closes before its turn. `sink` is called on this thread.

    The methods are called on one thread, the engine's.
    """

    def __init__(self, home: Path, sink: Callable[[Sequence[Event]], None]) -> None:
        self._home = home
        self._sink = sink
        self._work: queue.SimpleQueue[LibraryCommand | None] = queue.SimpleQueue()
        self._thread = Thread(target=self._run, name="library", daemon=True)

    def start(self) -> None:
        """Begin, with what has lain in the trash for too long."""
        self._thread.start()

    def send(self, command: LibraryCommand) -> None:
        self._work.put(command)

    def close(self, timeout_s: float) -> bool:
        """Wait for the orders that were sent; True if all are done. Cut off, none leaves half a model."""
        self._work.put(None)
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            model_care.expire_trash(self._home, time.time())
        except EngineError as error:
            _log.warning("the trash stays as it is: %s", error)
        while (command := self._work.get()) is not None:
            self._sink([self._answer(command)])

    def _answer(self, command: LibraryCommand) -> LibraryEvent:
        try:
            return obey(self._home, command)
        except EngineError as error:
            return LibraryFailed(command, error.code, str(error))
        except Exception:
            # The loop of this thread: whatever broke, the client must not wait for an answer for ever.
            _log.exception("%s broke", command)
            return LibraryFailed(
                command, EngineError.code, "It broke by a fault of the program: the log has the details"
            )


def obey(home: Path, command: LibraryCommand) -> LibraryEvent:
    """Do it here and now. Raises `EngineError`."""
    match command:
        case RenameModel():
            return model_care.rename(home, command)
        case DeleteModel():
            return model_care.delete(home, command)
        case RestoreModel():
            return model_care.restore(home, command)
        case EmptyTrash():
            return model_care.empty_trash(home, command)
        case AskStorage():
            return model_care.storage(home)
        case CleanUp():
            return model_care.clean_up(home, command)
        case DiscoverModels():
            return model_care.discover_models(command)
        case InspectSource(path):
            # Imported where it is asked, as it takes torch.
            from engine.convert.inspection import inspect_source

            return inspect_source(Path(path))
