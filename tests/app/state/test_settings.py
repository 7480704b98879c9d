"""Settings hold, survive a restart, and never stop the program from starting."""

from __future__ import annotations

import errno
import json
import math
from pathlib import Path
from typing import Any

import pytest

from app.state.options import LAST_MODEL_ID, MAX_TOKENS, SETTINGS, TEMPERATURE, THEME, ZOOM_PERCENT
from app.state.setting import Setting
from app.state.settings import Settings


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "settings.json"


def test_without_a_file_everything_is_the_default(path: Path) -> None:
    settings = Settings(path)
    assert [settings.get(setting) for setting in SETTINGS] == [setting.default for setting in SETTINGS]
    assert settings.notice is None
    assert not path.exists()


def test_every_default_is_accepted_and_every_key_is_its_own() -> None:
    assert all(setting.accepts(setting.default) for setting in SETTINGS)
    assert len({setting.key for setting in SETTINGS}) == len(SETTINGS)


def test_a_change_survives_a_restart(path: Path) -> None:
    settings = Settings(path)
    settings.set(THEME, "dark")
    settings.set(TEMPERATURE, 0.0)
    again = Settings(path)
    assert (again.get(THEME), again.get(TEMPERATURE)) == ("dark", 0.0)


def test_listeners_hear_of_changes_only(path: Path) -> None:
    settings = Settings(path)
    heard: list[Setting[Any]] = []
    settings.listen(heard.append)
    settings.set(ZOOM_PERCENT, 120)
    settings.set(ZOOM_PERCENT, 120)
    assert heard == [ZOOM_PERCENT]


@pytest.mark.parametrize("content", ["{", "", "[1, 2]", '{"theme": ', "\x00\x01", "[" * 100_000])
def test_a_damaged_file_is_set_aside(path: Path, content: str) -> None:
    path.write_text(content, encoding="utf-8")
    settings = Settings(path)
    assert settings.get(THEME) == THEME.default
    (kept,) = path.parent.glob("settings.json.damaged-*")
    assert kept.read_text(encoding="utf-8") == content
    assert settings.notice is not None
    assert kept.name in settings.notice


def test_a_file_that_cannot_be_read_is_set_aside(path: Path) -> None:
    path.mkdir()
    settings = Settings(path)
    assert settings.get(THEME) == THEME.default
    (kept,) = path.parent.glob("settings.json.unreadable-*")
    assert settings.notice is not None
    assert "could not be read" in settings.notice
    assert kept.name in settings.notice
    settings.set(ZOOM_PERCENT, 120)
    assert Settings(path).get(ZOOM_PERCENT) == 120


def test_a_file_that_cannot_be_read_or_moved_is_told_and_left_alone(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, reason: str) -> Path:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    path.mkdir()
    monkeypatch.setattr("app.state.settings.set_aside", refuse)
    settings = Settings(path)
    assert settings.get(THEME) == THEME.default
    assert "Check that you may read and write" in (settings.notice or "")
    assert path.is_dir()


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        (THEME, "purple"),
        (THEME, 3),
        (ZOOM_PERCENT, 1000),
        (ZOOM_PERCENT, 99.5),
        (ZOOM_PERCENT, True),
        (TEMPERATURE, math.nan),
        (TEMPERATURE, "hot"),
        (MAX_TOKENS, None),
        (LAST_MODEL_ID, ["a"]),
        (LAST_MODEL_ID, "a\ud800"),
    ],
)
def test_a_value_that_does_not_fit_gives_way_to_the_default(path: Path, setting: Setting[Any], value: object) -> None:
    path.write_text(json.dumps({setting.key: value}), encoding="utf-8")
    assert Settings(path).get(setting) == setting.default


def test_settings_of_another_version_are_kept(path: Path) -> None:
    path.write_text(json.dumps({"from_the_future": 1}), encoding="utf-8")
    Settings(path).set(ZOOM_PERCENT, 120)
    assert json.loads(path.read_text(encoding="utf-8")) == {"from_the_future": 1, "zoom_percent": 120}


def test_a_write_that_fails_leaves_the_old_file(path: Path) -> None:
    settings = Settings(path)
    settings.set(ZOOM_PERCENT, 120)
    (path.parent / "settings.json.new").mkdir()
    with pytest.raises(OSError, match=r"settings\.json\.new"):
        settings.set(ZOOM_PERCENT, 150)
    assert settings.get(ZOOM_PERCENT) == 150
    assert Settings(path).get(ZOOM_PERCENT) == 120


def test_a_value_out_of_range_is_the_callers_mistake(path: Path) -> None:
    with pytest.raises(AssertionError):
        Settings(path).set(ZOOM_PERCENT, 10)
