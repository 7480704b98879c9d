"""What the engine asks of the system and of Python."""

import ctypes
import gc
import os
import platform
import sys
import threading

import pytest

from engine.environment import loading_modules, lower_thread_priority, shorten_time_slice


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a thread's niceness cannot be read")
def test_only_the_thread_that_asks_and_those_it_starts_give_way():
    def niceness() -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    seen = {}

    def engine() -> None:
        lower_thread_priority()
        seen["engine"] = niceness()
        worker = threading.Thread(target=lambda: seen.update(worker=niceness()))
        worker.start()
        worker.join()

    before = niceness()
    thread = threading.Thread(target=engine)
    thread.start()
    thread.join()
    assert seen["engine"] == seen["worker"] == min(19, before + 5)
    assert niceness() == before


@pytest.mark.parametrize("is_enabled", [True, False])
def test_collector_is_as_it_was_after_loading_modules(is_enabled: bool) -> None:
    before = gc.isenabled()
    try:
        gc.enable() if is_enabled else gc.disable()
        with loading_modules():
            assert not gc.isenabled()
        assert gc.isenabled() == is_enabled
    finally:
        gc.enable() if before else gc.disable()


@pytest.mark.skipif(sys.platform != "linux" or platform.machine() != "x86_64", reason="reads Linux's own figures")
def test_the_windows_thread_has_a_shorter_turn_than_the_engines() -> None:
    seen = {}

    def engine() -> None:
        lower_thread_priority()
        seen["engine"] = _slice_ns()
        worker = threading.Thread(target=lambda: seen.update(worker=_slice_ns()))
        worker.start()
        worker.join()

    def window() -> None:
        shorten_time_slice()
        seen["window"] = _slice_ns()
        thread = threading.Thread(target=engine)
        thread.start()
        thread.join()

    thread = threading.Thread(target=window)
    thread.start()
    thread.join()
    if seen["window"] == 0:
        pytest.skip("this kernel knows no slices")
    assert seen["window"] < seen["engine"] == seen["worker"]


def _slice_ns() -> int:
    """Of the calling thread: `runtime` in what sched_getattr (315) fills in."""
    attributes = ctypes.create_string_buffer(48)
    assert ctypes.CDLL(None).syscall(315, 0, attributes, 48, 0) == 0
    return int.from_bytes(attributes.raw[24:32], "little")
