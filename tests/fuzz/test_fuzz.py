"""A short attack on each target; `python -m tests.fuzz` goes on for as long as it is told."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.fuzz.attack import attack, example
from tests.fuzz.guard import write_watch
from tests.fuzz.mutation import changed_bytes, changed_json
from tests.fuzz.targets import TARGETS

NUM_EXAMPLES = 25


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Tests survive no power failure, and every damaged model is a warning."""
    monkeypatch.setattr("os.fsync", lambda descriptor: None)
    logger = logging.getLogger("engine")
    former = logger.level
    logger.setLevel(logging.ERROR)
    yield
    logger.setLevel(former)


@pytest.mark.parametrize("name", TARGETS)
def test_hostile_input_is_refused_or_runs(name: str) -> None:
    attack(name, NUM_EXAMPLES)


def test_a_write_elsewhere_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    with pytest.raises(AssertionError, match="evil"), write_watch().only(tmp_path / "home"):
        (tmp_path / "home" / ".." / "evil").write_text("")
    with write_watch().only(tmp_path / "home"):
        (tmp_path / "home" / "good").write_text("")
        (tmp_path / "evil").read_text()


def test_memory_without_bound_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TARGETS, "greedy", lambda random, folder: bytearray(1 << 40))
    with pytest.raises(MemoryError):
        example("greedy", 0)


@pytest.mark.parametrize("seed", range(20))
def test_what_is_changed_is_another_and_the_same_for_the_same_seed(seed: int) -> None:
    whole, value = bytes(range(256)) * 4, {"a": [1, {"b": "c"}], "d": None}
    assert changed_bytes(Random(seed), whole) == changed_bytes(Random(seed), whole)
    before = json.dumps(value)
    changed = changed_json(Random(seed), value)
    assert json.dumps(value) == before
    assert repr(changed) == repr(changed_json(Random(seed), value))
