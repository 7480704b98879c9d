"""How long calibrating and measuring will take: the arithmetic of it, at the speed of this machine.

Knows nothing of what is computed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import torch

from engine.planning.sizes import matrix_groups
from engine.spec import ModelSpec

_PROBE_SIZE = 768
_OVERHEAD = 1.6
"""For what is no product of matrices: reading, unpacking, rounding column by column."""


@dataclass(frozen=True, slots=True)
class Work:
    """Multiplications and additions, of all layers together. `measure` counts both models, and their heads.

    `pass_over`: where an earlier run has calibrated them, and the text only goes through.
    """

    calibrate: float
    measure: float
    pass_over: float

    @classmethod
    def of(cls, spec: ModelSpec, num_calibration_tokens: int, num_held_tokens: int) -> Work:
        tables = ("embedding", "head")
        groups = [group for group in matrix_groups(spec) if group.kind not in tables]
        num_active = sum(group.num_weights * group.read_share for group in groups)
        # The inputs' moments and their change, the moments' factor and its inverse, the correction of the weights, and
        # what each column's error does to the later ones.
        calibrating = sum(
            group.count * group.num_columns**2 * (4.0 * num_calibration_tokens + group.num_columns + 5 * group.num_rows)
            for group in groups
        )
        head = spec.vocab_size * spec.hidden_size
        passing = 2 * 2.0 * num_calibration_tokens * num_active
        return cls(passing + calibrating, 2 * 2.0 * num_held_tokens * (num_active + head), passing)


class TimeLeft:
    """Counts work down. Until some is done, the speed at which this machine multiplies says how long it takes."""

    def __init__(self, work: float, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s
        self._left = work
        self._done = 0.0
        self._first_rate = _probe(now_s) / _OVERHEAD
        self._start_s = now_s()

    def did(self, work: float) -> None:
        self._done += work
        self._left = max(0.0, self._left - work)

    @property
    def left_s(self) -> float:
        elapsed_s = self._now_s() - self._start_s
        is_known = self._done > 0 and elapsed_s > 0
        return self._left / (self._done / elapsed_s if is_known else self._first_rate)


def _probe(now_s: Callable[[], float]) -> float:
    """Multiplications and additions in a second."""
    square = torch.ones(_PROBE_SIZE, _PROBE_SIZE)
    product = square @ square  # the first wakes the threads
    start_s = now_s()
    for _ in range(3):
        torch.mm(square, square, out=product)
    return 3 * 2.0 * _PROBE_SIZE**3 / max(now_s() - start_s, 1e-6)
