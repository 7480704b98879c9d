"""Owns the words for how a verdict is reckoned: which memory is free, what the model takes of it, how long a chat is.

Knows neither widgets nor how a plan is made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.i18n import sentences, translate
from app.widgets.units import memory_size

if TYPE_CHECKING:
    from engine.api import EngineConfig, ModelSpec
    from engine.planner import Plan, Verdict

_ROUNDING = 0.01
"""Of the pool: it is made of whole blocks."""


def rule_words(plan: Plan, spec: ModelSpec, verdict: Verdict, memory_free_bytes: int, config: EngineConfig) -> str:
    """What is free, what the model takes of it, what is kept of the rest, and what a chat takes of that."""
    # The planner is loaded only by who looks at a model.
    from engine.planner import LEAST_CONTEXT, chat_bytes

    if verdict.kind == "none":
        words = translate("app", "Needed are {model} for the model and the rest for a chat of {length} tokens.")
        length = min(LEAST_CONTEXT, spec.max_context)
        return words.format(model=memory_size(plan.need.fixed_bytes), length=f"{length:,}")
    words = translate("app", "Of the {free} of memory that are free for it the model takes {model}.")
    taken = words.format(free=memory_size(memory_free_bytes), model=memory_size(plan.need.fixed_bytes))
    words = translate("app", "A chat that fills its {length} tokens takes {size}.")
    size_bytes = min(chat_bytes(spec, plan.need, verdict.context, config), pool_bytes_of(plan))
    one = words.format(length=f"{verdict.context:,}", size=memory_size(size_bytes))
    return sentences(taken, _pool_words(plan, spec, memory_free_bytes, config.kv_budget_bytes), one)


def planner_words() -> str:
    """Where other lengths can be tried."""
    words = translate("app", "Of a loaded model “{section}” in the memory view tells it for other lengths.")
    return words.format(section=translate("app", "How many chats fit"))


def pool_bytes_of(plan: Plan) -> int:
    """What is kept for chats."""
    return max(0, plan.memory_bytes - plan.need.fixed_bytes)


def _pool_words(plan: Plan, spec: ModelSpec, memory_free_bytes: int, budget_bytes: int | None) -> str:
    """How much is kept for chats, and who says so."""
    from engine.planner import POOL_CONTEXTS, POOL_SHARE

    pool_bytes = pool_bytes_of(plan)
    if budget_bytes is not None and _is_about(pool_bytes, budget_bytes):
        words = translate("app", "“Memory for chats” in the settings keeps {size} of the rest for chats.")
        return words.format(size=memory_size(pool_bytes))
    if _is_about(pool_bytes, POOL_SHARE * (memory_free_bytes - plan.need.fixed_bytes)):
        words = translate(
            "app",
            "A quarter of the rest, {size}, is kept for chats; "
            "“Memory for chats” in the settings makes it more or less.",
        )
        return words.format(size=memory_size(pool_bytes))
    # Else a small model with a short context would seem to have room for less than a large one.
    words = translate(
        "app",
        "{size} is kept for chats: enough for {number} of the longest that this model allows, {length} tokens each. "
        "“Memory for chats” in the settings makes it more or less.",
    )
    return words.format(size=memory_size(pool_bytes), number=POOL_CONTEXTS, length=f"{spec.max_context:,}")


def _is_about(size_bytes: int, told_bytes: float) -> bool:
    return abs(size_bytes - told_bytes) <= told_bytes * _ROUNDING
