"""What an answer is drawn with where its chat says nothing itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.state import options
from app.state.new_chats import default_params
from app.state.parameters import ChatParameters
from app.state.setting import Setting
from app.state.settings import Settings
from engine.messages import SamplingParams

CHOSEN: list[tuple[Setting[Any], Any]] = [
    (options.TEMPERATURE, 0.2),
    (options.TOP_P, 0.5),
    (options.TOP_K, 40),
    (options.MIN_P, 0.05),
    (options.REPETITION_PENALTY, 1.1),
    (options.MAX_TOKENS, 300),
    (options.SEED, 7),
]


def test_unchanged_settings_are_the_engines_own_parameters(tmp_path: Path) -> None:
    assert default_params(Settings(tmp_path / "settings.json")) == SamplingParams()


@pytest.mark.parametrize(("setting", "value"), CHOSEN, ids=lambda part: getattr(part, "key", None))
def test_a_chosen_setting_holds_for_chats_that_say_nothing(tmp_path: Path, setting: Setting[Any], value: Any) -> None:
    settings = Settings(tmp_path / "settings.json")
    settings.set(setting, value)
    params = default_params(settings)
    assert getattr(params, setting.key) == value
    assert params == SamplingParams(**{setting.key: value})
    own = ChatParameters(**{setting.key: value + 1})
    assert getattr(own.applied_to(params), setting.key) == value + 1


def test_every_number_a_chat_has_has_its_default_among_the_settings() -> None:
    shown = {setting.key for setting in options.SETTINGS if setting.section == "chats"}
    assert shown >= set(ChatParameters.__dataclass_fields__) - {"model_id", "stop"}
