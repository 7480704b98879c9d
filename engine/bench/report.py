"""The benchmark's result: sections of figures, on a terminal, as JSON and as a Markdown page with charts."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.bench.charts import BarChart
from engine.bench.tables import Table


@dataclass(frozen=True, slots=True)
class Section:
    """One workload's part. `data` is for JSON: what the table shows, unrounded and with every sample."""

    name: str
    title: str
    table: Table
    data: Any
    notes: tuple[str, ...] = ()
    charts: tuple[BarChart, ...] = ()

    def to_text(self) -> str:
        return "\n".join([self.title, self.table.to_text(), *self.notes])


@dataclass(slots=True)
class Report:
    """`facts` of machine, model and run, by name; `sides` as each side tells of itself."""

    title: str
    slug: str
    facts: dict[str, str]
    sides: list[dict[str, Any]] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        sections = {section.name: {"results": section.data, "notes": section.notes} for section in self.sections}
        return {"title": self.title, "facts": self.facts, "sides": self.sides, "workloads": sections}

    def write_markdown(self, folder: Path) -> Path:
        """Write `SLUG.md` and its charts; returns the page's path. Raises OSError."""
        folder.mkdir(parents=True, exist_ok=True)
        parts = [f"# {self.title}", _facts_list(self.facts)]
        parts += [f"**{side['name']}** {_facts_line(side)}" for side in self.sides]
        for section in self.sections:
            parts += [f"## {section.title}", section.table.to_markdown(), *section.notes]
            for number, chart in enumerate(section.charts):
                name = f"{self.slug}-{section.name}{f'-{number + 1}' if number else ''}.svg"
                (folder / name).write_text(chart.to_svg(), encoding="utf-8")
                parts.append(f"![{chart.title}]({name})")
        page = folder / f"{self.slug}.md"
        page.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
        return page


def _facts_list(facts: dict[str, str]) -> str:
    return "\n".join(f"- {name}: {value}" for name, value in facts.items())


def _facts_line(side: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in side.items() if name != "name")
