"""One target under attack, by examples that hypothesis chooses. Knows nothing of what a target does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.fuzz.guard import bounded_memory, ending_process_on_hang, write_watch
from tests.fuzz.targets import TARGETS, prepare


def attack(name: str, num_examples: int, on_example: Callable[[int], None] = lambda seed: None) -> None:
    """Raises what an example found; `on_example` is told the seed before each, and `example` does it again."""
    prepare()

    @settings(
        max_examples=num_examples,
        deadline=None,
        database=None,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )
    @given(seed=st.integers(0, 2**64 - 1))
    def check(seed: int) -> None:
        on_example(seed)
        example(name, seed)

    check()


def example(name: str, seed: int) -> None:
    """One attack in a folder of its own, outside of which nothing may be written."""
    with (
        TemporaryDirectory(prefix="fuzz-") as folder,
        ending_process_on_hang(),
        bounded_memory(),
        write_watch().only(Path(folder)),
    ):
        TARGETS[name](Random(seed), Path(folder))
