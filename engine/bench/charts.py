"""Bar charts as SVG text, readable on light and dark pages. Knows nothing of benchmarks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

_COLOURS = ("#3b7dd8", "#d97b29", "#4f9d5b", "#9067c6")
_INK = "#808080"
_WIDTH, _LABEL_WIDTH, _VALUE_WIDTH = 800, 270, 70
_BAR, _BAR_GAP, _GROUP_GAP, _TOP = 16, 3, 12, 56


@dataclass(frozen=True, slots=True)
class BarChart:
    """Groups of horizontal bars: `values[s][g]` is series s in group g; None leaves the bar out."""

    title: str
    groups: Sequence[str]
    series: Sequence[str]
    values: Sequence[Sequence[float | None]]

    def to_svg(self) -> str:
        group_height = len(self.series) * (_BAR + _BAR_GAP) + _GROUP_GAP
        height = _TOP + len(self.groups) * group_height
        largest = max((value for row in self.values for value in row if value is not None), default=0.0) or 1.0
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" font-family="sans-serif" '
            f'font-size="12" fill="{_INK}">',
            f'<text x="0" y="16" font-size="14" font-weight="bold">{escape(self.title)}</text>',
            *self._legend(),
        ]
        for index, group in enumerate(self.groups):
            top = _TOP + index * group_height
            middle = top + (group_height - _GROUP_GAP) / 2 + 4
            parts.append(f'<text x="{_LABEL_WIDTH - 8}" y="{middle:.0f}" text-anchor="end">{escape(group)}</text>')
            for number, row in enumerate(self.values):
                parts += _bar(row[index], largest, top + number * (_BAR + _BAR_GAP), _COLOURS[number % len(_COLOURS)])
        return "\n".join([*parts, "</svg>", ""])

    def _legend(self) -> list[str]:
        parts = []
        step = (_WIDTH - _LABEL_WIDTH) // max(len(self.series), 1)
        for index, name in enumerate(self.series):
            x = _LABEL_WIDTH + index * step
            parts.append(f'<rect x="{x}" y="28" width="12" height="12" fill="{_COLOURS[index % len(_COLOURS)]}"/>')
            parts.append(f'<text x="{x + 18}" y="38">{escape(name)}</text>')
        return parts


def _bar(value: float | None, largest: float, top: int, colour: str) -> list[str]:
    if value is None:
        return []
    width = (_WIDTH - _LABEL_WIDTH - _VALUE_WIDTH) * value / largest
    text = f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
    return [
        f'<rect x="{_LABEL_WIDTH}" y="{top}" width="{width:.1f}" height="{_BAR}" fill="{colour}"/>',
        f'<text x="{_LABEL_WIDTH + width + 5:.1f}" y="{top + 12}">{text}</text>',
    ]
