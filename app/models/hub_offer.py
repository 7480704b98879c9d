"""Owns what is known of a model on the hub before the hub was asked for its facts, and the words for it.

Knows neither widgets nor the network.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.engine_words.recognition import in_window_words
from app.i18n import translate
from app.widgets.units import file_size, with_digits_grouped

if TYPE_CHECKING:
    from app.models.fit import Fit
    from engine.api import ModelSpec
    from engine.messages import HubModel, ModelChoice, RepositoryFacts
    from engine.planner import Recommended

_USUAL = ("q4_k_m", "q4_k_s", "q4_0", "q4_1", "q5_k_m", "q8_0", "safetensors")
"""Of several choices the one that is shown first, as the engine takes it unasked."""


@dataclass(frozen=True, slots=True)
class HubOffer:
    """`choice` is a quantisation's label. `is_searched`: it comes from a search, and its card begins small."""

    title: str
    repo_id: str
    summary: str
    note: str = ""
    spec: ModelSpec | None = None
    choice: str | None = None
    is_searched: bool = False
    download_bytes: int = 0
    """About; 0 if it is not known before the hub is asked."""


def recommended_offer(model: Recommended) -> HubOffer:
    # The planner is loaded only by who looks at a model.
    from engine.planner import memory_need

    words = translate(
        "app",
        "about {size} to download · then about {disk} on disk, half of it a copy prepared for this machine · "
        "licence {licence} · {repository}",
    )
    summary = words.format(
        size=file_size(model.download_bytes),
        disk=file_size(memory_need(model.spec, "balanced").disk_bytes),
        licence=model.license,
        repository=model.repo_id,
    )
    return HubOffer(
        model.name,
        model.repo_id,
        summary,
        in_window_words(model.description),
        model.spec,
        model.choice,
        download_bytes=model.download_bytes,
    )


def searched_offer(model: HubModel) -> HubOffer:
    parts = ["/".join(model.kinds) or translate("app", "no known kind of file")]
    parts.append(
        translate("app", "licence {licence}").format(licence=model.license)
        if model.license
        else translate("app", "licence not stated")
    )
    if model.gate is not None:
        parts.append(translate("app", "terms to accept"))
    if model.downloads is not None:
        words = translate("app", "%n download(s)", None, model.downloads)
        parts.append(with_digits_grouped(words, model.downloads))
    if model.updated is not None:
        parts.append(translate("app", "of {date}").format(date=model.updated))
    return HubOffer(model.repo_id, model.repo_id, " · ".join(parts), is_searched=True)


def named_offer(repo_id: str) -> HubOffer:
    """A repository of which nothing is known but its name."""
    return HubOffer(repo_id, repo_id, "", is_searched=True)


def facts_words(facts: RepositoryFacts) -> str:
    """`licence mit · llama · 135 M parameters`."""
    parts = [
        translate("app", "licence {licence}").format(licence=facts.license)
        if facts.license
        else translate("app", "licence not stated")
    ]
    if facts.gate is not None:
        parts.append(translate("app", "terms accepted") if facts.is_accessible else translate("app", "terms to accept"))
    if facts.architecture is not None:
        parts.append(facts.architecture)
    if facts.base_models:
        parts.append(translate("app", "made from {model}").format(model=facts.base_models[0]))
    return " · ".join(parts)


def choice_words(choice: ModelChoice, fit: Fit | None = None) -> str:
    """`Q4_K_M, 1.9 GB: fits, with 3 chats of 8,192 tokens`."""
    words = f"{choice.label}, {file_size(choice.size_bytes)}"
    return words if fit is None else translate("app", "{file}: {verdict}").format(file=words, verdict=fit.brief)


def usual_choice(choices: tuple[ModelChoice, ...], wanted: str | None) -> int:
    """The place of the choice to show first."""
    labels = [choice.label.casefold() for choice in choices]
    for label in (*(() if wanted is None else (wanted.casefold(),)), *_USUAL):
        if label in labels:
            return labels.index(label)
    return 0
