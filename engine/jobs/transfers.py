"""Prefixes on their way to a file and back: one thread that writes, reads and verifies them, one after another.

The engine's thread hands it copies and takes copies from it, so that no chat waits for a disk or a checksum. Knows
nothing of blocks and pools.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.cache.identity import CacheIdentity
from engine.cache.snapshot import SavedPrefix, read_snapshot, write_snapshot
from engine.errors import EngineError, JobCancelledError, SnapshotError
from engine.messages import Command, Event, PrefixRefused, PrefixSaved, RestorePrefix, SavePrefix

_MAX_WAITING = 8
"""Each prefix that waits to be written is a copy in memory."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class InstallPrefix:
    """What was read for `restore` and is verified; the engine's thread puts it into the cache."""

    restore: RestorePrefix
    prefix: SavedPrefix


Order = Command | InstallPrefix
"""What the engine's thread obeys: its clients' commands, and what its transfers send it."""


class PrefixTransfers:
    """`sink` gets what became of a transfer, `install` what is ready to be installed; both on the transfers' thread.

    The methods are called on one thread, the engine's. As there is one order of transfers, a file that is restored
    right after it was saved is whole.
    """

    def __init__(self, sink: Callable[[Sequence[Event]], None], install: Callable[[InstallPrefix], None]) -> None:
        self._sink = sink
        self._install = install
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="transfers", daemon=True)

    def require_room(self) -> None:
        """Raises `SnapshotError` if so many transfers wait that no further copy should be made."""
        if self._work.qsize() >= _MAX_WAITING:
            raise SnapshotError(f"{_MAX_WAITING} chats wait to be saved already: try again when one of them is")

    def save(self, command: SavePrefix, prefix: SavedPrefix) -> None:
        """Write a prefix; `PrefixSaved` or `PrefixRefused` follows."""

        def write() -> None:
            size_bytes = write_snapshot(Path(command.path), prefix, self._closing.is_set)
            self._sink([PrefixSaved(command.owner, command.path, len(prefix.token_ids), size_bytes)])

        self._start(command, write)

    def restore(self, command: RestorePrefix, identity: CacheIdentity, max_blocks: int) -> None:
        """Read and verify a prefix of this identity; `InstallPrefix` or `PrefixRefused` follows."""

        def read() -> None:
            scope = identity.scope(command.security_domain)
            prefix = read_snapshot(Path(command.path), identity, scope, max_blocks, self._closing.is_set)
            self._install(InstallPrefix(command, prefix))

        self._start(command, read)

    def close(self, timeout_s: float) -> bool:
        """Give up what is not done, which leaves no file, and wait; True if the thread has ended. Idempotent."""
        self._closing.set()
        self._work.put(None)
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _start(self, command: SavePrefix | RestorePrefix, work: Callable[[], None]) -> None:
        self._work.put(lambda: self._do(command, work))
        if self._thread.ident is None:
            self._thread.start()

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            work()

    def _do(self, command: SavePrefix | RestorePrefix, work: Callable[[], None]) -> None:
        try:
            work()
        except JobCancelledError:
            self._refuse(command, JobCancelledError.code, "The engine is closing: nothing was written or restored")
        except EngineError as error:
            self._refuse(command, error.code, str(error))
        except Exception:
            # The loop of this thread: whatever broke, the client must learn of it, and the next transfer go on.
            _log.exception("%s broke", command)
            message = "It broke by a fault of the program: the log has the details"
            self._refuse(command, SnapshotError.code, message)

    def _refuse(self, command: SavePrefix | RestorePrefix, code: str, message: str) -> None:
        self._sink([PrefixRefused(command.owner, command.path, code, message)])
