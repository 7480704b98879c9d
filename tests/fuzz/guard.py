"""What hostile input must not do: write elsewhere, take memory without bound, or never end.

Knows nothing of the input.
"""

from __future__ import annotations

import faulthandler
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from engine.errors import EngineError

if sys.platform == "linux":
    import resource

MAX_GROWTH_BYTES = 3 << 30
"""Of address space: tiny models need some MiB, libraries map more when they are first used."""
MAX_EXAMPLE_S = 120
"""A hang, not slowness: an example takes some hundredths of a second."""

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_TARGETS = {
    "os.mkdir": 0,
    "os.rename": 1,
    "os.remove": 0,
    "os.rmdir": 0,
    "os.link": 1,
    "os.symlink": 1,
    "shutil.rmtree": 0,
}
"""Audit events that change the disk, and which of their arguments says where."""


class WriteWatch:
    """Notes every path that is written, made or removed outside of the folders that may be."""

    def __init__(self) -> None:
        self._allowed: tuple[str, ...] | None = None
        self.strays: list[str] = []
        sys.addaudithook(self._on_event)

    @contextmanager
    def only(self, *folders: Path) -> Iterator[None]:
        """Raises AssertionError at the end of the block if anything was written elsewhere."""
        self.strays = []
        self._allowed = tuple(os.path.realpath(folder) for folder in folders)
        try:
            yield
        finally:
            self._allowed = None
        assert not self.strays, self.strays

    def _on_event(self, event: str, args: tuple[object, ...]) -> None:
        if self._allowed is None:
            return
        if event == "open":
            path, _, flags = args
            if not isinstance(flags, int) or not flags & _WRITING:
                return
        elif event in _TARGETS:
            path = args[_TARGETS[event]]
        else:
            return
        if isinstance(path, bytes):
            path = os.fsdecode(path)
        if not isinstance(path, str | os.PathLike):
            return
        # Where a name that is a link leads to is not asked: writers of ours replace names.
        text = os.path.join(os.path.realpath(os.path.dirname(os.path.abspath(path))), os.path.basename(path))
        # Relative names come from removing a tree, whose root has an event of its own.
        is_inner = event in ("os.remove", "os.rmdir") and not os.path.isabs(path)
        is_harmless = is_inner or "__pycache__" in text or text == os.devnull
        if not is_harmless and not text.startswith(self._allowed):
            self.strays.append(f"{event} {text}")


_watch: list[WriteWatch] = []


def write_watch() -> WriteWatch:
    """The one of this process, as a hook cannot be taken out again."""
    if not _watch:
        _watch.append(WriteWatch())
    return _watch[0]


@contextmanager
def bounded_memory() -> Iterator[None]:
    """Within, asking for much more address space than there is by now fails with MemoryError. Linux alone."""
    if sys.platform != "linux":
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (psutil.Process().memory_info().vms + MAX_GROWTH_BYTES, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


@contextmanager
def ending_process_on_hang() -> Iterator[None]:
    """A block that hangs ends the process, with where it was on stderr."""
    faulthandler.dump_traceback_later(MAX_EXAMPLE_S, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def settled(action: Callable[[], object]) -> bool:
    """Do it; False if it was refused, in one line that can be shown. Whatever else is raised is a finding."""
    with suppress(EngineError):
        action()
        return True
    return False
