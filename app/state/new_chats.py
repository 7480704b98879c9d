"""Owns what the settings say of an answer whose chat says nothing itself.

Does not know the chat, which puts its own choices above these.
"""

from __future__ import annotations

from app.state import options
from app.state.settings import Settings
from engine.messages import SamplingParams


def default_params(settings: Settings) -> SamplingParams:
    """Where the settings hold a 0 that means "not chosen" the engine chooses."""
    return SamplingParams(
        temperature=float(settings.get(options.TEMPERATURE)),
        top_p=float(settings.get(options.TOP_P)),
        top_k=settings.get(options.TOP_K),
        min_p=float(settings.get(options.MIN_P)),
        repetition_penalty=float(settings.get(options.REPETITION_PENALTY)),
        max_tokens=settings.get(options.MAX_TOKENS) or None,
        seed=settings.get(options.SEED) or None,
    )
