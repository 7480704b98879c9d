"""The benchmark from its first to its last workload: which sides run what, and how the figures are laid out.

Knows nothing of the command line, and of where the report goes.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import product
from typing import Any

from engine.bench import workloads
from engine.bench.breakdown import kernel_section, profile_section
from engine.bench.comparison import Comparison, Result, Rounds
from engine.bench.drawing import drawn
from engine.bench.protocol import Ask, Task
from engine.bench.report import Section
from engine.bench.side import OpenSide, SideProgram
from engine.bench.startup import fastest, memory_figures, startup_section
from engine.bench.tables import Table, compared, listed, number
from engine.bench.workloads import Case, Metric, PromptMaker

OWN_LABEL = "DeepInfer"

_COMPARED: dict[str, tuple[str, Callable[[PromptMaker], list[Case]], tuple[Metric, ...]]] = {
    "decode": (
        "Decode: tokens per second of all sequences together",
        workloads.decode_cases,
        (workloads.TOKENS_PER_S,),
    ),
    "prefill": (
        "Prefill: prompt tokens per second, to the first token of the answer",
        workloads.prefill_cases,
        (workloads.TOKENS_PER_S,),
    ),
    "prefix": (
        "A shared prefix: one question cold, the next one warm",
        workloads.prefix_cases,
        (workloads.COLD_TTFT, workloads.WARM_TTFT),
    ),
    "mixed": (
        "A long prompt arrives while others decode",
        workloads.mixed_cases,
        (workloads.UNDISTURBED_GAP, workloads.WORST_GAP),
    ),
    "serial-vs-concurrent": (
        "The same requests one after the other, and together",
        workloads.serial_cases,
        (workloads.SERIAL_TIME, workloads.CONCURRENT_TIME),
    ),
}
"""Title, cases, and the metrics that are drawn."""
_OWN = ("profile", "kernels", "speculation", "sweep")
WORKLOADS = ("load", *_COMPARED, *_OWN)
"""In the order in which they run."""

_SPECULATIONS = ("lookup", "off")
_SWEEP_BLOCK_SIZES, _SWEEP_SEQUENCES = (8, 16, 32), (2, 4, 8)
_WARM_UP_PROMPT = 520
"""Longer than the token budget of a step, so that a whole one is run."""
_MIN_POOL_TOKENS = 1024
_POOL_SLACK = 1.05
_POOL_SLACK_TOKENS = 512
"""Above what the requests need: parts of blocks, and the watermark."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run.

    `own(label, config, pool_tokens)` is our side with these fields of `EngineConfig`; for each peer `peers` has its
    variants. `texts` are prompts, by what they are, for the speculation. After `max_seconds` one round of each case has
    to do. `measure_reading()` gives the bytes per second that the machine reads from memory just then.
    """

    workloads: tuple[str, ...]
    own: Callable[[str, dict[str, Any], int], SideProgram]
    peers: tuple[tuple[SideProgram, ...], ...]
    vocab_size: int
    max_context: int
    texts: dict[str, tuple[int, ...]]
    num_rounds: int
    max_seconds: float
    measure_reading: Callable[[], float]


class Suite:
    """`on_section` gets each part of the report as it is done, `on_progress` a word on what is under way.

    Raises `SideError` if a side breaks.
    """

    def __init__(self, plan: Plan, on_section: Callable[[Section], None], on_progress: Callable[[str], None]) -> None:
        self._plan = plan
        self._on_section = on_section
        self._on_progress = on_progress
        self._deadline_s = time.monotonic() + plan.max_seconds
        self._prompts = PromptMaker(plan.vocab_size)
        self.facts: dict[str, dict[str, Any]] = {}
        """What each side tells of itself, by its label."""

    def run(self) -> None:
        chosen = self._plan.workloads
        cases = {name: self._cases(name) for name in _COMPARED if name in chosen}
        pool_tokens = self._pool_tokens(case for of_name in cases.values() for case in of_name)
        programs = [self._plan.own(OWN_LABEL, {}, pool_tokens)]
        for variants in self._plan.peers:
            if len(variants) > 1:
                self._on_progress(f"choosing among {len(variants)} variants of {variants[0].label}")
            programs.append(fastest(variants, self._prompts))
        if "load" in chosen:
            self._on_section(startup_section(programs, self._rounds("load"), self._prompts, self._note_facts))
        if cases or {"profile", "kernels"} & set(chosen):
            self._run_together(programs, cases)
        if "speculation" in chosen:
            self._on_section(self._speculate())
        if "sweep" in chosen:
            self._on_section(self._sweep())

    def _cases(self, name: str) -> list[Case]:
        return self._fitting(name, _COMPARED[name][1](self._prompts))

    def _fitting(self, name: str, cases: list[Case]) -> list[Case]:
        """Those that fit the model's context."""
        fitting = []
        for case in cases:
            if case.num_context_tokens <= self._plan.max_context:
                fitting.append(case)
            else:
                self._on_progress(f"{name}: {case.label} does not fit a context of {self._plan.max_context} tokens")
        return fitting

    def _pool_tokens(self, cases: Iterable[Case]) -> int:
        needed = max((case.num_tokens for case in cases), default=0)
        return max(_MIN_POOL_TOKENS, int(needed * _POOL_SLACK)) + _POOL_SLACK_TOKENS

    def _rounds(self, name: str) -> Rounds:
        def on_round(what: str, round_number: int) -> None:
            self._on_progress(f"{name}: {what}, round {round_number + 1}")

        return Rounds(self._plan.num_rounds, self._deadline_s, on_round=on_round)

    def _open(self, stack: ExitStack, program: SideProgram) -> OpenSide:
        """A side that has started and run a prompt of each kind."""
        self._on_progress(f"starting {program.label}")
        side = stack.enter_context(OpenSide(program))
        self._note_facts(side)
        numbers, num_tokens = random.Random(0), min(_WARM_UP_PROMPT, self._plan.max_context // 2)
        side.run(Task((Ask(self._prompts.ids(numbers, num_tokens), 4), Ask(self._prompts.ids(numbers, 8), 4))))
        return side

    def _note_facts(self, side: OpenSide) -> None:
        self.facts.setdefault(side.label, side.facts)

    def _run_together(self, programs: list[SideProgram], cases: dict[str, list[Case]]) -> None:
        with ExitStack() as stack:
            sides = [self._open(stack, program) for program in programs]
            for name, of_name in cases.items():
                title, _, metrics = _COMPARED[name]
                self._on_section(self._compare(name, title, of_name, sides, metrics))
            if cases:
                self._on_section(_memory_section(sides))
            if "profile" in self._plan.workloads:
                self._on_progress("profile")
                self._on_section(profile_section(sides[0], self._prompts))
            if "kernels" in self._plan.workloads:
                self._on_progress("kernels")
                self._on_section(kernel_section(sides[0]))

    def _compare(
        self, name: str, title: str, cases: list[Case], sides: list[OpenSide], metrics: tuple[Metric, ...]
    ) -> Section:
        comparison = Comparison(sides, self._rounds(name))
        is_memory_bound = name == "decode"
        read_before = self._plan.measure_reading() if is_memory_bound else 0.0
        for case in cases:
            comparison.run(case)
        if is_memory_bound:
            comparison.notes.append(
                f"The machine read {read_before / 1e9:.1f} GB/s from memory before these rounds and "
                f"{self._plan.measure_reading() / 1e9:.1f} after them; a sequence alone reads all weights "
                "for each token."
            )
        labels = [side.label for side in sides]
        agreed = [
            f"{label}: {100 * statistics.mean(shares):.0f} % of its tokens come before the first that differs from "
            f"{labels[0]}'s."
            for label, shares in comparison.agreements.items()
        ]
        return Section(
            name,
            title,
            _table(comparison.results, labels),
            [result.to_json() for result in comparison.results],
            (*comparison.notes, *agreed),
            drawn(title, comparison.results, labels, metrics),
        )

    def _speculate(self) -> Section:
        """Our engine with and without guesses from the text itself, in turns."""
        cases = self._fitting("speculation", workloads.speculation_cases(self._plan.texts))
        pool_tokens = self._pool_tokens(cases)
        with ExitStack() as stack:
            sides = [self._open(stack, self._plan.own(how, {"speculation": how}, pool_tokens)) for how in _SPECULATIONS]
            title = "Speculative decoding: guesses looked up in the text, and none"
            return self._compare("speculation", title, cases, sides, (workloads.TOKENS_PER_S,))

    def _sweep(self) -> Section:
        """One engine after the other, each on the same requests."""
        (case,) = workloads.sweep_cases(self._prompts)
        pool_tokens = self._pool_tokens([case])
        results: dict[tuple[int, int], Result] = {}
        for block_size, max_sequences in product(_SWEEP_BLOCK_SIZES, _SWEEP_SEQUENCES):
            config = {"block_size": block_size, "max_running_sequences": max_sequences}
            label = f"blocks of {block_size}, {max_sequences} sequences"
            with ExitStack() as stack:
                side = self._open(stack, self._plan.own(label, config, pool_tokens))
                comparison = Comparison([side], self._rounds("sweep"))
                comparison.run(case)
            (results[block_size, max_sequences],) = comparison.results
        return _sweep_section(case.label, results)


def _memory_section(sides: list[OpenSide]) -> Section:
    figures = {side.label: memory_figures(side) for side in sides}
    labels = [side.label for side in sides]
    results = [
        Result("after all of these", metric, {label: [figures[label][metric]] for label in labels})
        for metric in figures[labels[0]]
    ]
    title, data = "Memory of the sides that ran these workloads", [result.to_json() for result in results]
    return Section("memory", title, compared(results, labels), data, charts=drawn(title, results, labels))


def _table(results: list[Result], labels: list[str]) -> Table:
    return compared(results, labels) if len(labels) > 1 else listed(results, labels[0])


def _sweep_section(case: str, results: dict[tuple[int, int], Result]) -> Section:
    medians = {key: next(iter(result.samples.values())) for key, result in results.items()}
    rows = tuple(
        (f"{size} tokens a block", *(number(statistics.median(medians[size, count])) for count in _SWEEP_SEQUENCES))
        for size in _SWEEP_BLOCK_SIZES
    )
    headers = ("", *(f"at most {count} at once" for count in _SWEEP_SEQUENCES))
    data = [
        {"block_size": size, "max_running_sequences": count, "samples": samples}
        for (size, count), samples in medians.items()
    ]
    return Section(
        "sweep", f"Tokens per second by block size and sequences at once: {case}", Table(headers, rows), data
    )
