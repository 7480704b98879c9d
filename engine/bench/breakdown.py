"""What our side tells of itself, laid out: where a step's time goes, and each operation beside the machine's limits."""

from __future__ import annotations

import random
from typing import Any

from engine.bench.protocol import Ask, Task
from engine.bench.report import Section
from engine.bench.side import OpenSide
from engine.bench.tables import NOTHING, Table, number
from engine.bench.workloads import PromptMaker

_SEQUENCES = (1, 8)
_PROMPT_TOKENS, _TOKENS = 64, 32


def profile_section(side: OpenSide, prompts: PromptMaker) -> Section:
    """Of decoding alone, and by eight."""
    numbers = random.Random(0)
    profiles = {}
    for count in _SEQUENCES:
        task = Task(tuple(Ask(prompts.ids(numbers, _PROMPT_TOKENS), _TOKENS) for _ in range(count)))
        profiles[count] = side.order({"profile": task.to_json()})
    rows = [
        (stage, *(cell for count in _SEQUENCES for cell in _share(profiles[count], [stage])))
        for stage in profiles[1]["stages"]
    ]
    rows.append(("a step", *(cell for count in _SEQUENCES for cell in _share(profiles[count], None))))
    headers = [header for count in _SEQUENCES for header in (f"ms, {count} decoding", "%")]
    return Section(
        "profile",
        "Where the time of a decode step goes",
        Table(("", *headers), tuple(rows)),
        {str(count): profile for count, profile in profiles.items()},
        ("Each stage without the stages inside it. Timing each operation adds some 0.3 µs to it.",),
    )


def _share(profile: dict[str, Any], stages: list[str] | None) -> tuple[str, str]:
    """Milliseconds a step and percent of it, of these stages or of all."""
    seconds = profile["seconds"]
    total_s = sum(seconds.values())
    own_s = sum(seconds.get(stage, 0.0) for stage in stages or seconds)
    return number(1e3 * own_s / profile["num_steps"]), number(100 * own_s / total_s)


def kernel_section(side: OpenSide) -> Section:
    machine = side.order({"machine": True})
    times = side.order({"kernels": {}})
    headers = ("", "µs", "GB/s", "% of read", "GOPS", "% of int8", "x torch float32")
    limits = (
        f"This machine, by torch: copies {machine['copy'] / 1e9:.1f} GB/s (bytes read and written), reads "
        f"{machine['read'] / 1e9:.1f} GB/s, multiplies {machine['int8'] / 1e9:.0f} GOPS in int8 and "
        f"{machine['float32'] / 1e9:.0f} GFLOPS in float32. Small matrices may come from a cache: above 100 % of read."
    )
    return Section(
        "kernels",
        f"Operations of the {side.facts['backend']} backend",
        Table(headers, tuple(_kernel_row(time, machine) for time in times)),
        {"machine": machine, "operations": times},
        (limits,),
    )


def _kernel_row(time: dict[str, Any], machine: dict[str, float]) -> tuple[str, ...]:
    seconds, float32_s = time["seconds"], time["float32_seconds"]
    bytes_per_s = time["num_bytes"] / seconds
    cells = [number(1e6 * seconds), number(bytes_per_s / 1e9), number(100 * bytes_per_s / machine["read"])]
    if time["num_ops"] is None:
        cells += [NOTHING, NOTHING]
    else:
        ops_per_s = time["num_ops"] / seconds
        cells += [number(ops_per_s / 1e9), number(100 * ops_per_s / machine["int8"])]
    return time["case"], *cells, number(None if float32_s is None else float32_s / seconds)
