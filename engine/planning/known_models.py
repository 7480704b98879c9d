"""Well-known models by name, with the numbers of their configs. Knows nothing of files but its own."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache

from engine.config import assets_dir
from engine.models.adapters import spec_from_config
from engine.spec import ModelSpec


@dataclass(frozen=True, slots=True)
class KnownModel:
    """`source` says whose config.json the numbers are."""

    name: str
    source: str
    spec: ModelSpec


@cache
def known_models() -> tuple[KnownModel, ...]:
    """All of assets/known_models.json, in its order."""
    data = json.loads((assets_dir() / "known_models.json").read_text(encoding="utf-8"))
    return tuple(
        KnownModel(model["name"], model["source"], spec_from_config(model["config"])) for model in data["models"]
    )


def find_known(name: str) -> KnownModel | None:
    """By name, whatever stands between its words: "qwen2.5-7b" is Qwen2.5 7B."""
    return next((model for model in known_models() if _key(model.name) == _key(name)), None)


def _key(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum() or letter == ".")
