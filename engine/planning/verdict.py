"""Whether a plan is one to live with: chats of the usual length fit, a shorter one does, or none.

Standard library only; knows nothing of how it is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.planning.plan import Plan
from engine.spec import ModelSpec

TAB_CONTEXT = 8192
"""Tokens of a chat of the usual length."""
LEAST_CONTEXT = TAB_CONTEXT // 2
"""Tokens of a chat for which what is needed is told where not even a shorter one fits."""
_THOUSAND = 1024

FitKind = Literal["fits", "short", "none"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """`num_tabs` chats of `context` tokens fit; one, shorter than usual, where the kind is "short".

    `needed_bytes` are for a chat of `LEAST_CONTEXT` tokens.
    """

    kind: FitKind
    context: int
    num_tabs: int
    needed_bytes: int


def verdict_of(plan: Plan, spec: ModelSpec) -> Verdict:
    wanted = min(TAB_CONTEXT, spec.max_context)
    needed_bytes = plan.need.total_bytes(min(LEAST_CONTEXT, spec.max_context))
    num_tabs = next((tabs.num_tabs for tabs in plan.tabs if tabs.context == wanted), 0)
    if num_tabs:
        return Verdict("fits", wanted, num_tabs, needed_bytes)
    if plan.is_useful or plan.context >= TAB_CONTEXT // 4:
        return Verdict("short", plan.context // _THOUSAND * _THOUSAND or plan.context, 1, needed_bytes)
    return Verdict("none", 0, 0, needed_bytes)
