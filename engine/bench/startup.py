"""How long sides take to start and what memory they then hold; and which variant of a peer is the fastest here."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence

from engine.bench.comparison import Result, Rounds
from engine.bench.drawing import drawn
from engine.bench.protocol import Ask, Task
from engine.bench.report import Section
from engine.bench.side import OpenSide, SideProgram
from engine.bench.tables import compared
from engine.bench.workloads import Metric, PromptMaker, decode_cases

LOAD_TIME = Metric("load", "s", "less")
FIRST_TOKEN = Metric("start of the program to the first token", "s", "less")
PEAK_MEMORY = Metric("peak memory", "MiB", "less")
PRIVATE_MEMORY = Metric("private memory", "MiB", "less")
_PROMPT_TOKENS = 32


def startup_section(
    programs: Sequence[SideProgram], rounds: Rounds, prompts: PromptMaker, on_open: Callable[[OpenSide], None]
) -> Section:
    """Starts each program anew in every round, and lets it answer a short prompt with one token."""
    samples: dict[Metric, dict[str, list[float]]] = {}
    for number in rounds:
        for program in programs if number % 2 == 0 else reversed(programs):
            rounds.on_round(program.label, number)
            for metric, value in _start(program, prompts, on_open).items():
                samples.setdefault(metric, {}).setdefault(program.label, []).append(value)
    results = [Result("a short prompt", metric, by_side) for metric, by_side in samples.items()]
    title, labels = "Load: seconds and memory, from the start of a program", [program.label for program in programs]
    return Section(
        "load",
        title,
        compared(results, labels),
        [result.to_json() for result in results],
        ("Peak memory counts pages of mapped files that were touched; private memory is what no file backs.",),
        drawn(title, results, labels),
    )


def _start(program: SideProgram, prompts: PromptMaker, on_open: Callable[[OpenSide], None]) -> dict[Metric, float]:
    with OpenSide(program) as side:
        on_open(side)
        start_s = time.perf_counter()
        side.run(Task((Ask(prompts.ids(random.Random(0), _PROMPT_TOKENS), 1),)))
        answer_s = time.perf_counter() - start_s
        return {LOAD_TIME: side.load_s, FIRST_TOKEN: side.start_s + answer_s, **memory_figures(side)}


def memory_figures(side: OpenSide) -> dict[Metric, float]:
    memory = side.memory()
    return {PEAK_MEMORY: memory.peak_bytes / 2**20, PRIVATE_MEMORY: memory.private_bytes / 2**20}


def fastest(candidates: Sequence[SideProgram], prompts: PromptMaker) -> SideProgram:
    """The one that decodes a sequence alone the fastest."""
    if len(candidates) == 1:
        return candidates[0]
    (case,) = decode_cases(prompts, (1,))
    tasks = case.make_tasks(random.Random(0))
    rates = []
    for candidate in candidates:
        with OpenSide(candidate) as side:
            for _ in range(2):  # the first time to warm up
                answers = [side.run(task) for task in tasks]
            rates.append(max(case.measure(answers, tasks).values()))
    return candidates[rates.index(max(rates))]
