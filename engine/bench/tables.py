"""Figures as tables of text, for a terminal and for Markdown. Knows nothing of what they mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.bench.comparison import Result
from engine.bench.workloads import Metric

NOTHING = "–"


@dataclass(frozen=True, slots=True)
class Table:
    """The first column is text, the others are figures."""

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def to_text(self) -> str:
        """Columns aligned by spaces."""
        widths = [max(map(len, column)) for column in zip(self.headers, *self.rows, strict=True)]
        return "\n".join(_aligned(row, widths) for row in (self.headers, *self.rows))

    def to_markdown(self) -> str:
        lines = [_piped(self.headers), _piped(("---", *("---:" for _ in self.headers[1:])))]
        return "\n".join([*lines, *map(_piped, self.rows)])


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = row
    cells = [first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))]
    return "  ".join(cells).rstrip()


def _piped(row: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"


def number(value: float | None) -> str:
    """Three significant digits, but every digit before the point, and below one no more than two behind it."""
    if value is None:
        return NOTHING
    for limit, digits in ((99.95, 0), (9.995, 1)):
        if abs(value) >= limit:
            return f"{value:,.{digits}f}"
    return f"{value:.2f}"


def compared(results: Sequence[Result], labels: Sequence[str]) -> Table:
    """A line for each figure: every side's median, and the first side's ratio to each of the others.

    What all lines have in common, their case or else their metric, stands in the corner.
    """
    if len({result.case for result in results}) == 1:
        corner, names = results[0].case, [_named(result.metric) for result in results]
    elif len({result.metric for result in results}) == 1:
        corner, names = _named(results[0].metric), [result.case for result in results]
    else:
        corner, names = "", [f"{result.case}: {_named(result.metric)}" for result in results]
    rows = []
    for name, result in zip(names, results, strict=True):
        medians = [number(result.median(label)) for label in labels]
        ratios = [number(result.ratio(labels[0], label)) for label in labels[1:]]
        rows.append((name, *medians, *ratios))
    ratio_headers = (f"ratio to {label}" if len(labels) > 2 else "ratio" for label in labels[1:])
    return Table((corner, *labels, *ratio_headers), tuple(rows))


def listed(results: Sequence[Result], label: str) -> Table:
    """A line for each case of one side, its figures as columns."""
    metrics = list(dict.fromkeys(result.metric for result in results))
    found = {(result.case, result.metric): result for result in results}
    rows = []
    for case in dict.fromkeys(result.case for result in results):
        values = (found.get((case, metric)) for metric in metrics)
        rows.append((case, *(NOTHING if value is None else number(value.median(label)) for value in values)))
    return Table(("", *map(_named, metrics)), tuple(rows))


def _named(metric: Metric) -> str:
    return f"{metric.name} [{metric.unit}]" if metric.unit in ("ms", "s", "%", "MiB") else metric.name
