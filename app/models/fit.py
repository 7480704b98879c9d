"""Owns the words for how a model fits this machine, and the parts of the bar that shows it.

Knows neither widgets nor how a plan is made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.i18n import listed, translate
from app.models.fit_rule import pool_bytes_of, rule_words
from app.widgets.units import file_size, memory_size

if TYPE_CHECKING:
    from engine.api import EngineConfig, ModelSpec
    from engine.planner import FitKind, Plan

_WORDS_PER_TOKEN = 0.75
"""Of English, with the vocabularies of today's models."""
_MANY_WORDS = 5000


@dataclass(frozen=True, slots=True)
class FitPart:
    """One part of the bar: a colour role, what it is in words, and its bytes."""

    role: str
    words: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Fit:
    """`kind`: with room for chats of 8k, with less, or not at all. `words` is the verdict, `note` how it is reckoned.

    `brief` is the verdict in a few words, for a line that has others before it.
    """

    kind: FitKind
    words: str
    parts: tuple[FitPart, ...]
    note: str = ""
    brief: str = ""


def fit_of(
    plan: Plan,
    spec: ModelSpec,
    memory_free_bytes: int,
    config: EngineConfig,
    others: Callable[[], Sequence[str]] = tuple,
) -> Fit:
    """The verdict on a plan that was made for so much free memory. `others` names what would fit, if this does not."""
    # The planner is loaded only by who looks at a model.
    from engine.planner import verdict_of

    verdict = verdict_of(plan, spec)
    length, num_tabs = _length(verdict.context), verdict.num_tabs
    rule = rule_words(plan, spec, verdict, memory_free_bytes, config)
    if verdict.kind == "fits":
        words = translate("app", "Fits, with %n chat(s) of {length} tokens (about {words} words each)", None, num_tabs)
        parts = _parts(plan, verdict.context, num_tabs, memory_free_bytes)
        brief = translate("app", "fits, with %n chat(s) of {length} tokens", None, num_tabs).format(**length)
        return Fit("fits", words.format(**length), parts, rule, brief)
    if verdict.kind == "short":
        words = translate("app", "Fits with a shorter context: one chat of {length} tokens (about {words} words)")
        parts = _parts(plan, plan.context, 1, memory_free_bytes)
        brief = translate("app", "fits with a shorter context: one chat of {length} tokens").format(**length)
        return Fit("short", words.format(**length), parts, rule, brief)
    words = translate("app", "Does not fit: needs {needed}, {free} free").format(
        needed=memory_size(verdict.needed_bytes), free=memory_size(memory_free_bytes)
    )
    if names := others():
        words = translate("app", "{verdict}. These would: {models}").format(verdict=words, models=listed(names))
    return Fit("none", words, (), rule, translate("app", "does not fit"))


def fit_of_download(fit: Fit, download_bytes: int, disk_free_bytes: int) -> Fit:
    """The verdict on what must be fetched first: what the disk has no room for fits nowhere.

    The download lies beside the model until that is converted; what then goes is room for the prepared copy.
    """
    if 2 * download_bytes <= disk_free_bytes:
        return fit
    words = translate("app", "Does not fit on the disk: {size} to download and as much for the model, {free} free")
    words = words.format(size=file_size(download_bytes), free=file_size(disk_free_bytes))
    return Fit("none", words, (), brief=translate("app", "does not fit on the disk"))


def _length(num_tokens: int) -> dict[str, str]:
    """How long a chat is: in tokens, and about how many English words that are."""
    num_words = num_tokens * _WORDS_PER_TOKEN
    return {"length": f"{num_tokens:,}", "words": f"{round(num_words, -3 if num_words >= _MANY_WORDS else -2):,.0f}"}


def _parts(plan: Plan, context: int, num_tabs: int, memory_free_bytes: int) -> tuple[FitPart, ...]:
    """The bar shows the tabs that the verdict counts."""
    need = plan.need
    # A model that reads only the last of its tokens keeps fewer than its tabs have.
    tabs_bytes = min(num_tabs * context * need.kv_bytes_per_token, pool_bytes_of(plan))
    workspace_bytes = need.workspace_bytes + need.process_bytes
    free_bytes = max(0, memory_free_bytes - need.resident_bytes - tabs_bytes - workspace_bytes)
    chats = translate("app", "%n chat(s) of {length} tokens", None, num_tabs).format(length=f"{context:,}")
    return (
        FitPart("bar_weights", translate("app", "weights"), need.resident_bytes),
        FitPart("bar_used", chats, tabs_bytes),
        FitPart("bar_workspace", translate("app", "workspace and program"), workspace_bytes),
        FitPart("bar_free", translate("app", "free"), free_bytes),
    )
