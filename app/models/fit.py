"""Owns the words for how a model fits this machine, and the parts of the bar that shows it.

Knows neither widgets nor how a plan is made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from app.i18n import translate
from app.widgets.units import memory_size

if TYPE_CHECKING:
    from engine.api import ModelSpec
    from engine.planner import Plan

TAB_CONTEXT = 8192
_THOUSAND = 1024

FitKind = Literal["fits", "short", "none"]


@dataclass(frozen=True, slots=True)
class FitPart:
    """One part of the bar: a colour role, what it is in words, and its bytes."""

    role: str
    words: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Fit:
    """`kind`: with room for tabs of 8k, with less, or not at all. `words` is the verdict."""

    kind: FitKind
    words: str
    parts: tuple[FitPart, ...]


def fit_of(plan: Plan, spec: ModelSpec, memory_free_bytes: int, others: Callable[[], Sequence[str]] = tuple) -> Fit:
    """The verdict on a plan that was made for so much free memory. `others` names what would fit, if this does not."""
    wanted = min(TAB_CONTEXT, spec.max_context)
    num_tabs = next((tabs.num_tabs for tabs in plan.tabs if tabs.context == wanted), 0)
    if num_tabs:
        words = translate("app", "Fits, with %n tab(s) of {length}", None, num_tabs)
        return Fit(
            "fits", words.format(length=context_words(wanted)), _parts(plan, wanted, num_tabs, memory_free_bytes)
        )
    if plan.is_useful or plan.context >= TAB_CONTEXT // 4:
        words = translate("app", "Fits with a shorter context: one tab of {length}")
        length = context_words(plan.context // _THOUSAND * _THOUSAND)
        return Fit("short", words.format(length=length), _parts(plan, plan.context, 1, memory_free_bytes))
    words = translate("app", "Does not fit: needs {needed}, {free} free").format(
        needed=memory_size(plan.need.total_bytes(min(TAB_CONTEXT // 2, spec.max_context))),
        free=memory_size(memory_free_bytes),
    )
    if names := others():
        words = f"{words}. {translate('app', 'These would: {models}').format(models=', '.join(names))}"
    return Fit("none", words, ())


def context_words(num_tokens: int) -> str:
    """`8k`, `512 tokens`."""
    if num_tokens >= _THOUSAND and num_tokens % _THOUSAND == 0:
        return f"{num_tokens // _THOUSAND}k"
    return translate("app", "%n token(s)", None, num_tokens)


def _parts(plan: Plan, context: int, num_tabs: int, memory_free_bytes: int) -> tuple[FitPart, ...]:
    """The bar shows the tabs that the verdict counts."""
    need = plan.need
    # A model that reads only the last of its tokens keeps fewer than its tabs have.
    pool_bytes = max(0, plan.memory_bytes - need.fixed_bytes)
    tabs_bytes = min(num_tabs * context * need.kv_bytes_per_token, pool_bytes)
    workspace_bytes = need.workspace_bytes + need.process_bytes
    free_bytes = max(0, memory_free_bytes - need.weights_bytes - tabs_bytes - workspace_bytes)
    tabs = translate("app", "%n tab(s) of {length}", None, num_tabs).format(length=context_words(context))
    return (
        FitPart("bar_weights", translate("app", "weights"), need.weights_bytes),
        FitPart("bar_used", tabs, tabs_bytes),
        FitPart("bar_cached", translate("app", "workspace"), workspace_bytes),
        FitPart("bar_free", translate("app", "free"), free_bytes),
    )
