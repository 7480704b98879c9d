"""What native libraries read from the environment as they load, set before torch loads them."""

from __future__ import annotations

import os

_SPIN_VARIABLE = "GOMP_SPINCOUNT"
_SPIN_COUNT = "2000"
_added: set[str] = set()


def prepare_environment() -> None:
    """Let idle arithmetic threads spin briefly and then park; what the user has set stays.

    GNU OpenMP spins for milliseconds by default. With any other busy program on the machine, the thread that should
    work then waits for one that spins: docs/adr/0007-threads-that-park.md has figures.
    """
    if "OMP_WAIT_POLICY" not in os.environ and _SPIN_VARIABLE not in os.environ:
        os.environ[_SPIN_VARIABLE] = _SPIN_COUNT
        _added.add(_SPIN_VARIABLE)


def foreign_environment() -> dict[str, str]:
    """The environment as it was before `prepare_environment`, for programs that are to run as they would without us."""
    return {name: value for name, value in os.environ.items() if name not in _added}
