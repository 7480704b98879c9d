"""Owns what the models' side of the window needs from outside: a folder, and questions to this machine.

Knows nothing of how they are answered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from app.models.host import Host
from app.models.measured_speed import MeasuredSpeeds
from engine.api import DamagedModel, ModelEntry


@dataclass(frozen=True, slots=True)
class ModelServices:
    """`home` is the data folder, in which the list of jobs is kept. `measured` is what `read_host` tells of speeds."""

    home: Path
    list_models: Callable[[], list[ModelEntry]]
    list_damaged: Callable[[], Sequence[DamagedModel]]
    read_host: Callable[[], Host]
    measured: MeasuredSpeeds = field(default_factory=MeasuredSpeeds)
