"""Pearson's test of counts against probabilities, without a library of statistics."""

from __future__ import annotations

import math

Z_999 = 3.0902
"""The standard normal's quantile of 0.999."""


def chi_square(counts: list[int], probabilities: list[float]) -> tuple[float, float]:
    """The statistic, and the value that right counts exceed once in a thousand times.

    Cells of fewer than five expected counts are put together. The quantile by Wilson and Hilferty (1931).
    """
    total = sum(counts)
    cells: list[tuple[float, float]] = []
    rare_count = rare_expected = 0.0
    for count, probability in zip(counts, probabilities, strict=True):
        assert probability > 0 or count == 0, "a token came that has no probability"
        if probability * total < 5:
            rare_count, rare_expected = rare_count + count, rare_expected + probability * total
        else:
            cells.append((count, probability * total))
    if rare_expected:
        cells.append((rare_count, rare_expected))
    freedom = len(cells) - 1
    assert freedom > 0, cells
    statistic = sum((count - expected) ** 2 / expected for count, expected in cells)
    spread = 2 / (9 * freedom)
    return statistic, freedom * (1 - spread + Z_999 * math.sqrt(spread)) ** 3
