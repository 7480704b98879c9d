"""What the engine asks of the system and of Python."""

import gc
import os
import sys
import threading

import pytest

from engine.environment import loading_modules, lower_thread_priority


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
