"""Owns the request to the system not to fall asleep while something is being worked on.

Does not know what is worked on. The screen may go dark all the same.
"""

from __future__ import annotations

import contextvars
import ctypes
import logging
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wakepy import Mode

_log = logging.getLogger(__name__)
_PROCESS_POWER_THROTTLING = 4
_EXECUTION_SPEED = 1


class KeepAwake:
    """Off at first. A system that cannot be asked is left alone, and the log says so once."""

    def __init__(self) -> None:
        self._mode: Mode | None = None
        self._has_failed = False
        # A mode is to be left in the context in which it was entered, and each task of the loop has its own.
        self._context = contextvars.Context()

    @property
    def is_on(self) -> bool:
        return self._mode is not None

    def set(self, is_on: bool) -> None:
        if is_on == self.is_on or self._has_failed:
            return
        if self._mode is not None:
            self._context.run(self._mode.__exit__, None, None, None)
            self._mode = None
            return
        # Imported late: its import takes as long as a part of the window's start that can be felt.
        from wakepy import keep

        # It would log each way it tries; that none works is said once, below.
        logging.getLogger("wakepy").setLevel(logging.ERROR)
        self._mode = keep.running(on_fail=lambda _: None)
        self._context.run(self._mode.__enter__)
        if not self._mode.active:
            self._has_failed = True
            self._mode = None
            _log.info("This system cannot be asked not to fall asleep")


def leave_efficiency_mode() -> None:
    """Tells Windows that this process's threads are not background work, which it would put on its slow cores."""
    if sys.platform != "win32":
        return

    class PowerThrottlingState(ctypes.Structure):
        _fields_ = (("version", ctypes.c_ulong), ("control_mask", ctypes.c_ulong), ("state_mask", ctypes.c_ulong))

    state = PowerThrottlingState(1, _EXECUTION_SPEED, 0)
    kernel32 = ctypes.windll.kernel32
    kernel32.GetCurrentProcess.restype = ctypes.c_void_p
    kernel32.SetProcessInformation(
        ctypes.c_void_p(kernel32.GetCurrentProcess()),
        _PROCESS_POWER_THROTTLING,
        ctypes.byref(state),
        ctypes.sizeof(state),
    )
