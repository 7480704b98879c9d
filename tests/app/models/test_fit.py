"""Whether a model fits, in words and as a bar."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.application import read_host
from app.models.fit_bar import FitBar
from app.models.fit_verdict import FitLine, FitVerdict, fit_in
from app.models.host import Host
from app.models.hub_card import HubCard
from app.models.hub_offer import recommended_offer
from app.models.quality_choice import QualityChoice
from app.state import options
from app.state.settings import Settings
from app.theme import current_theme
from app.widgets.units import memory_size
from engine.api import EngineConfig
from engine.planner import known_models, plan_here, recommended

from .entries import MACHINE, SPEC

GIB = 2**30
_SETTING = "“Memory for chats” in the settings makes it more or less."
SPECS = {model.name: model.spec for model in known_models()}


def host(memory_free_bytes: int, **chosen: Any) -> Host:
    return replace(MACHINE, memory_free_bytes=memory_free_bytes, config=EngineConfig(**chosen))


@pytest.mark.parametrize(
    ("name", "free_gib", "kind", "words"),
    [
        ("Qwen2.5 3B", 8, "fits", "Fits, with "),
        ("Qwen3 4B", 5, "short", "Fits with a shorter context: one chat of 4,096 tokens (about 3,100 words)"),
        ("Qwen2.5 7B", 4, "none", "Does not fit: needs "),
    ],
)
def test_the_verdict_is_one_of_three(name: str, free_gib: int, kind: str, words: str) -> None:
    fit = fit_in(SPECS[name], "balanced", host(free_gib * GIB))
    assert fit.kind == kind
    assert fit.words.startswith(words)


def test_what_would_fit_instead_is_named() -> None:
    assert (
        "These would: Qwen2.5 3B, Llama 3.2 3B, Gemma 2 2B"
        in fit_in(SPECS["Qwen2.5 7B"], "balanced", host(4 * GIB)).words
    )
    nothing = fit_in(SPECS["Qwen2.5 7B"], "balanced", host(GIB // 4))
    assert "These would" not in nothing.words


def test_what_the_disk_has_no_room_for_does_not_fit(qtbot: QtBot) -> None:
    offer = recommended_offer(next(model for model in recommended() if model.name == "Qwen2.5 3B"))
    words = []
    for disk_free_bytes in (2 * offer.download_bytes, 4_000_000):
        card = HubCard(offer, replace(host(8 * GIB), disk_free_bytes=disk_free_bytes))
        qtbot.addWidget(card)
        words.append(card.verdict.text())
    assert "then about 4.1 GB on disk, half of it a copy prepared for this machine" in offer.summary
    assert words[0].startswith("Fits, with ")
    assert words[1] == "Does not fit on the disk: 2.1 GB to download and as much for the model, 4.0 MB free"


def test_the_verdict_counts_with_the_chosen_budget_and_precision() -> None:
    spec, free_bytes = SPECS["Qwen2.5 3B"], 8 * GIB
    tabs = {
        name: fit_in(spec, "balanced", host(free_bytes, **chosen)).parts[1]
        for name, chosen in {
            "automatic": {},
            "budget": {"kv_budget_bytes": 320 << 20},
            "int8": {"kv_budget_bytes": 320 << 20, "kv_dtype": "int8"},
        }.items()
    }
    assert [tab.words.split()[0] for tab in tabs.values()] == ["5", "1", "2"]
    assert tabs["budget"].size_bytes <= 320 << 20


def test_the_host_has_what_was_chosen_on_the_settings_page(tmp_path: Path) -> None:
    settings = Settings(tmp_path / "settings.json")
    settings.set(options.KV_BUDGET_MIB, 320)
    settings.set(options.KV_DTYPE, "int8")
    config = read_host(tmp_path, settings).config
    assert (config.kv_budget_bytes, config.kv_dtype) == (320 << 20, "int8")


def test_the_bar_adds_up_to_the_free_memory() -> None:
    fit = fit_in(SPECS["Qwen2.5 3B"], "balanced", host(8 * GIB))
    assert sum(part.size_bytes for part in fit.parts) == 8 * GIB
    assert [part.role for part in fit.parts] == ["bar_weights", "bar_used", "bar_workspace", "bar_free"]
    assert fit.words == f"Fits, with {fit.parts[1].words} (about 6,000 words each)"


def test_the_verdict_is_what_loading_lays_out() -> None:
    """A quarter of what the weights leave goes to the pool, as when the model is loaded."""
    plan = plan_here(SPECS["Qwen2.5 3B"], "balanced", 8 * GIB)
    pool_bytes = plan.memory_bytes - plan.need.fixed_bytes
    assert pool_bytes == pytest.approx((8 * GIB - plan.need.fixed_bytes) / 4, rel=0.01)


def test_what_bounds_the_number_of_chats_is_told() -> None:
    fit = fit_in(SPECS["Qwen2.5 3B"], "balanced", host(8 * GIB, kv_budget_bytes=320 << 20))
    assert "“Memory for chats” in the settings keeps 320 MiB of the rest for chats." in fit.note


def test_a_short_context_that_bounds_the_number_of_chats_is_told() -> None:
    fit = fit_in(SPEC, "balanced", host(16 * GIB))
    assert (
        "is kept for chats: enough for 4 of the longest that this model allows, 8,192 tokens each. " + _SETTING
        in fit.note
    )


def test_the_verdict_says_what_is_free_what_is_kept_and_how_long_each_chat_is() -> None:
    fit = fit_in(SPECS["Qwen2.5 3B"], "balanced", host(8 * GIB))
    plan = plan_here(SPECS["Qwen2.5 3B"], "balanced", 8 * GIB)
    model, pool = (memory_size(size) for size in (plan.need.fixed_bytes, plan.memory_bytes - plan.need.fixed_bytes))
    chat = memory_size(8192 * plan.need.kv_bytes_per_token)
    assert fit.note == (
        f"Of the 8.0 GiB of memory that are free for it the model takes {model}. "
        f"A quarter of the rest, {pool}, is kept for chats; {_SETTING} A chat that fills its 8,192 tokens takes {chat}."
    )


@pytest.mark.parametrize(("free_gib", "kind"), [(8, "fits"), (5, "short"), (2, "none")])
def test_a_closed_card_tells_the_rule_too(qtbot: QtBot, free_gib: int, kind: str) -> None:
    """As the tooltip of its line, and to a screen reader, in the words that an open one shows."""
    line, open_one = FitLine(), FitVerdict()
    for part in (line, open_one):
        qtbot.addWidget(part)
        part.show_fit(fit := fit_in(SPECS["Qwen3 4B"], "balanced", host(free_gib * GIB)))
    assert fit.kind == kind
    assert fit.note
    assert open_one.note.text() == fit.note
    assert line.toolTip().startswith(fit.note)
    assert "“How many chats fit” in the memory view" in line.toolTip()
    assert line.label.accessibleDescription() == line.toolTip()


def test_a_budget_that_is_more_than_is_free_is_not_said_to_be_kept() -> None:
    fit = fit_in(SPECS["Qwen2.5 3B"], "balanced", host(8 * GIB, kv_budget_bytes=30 * GIB))
    assert "A quarter of the rest" in fit.note


def test_the_legend_has_the_patterns_of_the_bar(qtbot: QtBot) -> None:
    bar = FitBar()
    qtbot.addWidget(bar)
    bar.set_parts(fit_in(SPECS["Qwen2.5 3B"], "balanced", host(8 * GIB)).parts)
    image = bar._entries[2]._chip.grab().toImage()
    colors = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
    assert {current_theme().color(role).name() for role in ("bar_workspace", "page")} <= colors


def test_a_quality_that_makes_no_difference_says_so(qtbot: QtBot) -> None:
    choice = QualityChoice(has_own=True)
    qtbot.addWidget(choice)
    choice.show()
    choice.expect(True)
    heights = [choice._costs[quality].height() for quality in choice.buttons]
    assert all(label.isVisible() for label in choice._costs.values())
    sizes = {None: 98_000_000, "smallest": 70_000_000, "balanced": 98_000_000, "faithful": 98_000_000}
    choice.show_model(SPECS["Qwen2.5 3B"], host(8 * GIB), sizes)
    costs = {quality: button.accessibleDescription() for quality, button in choice.buttons.items()}
    same = [quality for quality, cost in costs.items() if cost.startswith("No different for this file")]
    assert same == ["balanced", "faithful"]
    assert [quality for quality, button in choice.buttons.items() if button.isEnabled()] == [None, "smallest"]
    choice.allow_choice(False)
    choice.allow_choice(True)
    assert not choice.buttons["faithful"].isEnabled()
    choice.adjustSize()
    assert [choice._costs[quality].heightForWidth(2000) for quality in choice.buttons] == heights


def test_each_quality_tells_what_it_costs(qtbot: QtBot) -> None:
    choice = QualityChoice()
    qtbot.addWidget(choice)
    choice.show_model(SPECS["Qwen2.5 3B"], host(8 * GIB))
    costs = {quality: button.accessibleDescription() for quality, button in choice.buttons.items()}
    assert len(set(costs.values())) == 3
    assert all("on disk" in cost and "of memory" in cost and "tok/s" in cost for cost in costs.values())
    # The nearest codes take little longer than reading the source.
    assert [quality for quality, cost in costs.items() if " min to convert there" in cost.replace("\u00a0", " ")] == [
        "smallest",
        "balanced",
    ]
    choice.show_model(None, 8 * GIB)
    assert choice.verdict.isHidden()
