"""Figures as bar charts, a bar for each side. Knows nothing of how they were measured."""

from __future__ import annotations

from collections.abc import Sequence

from engine.bench.charts import BarChart
from engine.bench.comparison import Result
from engine.bench.workloads import Metric


def drawn(
    title: str, results: Sequence[Result], labels: Sequence[str], metrics: Sequence[Metric] | None = None
) -> tuple[BarChart, ...]:
    """The medians of these metrics, or of all: one chart for each unit, as bars of two units cannot be compared."""
    shown = [result for result in results if metrics is None or result.metric in metrics]
    by_unit: dict[str, list[Result]] = {}
    for result in shown:
        by_unit.setdefault(result.metric.unit, []).append(result)
    return tuple(_chart(title, of_unit, labels) for of_unit in by_unit.values())


def _chart(title: str, results: Sequence[Result], labels: Sequence[str]) -> BarChart:
    """What all figures have in common, their case or else their metric, is not repeated at each."""
    unit, better = results[0].metric.unit, results[0].metric.better
    notes = ([f"in {unit}"] if unit in ("s", "ms", "%", "MiB") else []) + ([f"{better} is better"] if better else [])
    heading = f"{title} ({', '.join(notes)})" if notes else title
    if len({result.metric for result in results}) == 1:
        groups = [result.case for result in results]
    elif len({result.case for result in results}) == 1:
        groups = [result.metric.name for result in results]
    else:
        groups = [f"{result.case}: {result.metric.name}" for result in results]
    return BarChart(heading, groups, list(labels), [[result.median(label) for result in results] for label in labels])
