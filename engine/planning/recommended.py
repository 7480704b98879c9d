"""A short choice of models of the hub, and which of them suits a machine. Standard library only; asks nobody."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from engine.config import assets_dir
from engine.planning.known_models import find_known
from engine.planning.plan import Plan
from engine.planning.sizes import num_weights
from engine.spec import ModelSpec

READING_SPEED = 6.0
"""Tokens per second; a model that is slower keeps its reader waiting."""
WANTED_TABS = 3
WANTED_CONTEXT = 8192


@dataclass(frozen=True, slots=True)
class Recommended:
    """A repository and which of its models to take. `download_bytes` is about right."""

    name: str
    repo_id: str
    choice: str
    download_bytes: int
    license: str
    description: str
    spec: ModelSpec


@cache
def recommended() -> tuple[Recommended, ...]:
    """All of assets/recommended.json, in its order: the smallest first."""
    data = json.loads((assets_dir() / "recommended.json").read_text(encoding="utf-8"))
    return tuple(_read(dict(model)) for model in data["models"])


def best_of(models: tuple[Recommended, ...], plan_of: Callable[[ModelSpec], Plan]) -> Recommended | None:
    """The largest that leaves room for three tabs of 8k and answers at reading speed; None if none does."""
    fitting = [model for model in models if _is_comfortable(plan_of(model.spec))]
    return max(fitting, key=lambda model: num_weights(model.spec), default=None)


def _is_comfortable(plan: Plan) -> bool:
    has_room = any(tabs.num_tabs >= WANTED_TABS for tabs in plan.tabs if tabs.context >= WANTED_CONTEXT)
    return has_room and plan.need.tokens_per_s >= READING_SPEED


def _read(fields: dict[str, str | int]) -> Recommended:
    name = str(fields.pop("known"))
    known = find_known(name)
    assert known is not None, f"{name} is no well-known model"
    return Recommended(name=name, spec=known.spec, **fields)  # type: ignore[arg-type]  # the file's fields are its own
