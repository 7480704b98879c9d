"""What the engine puts into the environment, and what other programs get to see of it."""

import os

import pytest

from engine import environment
from engine.environment import foreign_environment, prepare_environment


@pytest.fixture(autouse=True)
def clean(monkeypatch):
    monkeypatch.setattr(environment, "_added", set())
    for name in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY"):
        monkeypatch.delenv(name, raising=False)


def test_what_was_prepared_for_us_is_not_for_other_programs():
    before = dict(os.environ)
    prepare_environment()
    assert os.environ["GOMP_SPINCOUNT"] == "2000"
    assert foreign_environment() == before


@pytest.mark.parametrize(("name", "value"), [("GOMP_SPINCOUNT", "7"), ("OMP_WAIT_POLICY", "passive")])
def test_what_a_person_has_set_stays_for_all(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    prepare_environment()
    assert os.environ.get("GOMP_SPINCOUNT") == (value if name == "GOMP_SPINCOUNT" else None)
    assert foreign_environment()[name] == value
