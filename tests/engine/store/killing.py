"""A process that ends at a chosen moment: every call that touches the disk can be its last.

Knows nothing of what is done meanwhile.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_EVENTS = {
    "open",
    "os.mkdir",
    "os.rename",
    "os.remove",
    "os.rmdir",
    "os.scandir",
    "os.truncate",
    "shutil.rmtree",
}


class Killed(BaseException):
    """Nothing may handle it, as nothing handles a kill."""


class _Killer:
    """`num_left` calls are let through, then none, so that no clean-up of an exception runs either."""

    def __init__(self) -> None:
        self.num_left: int | None = None
        self.has_killed = False
        sys.addaudithook(self._on_event)

    def _on_event(self, event: str, args: tuple[object, ...]) -> None:
        if self.num_left is None or event not in _EVENTS:
            return
        if self.num_left == 0:
            self.has_killed = True
            raise Killed
        self.num_left -= 1


_killer: list[_Killer] = []


@contextmanager
def killed_after(num_calls: int) -> Iterator[None]:
    """Ends the block, quietly, at the call that touches the disk after so many."""
    # A hook cannot be taken out again, so there is one, and only once it is needed.
    if not _killer:
        _killer.append(_Killer())
    killer = _killer[0]
    killer.num_left, killer.has_killed = num_calls, False
    try:
        with suppress(Killed):
            yield
    finally:
        killer.num_left = None


def was_killed() -> bool:
    """Whether the last such block came to its end before it was done."""
    return _killer[0].has_killed
