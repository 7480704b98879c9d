"""How long a calibrated conversion takes before there is anything to convert: its arithmetic, at a laptop's speed.

Standard library only. Knows nothing of what is computed; `engine.convert.time_left` tells the time while it runs.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.messages import Quality
from engine.planning.sizes import matrix_groups
from engine.quality import PRESETS
from engine.spec import ModelSpec

CALIBRATION_TOKENS, HELD_TOKENS = 12_000, 900
"""What the texts to calibrate on and to measure with come to, about, in a usual tokenizer."""
LAPTOP_OPERATIONS_PER_S = 150e9
"""Multiplications and additions of float32 on four cores of an ordinary laptop."""
OVERHEAD = 1.6
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


def conversion_s(spec: ModelSpec, quality: Quality) -> float | None:
    """About how long on an ordinary laptop; None where nothing is calibrated: that takes little longer than reading.

    A source that is taken as it is takes less.
    """
    if PRESETS[quality].method != "calibrated":
        return None
    work = Work.of(spec, CALIBRATION_TOKENS, HELD_TOKENS)
    return (work.calibrate + work.measure) * OVERHEAD / LAPTOP_OPERATIONS_PER_S
