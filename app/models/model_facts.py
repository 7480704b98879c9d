"""Owns the words for what a model and a machine are.

Knows neither widgets nor how a model runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.widgets.units import file_size, memory_size

if TYPE_CHECKING:
    from engine.api import ModelEntry
    from engine.catalog import CatalogEntry
    from engine.planner import Machine


def parameters_text(number: int) -> str:
    """`135 M parameters`, `3.1 B parameters`."""
    if number >= 999_500_000:
        return f"{number / 1e9:.1f} B parameters"
    return f"{number / 1e6:.0f} M parameters"


def nature_text(entry: ModelEntry) -> str:
    """`llama · 135 M parameters · 30 layers · context 8,192 tokens`."""
    spec = entry.spec
    parts = (
        spec.family,
        parameters_text(entry.num_parameters),
        f"{spec.num_layers} layers",
        f"context {spec.max_context:,} tokens",
    )
    return " · ".join(parts)


def storage_text(entry: ModelEntry) -> str:
    """`98 MB on disk · licence apache-2.0`."""
    licence = f"licence {entry.license}" if entry.license else "licence not stated"
    return f"{file_size(entry.disk_bytes)} on disk · {licence}"


def fidelity_text(entry: ModelEntry) -> str:
    """`agrees with its source on 97 % of tokens · perplexity 9.1, the source's 8.9`; empty if it was not measured."""
    fidelity = entry.fidelity
    if fidelity is None:
        return ""
    return (
        f"agrees with its source on {100 * fidelity.agreement:.0f} % of tokens · "
        f"perplexity {fidelity.perplexity:.1f}, the source's {fidelity.source_perplexity:.1f}"
    )


def offer_text(entry: CatalogEntry) -> str:
    """`93 MB to download · licence apache-2.0`."""
    return f"{file_size(entry.download_bytes)} to download · licence {entry.license}"


def machine_text(machine: Machine) -> str:
    """`This machine: … CPU, 4 cores · 15.5 GiB memory (9.1 GiB free) · 41 GB free disk`."""
    cores = "1 core" if machine.num_cores == 1 else f"{machine.num_cores} cores"
    parts = [
        f"{machine.cpu_name}, {cores}",
        f"{memory_size(machine.memory_bytes)} memory ({memory_size(machine.memory_free_bytes)} free)",
    ]
    parts.append(f"{file_size(machine.disk_free_bytes)} free disk")
    return "This machine: " + " · ".join(parts)
