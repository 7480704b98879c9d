"""Owns how fast models will answer on this machine, judged by those that have answered here.

Knows nothing of widgets. A token reads all weights that it uses, so a model's speed follows from how much it reads.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.models.speed_store import SpeedStore
    from engine.api import ModelEntry


@dataclass(frozen=True, slots=True)
class MeasuredSpeed:
    """Of a model that is here, the median of its last answers."""

    name: str
    read_bytes_per_token: int
    tokens_per_s: float

    def of(self, read_bytes_per_token: int) -> float:
        """Tokens a second of another model that reads so much for each."""
        return self.tokens_per_s * self.read_bytes_per_token / read_bytes_per_token


class MeasuredSpeeds:
    """Those known by now; whoever measures brings it up to date."""

    def __init__(self) -> None:
        self.speeds: tuple[MeasuredSpeed, ...] = ()

    def update(self, models: Iterable[ModelEntry], store: SpeedStore) -> None:
        self.speeds = tuple(
            MeasuredSpeed(entry.name, _read_bytes(entry), speed.tokens_per_s)
            for entry in models
            if (speed := store.get(entry.model_id)) is not None
        )


def nearest(speeds: Sequence[MeasuredSpeed], read_bytes_per_token: int) -> MeasuredSpeed | None:
    """The one that says most of a model that reads so much: what a token costs beside reading changes with the size."""

    def distance(speed: MeasuredSpeed) -> float:
        return abs(math.log(speed.read_bytes_per_token / read_bytes_per_token))

    return min(speeds, key=distance, default=None)


def _read_bytes(entry: ModelEntry) -> int:
    # The planner is loaded only by who has measured something.
    from engine.planner import read_bytes_of

    return read_bytes_of(entry.spec, entry.size_bytes)
