"""What the system says of a thread that asked for a short slice, and of one that it started."""

from __future__ import annotations

import ctypes
import platform
import sys
import threading

import pytest

from app.desktop.time_slice import SchedAttr, ask_for_short_slice

_GET_ATTR = {"x86_64": 315, "aarch64": 275}


def slice_ns() -> int:
    attr = SchedAttr()
    number = _GET_ATTR[platform.machine()]
    assert ctypes.CDLL(None).syscall(number, 0, ctypes.byref(attr), ctypes.sizeof(attr), 0) == 0
    return int(attr.runtime)


def in_thread(action):
    results = []
    thread = threading.Thread(target=lambda: results.append(action()))
    thread.start()
    thread.join()
    return results[0]


@pytest.mark.skipif(sys.platform != "linux" or platform.machine() not in _GET_ATTR, reason="no Linux that is known")
def test_a_thread_gets_a_shorter_slice_and_those_it_starts_do_not():
    if in_thread(slice_ns) == 0:
        pytest.skip("this Linux has no slices of a thread's own")

    def ask():
        former = slice_ns()
        return former, ask_for_short_slice(), slice_ns(), in_thread(slice_ns)

    former, is_taken, own, started = in_thread(ask)
    assert is_taken
    assert own < former
    assert started == former


def test_elsewhere_nothing_is_asked(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    assert not ask_for_short_slice()
