"""What native libraries read from the environment as they load, set before torch loads them."""

from __future__ import annotations

import os

_SPIN_COUNT = "2000"


def prepare_environment() -> None:
    """Let idle arithmetic threads spin briefly and then park; what the user has set stays.

    GNU OpenMP spins for milliseconds by default. With any other busy program on the machine, the thread that should
    work then waits for one that spins: docs/adr/0007-threads-that-park.md has figures.
    """
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault("GOMP_SPINCOUNT", _SPIN_COUNT)
