"""The worker pool: every item once, whatever the workers; and nothing is left running."""

from __future__ import annotations

import ctypes
import threading

import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.cpu.library import shared
from kernels.cpu.pool import Pool

Task = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_int)


class Stage(ctypes.Structure):
    """`di_stage` of src/pool.h."""

    _fields_ = (("task", Task), ("context", ctypes.c_void_p), ("num_items", ctypes.c_int))


def run(pool: Pool, stages: list[tuple[Task, int]]) -> None:
    shared().di_pool_run(pool.handle, (Stage * len(stages))(*((task, None, num) for task, num in stages)), len(stages))


@settings(max_examples=30, deadline=None)
@given(counts=st.lists(st.integers(0, 40), max_size=8), num_workers=st.integers(1, 5), spin_us=st.sampled_from([0, 50]))
def test_every_item_runs_once_and_stages_in_order(counts: list[int], num_workers: int, spin_us: int) -> None:
    pool = Pool(num_workers, spin_us)
    done: list[tuple[int, int]] = []
    workers = set()

    def task_of(stage: int) -> Task:
        def task(_context: int, item: int, worker: int) -> None:
            done.append((stage, item))
            workers.add(worker)

        return Task(task)

    stages = [(task_of(stage), num) for stage, num in enumerate(counts)]
    for _ in range(3):
        done.clear()
        run(pool, stages)
        assert [stage for stage, _ in done] == [stage for stage, num in enumerate(counts) for _ in range(num)]
        assert sorted(done) == [(stage, item) for stage, num in enumerate(counts) for item in range(num)]
    assert workers <= set(range(num_workers))


@pytest.mark.parametrize("spin_us", [0, 50])
def test_many_short_runs_of_parked_and_spinning_workers(spin_us: int) -> None:
    pool, total = Pool(4, spin_us), []
    task = Task(lambda _context, item, _worker: total.append(item))
    for _ in range(300):
        run(pool, [(task, 3), (task, 1), (task, 0), (task, 5)])
    assert len(total) == 300 * 9


def test_all_workers_take_part_in_a_long_stage() -> None:
    pool, met = Pool(3), threading.Barrier(3)
    workers = set()

    def task(_context: int, _item: int, worker: int) -> None:
        # each of the three items waits for the other two, so that no worker can take two
        met.wait(timeout=60)
        workers.add(worker)

    run(pool, [(Task(task), 3)])
    assert workers == {0, 1, 2}


def test_a_closed_pool_leaves_no_thread() -> None:
    before = psutil.Process().num_threads()
    pool = Pool(4)
    assert psutil.Process().num_threads() == before + 3
    run(pool, [(Task(lambda *_: None), 8)])
    pool.close()
    assert psutil.Process().num_threads() == before
