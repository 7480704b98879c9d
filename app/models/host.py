"""Owns what a plan is made for: this machine, and how its engine is set up.

Knows neither settings nor plans.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from app.models.measured_speed import MeasuredSpeed
from engine.api import EngineConfig
from engine.planner import Machine


@dataclass(frozen=True, slots=True)
class Host(Machine):
    """`config` is that of the engine's next start: its budget and the precision of chats decide what fits.

    `speeds` are of models that have answered here.
    """

    config: EngineConfig = field(default_factory=EngineConfig)
    speeds: tuple[MeasuredSpeed, ...] = ()
