"""A lock that many threads can hold together, or one alone. Knows nothing of what it guards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition


class SharedLock:
    """Who wants it alone waits for those that have it, and those that come later wait for that one. Not reentrant."""

    def __init__(self) -> None:
        self._condition = Condition()
        self._num_shared = 0
        self._num_wanting = 0
        """Threads that have it alone, or wait for that."""

    @contextmanager
    def together(self) -> Iterator[None]:
        with self._condition:
            self._condition.wait_for(lambda: not self._num_wanting)
            self._num_shared += 1
        try:
            yield
        finally:
            with self._condition:
                self._num_shared -= 1
                self._condition.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        with self._condition:
            self._num_wanting += 1
            try:
                self._condition.wait_for(lambda: not self._num_shared)
                yield
            finally:
                self._num_wanting -= 1
                self._condition.notify_all()
