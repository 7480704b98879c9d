"""Where the time of the engine's steps goes, measured from outside: nothing of it is in the engine.

While `staged` is active the functions that stand for a stage are replaced by timed ones; what a stage calls of another
stage counts for that one, so the stages sum to the time of the steps. A timed call costs some 0.3 µs.
"""

from __future__ import annotations

import functools
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import engine.forward.runner
from engine.core import EngineCore
from engine.forward.runner import Runner
from engine.forward.verification import Verifier
from engine.scheduler import Scheduler
from engine.speculation.speculator import Speculator
from engine.text.detokenizer import IncrementalDetokenizer
from kernels.cpu.stack import NativeStack
from kernels.ops import Backend

KERNELS, FORWARD, SCHEDULER, DRAFTING, SAMPLING, DETOKENIZING, STEP = STAGES = (
    "kernels",
    "Python of the forward",
    "scheduler",
    "drafting",
    "sampling",
    "detokenizing",
    "rest of the step",
)
_FUNCTIONS: tuple[tuple[str, Any, str], ...] = (
    (STEP, EngineCore, "step"),
    (SCHEDULER, Scheduler, "schedule"),
    (DRAFTING, Speculator, "propose"),
    (FORWARD, Runner, "run"),
    (FORWARD, engine.forward.runner, "build_batch"),
    (KERNELS, NativeStack, "compute"),
    (SAMPLING, Verifier, "tokens"),
    (DETOKENIZING, IncrementalDetokenizer, "add"),
)
_NOT_OF_THE_FORWARD = {"new_pool", "prepare", "describe", "resident_bytes", "sample", "logprobs", "stack_layers"}


class StageTimer:
    """Seconds and calls of each stage. Times are exclusive: a stage's own time, without the stages inside it."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.num_calls: Counter[str] = Counter()
        self._clock = clock
        self._inner_s: list[float] = []

    def reset(self) -> None:
        """Forget what was counted; between two steps."""
        assert not self._inner_s, "a step is under way"
        self.seconds.clear()
        self.num_calls.clear()

    def timed(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            self._inner_s.append(0.0)
            start_s = self._clock()
            try:
                return function(*args, **kwargs)
            finally:
                elapsed_s = self._clock() - start_s
                self.seconds[stage] += elapsed_s - self._inner_s.pop()
                self.num_calls[stage] += 1
                if self._inner_s:
                    self._inner_s[-1] += elapsed_s

        return call


@contextmanager
def staged(timer: StageTimer, backend: Backend) -> Iterator[None]:
    """Time all engines of this process, and the operations of this backend."""
    with ExitStack() as restore:
        for stage, owner, name in _FUNCTIONS:
            original = getattr(owner, name)
            restore.callback(setattr, owner, name, original)
            setattr(owner, name, timer.timed(stage, original))
        for name in Backend.__abstractmethods__ - _NOT_OF_THE_FORWARD:
            # On the object, which hides the method of its class.
            restore.callback(delattr, backend, name)
            setattr(backend, name, timer.timed(KERNELS, getattr(backend, name)))
        yield
