"""The engine's sentences in the window's language, held to what the engine's modules really say."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.engine_words.recognition import SENTENCES, in_window_words, sentence_of
from app.engine_words.reworded_sentences import REWORDED_SENTENCES
from app.i18n import install_language
from app.widgets.banner import Banner
from app.widgets.error_note import ErrorNote
from engine import errors
from engine.cache.snapshot import CONSOLATION
from engine.errors import PART_IS_MISSING

ROOT = Path(__file__).resolve().parents[2]

OTHERS = ("bench", "commands", "__main__.py")
"""Modules of the engine whose errors only a terminal shows."""
CAUSES = {"TooMuchWorkError", "RefusedError", "FormatError"}
"""What is raised to be told by another error, as its reason."""


CHOSEN = {
    "CONSOLATION": CONSOLATION,
    "PART_IS_MISSING": PART_IS_MISSING,
    "advice": "no group (32, 64 or 128) does, choose another model",
    "until": "in 7 s",
    "account": "then log in with `hub login`",
    "whose": "the budget",
    "others": ", of which other jobs need 7 MiB",
    "'s' if count > 1 else ''": "s",
}
"""What the gaps hold whose words the engine chooses; all others hold a value."""


@pytest.fixture
def chinese(qapp: QApplication) -> Iterator[None]:
    install_language(qapp, "zh_CN")
    yield
    install_language(qapp, "en")


def said(node: ast.expr) -> str | None:
    """A text with its gaps filled; None for what is no text."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(_filled(part) for part in node.values)
    return None


def _filled(part: ast.expr) -> str:
    if isinstance(part, ast.Constant):
        return str(part.value)
    assert isinstance(part, ast.FormattedValue), part
    return CHOSEN.get(ast.unparse(part.value), "7")


@cache
def raised_sentences() -> list[tuple[str, str]]:
    """Where an `EngineError` is made of a text, and the text."""
    return list(_raised_sentences())


def _raised_sentences() -> Iterator[tuple[str, str]]:
    names = {name for name in vars(errors) if name.endswith("Error")} - CAUSES
    for path in sorted((ROOT / "engine").rglob("*.py")):
        if any(part in OTHERS for part in path.relative_to(ROOT / "engine").parts):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names and node.args:
                text = said(node.args[0])
                if text is not None:
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", text


def test_every_sentence_of_the_engines_errors_is_known() -> None:
    all_of_them = raised_sentences()
    assert len(all_of_them) > 150
    unknown = [f"{place}: {text}" for place, text in all_of_them if sentence_of(text) is None]
    # A new sentence of the engine has to stand in app/engine_words too, with its translation.
    assert not unknown, "\n".join(unknown)


def test_every_description_of_a_model_is_known() -> None:
    for name in ("catalog", "recommended"):
        models = json.loads((ROOT / "assets" / f"{name}.json").read_text(encoding="utf-8"))["models"]
        assert {model["description"] for model in models} <= set(SENTENCES)


def test_a_message_is_told_in_chinese_with_its_values(chinese: None) -> None:
    message = (
        "Needs 9000 tokens (8700 of prompt and up to 300 of answer), the model's context holds 8192: "
        "shorten the chat, or ask for a shorter answer"
    )
    told = in_window_words(message)
    assert told.startswith("需要 9000 个词元（提示词 8700 个，回答最多 300 个），而模型的上下文可容纳 8192 个：")
    assert told.endswith("：请缩短聊天，或要求较短的回答")


def test_a_sentence_within_another_is_told_too(chinese: None) -> None:
    waits = (
        "The hub cannot be reached (timed out): check the internet connection and the proxy settings. Next try in 4 s"
    )
    assert in_window_words(waits) == "无法连接模型站（timed out）：请检查网络连接和代理设置。4 秒后重试"
    cut = "/a: b/x.gguf was cut short, get it again: it ends within its header"
    assert in_window_words(cut) == "/a: b/x.gguf 不完整，请重新获取：它在 文件头 中间结束"


def test_what_nobody_knows_and_what_is_told_already_stay_as_they_are(chinese: None) -> None:
    for message in ("Segmentation fault", "", "没有加载模型", "No model is loaded: load one first " * 500):
        assert in_window_words(message) == message


def test_notes_and_banners_tell_errors_in_chinese(chinese: None, qtbot: QtBot) -> None:
    note, banner = ErrorNote(), Banner()
    qtbot.addWidget(note)
    qtbot.addWidget(banner)
    note.show_error("No model is loaded: load one first")
    banner.show_message("There is a model qwen again: delete that one first")
    assert note.text() == "没有加载模型：请先加载一个"
    assert banner.label.text() == "又有了模型 qwen：请先删除它"


def test_in_english_a_message_stays_as_it_is_unless_the_window_has_words_of_its_own(qapp: QApplication) -> None:
    for _, message in raised_sentences():
        known = sentence_of(message)
        assert known is None or known[0] in REWORDED_SENTENCES or in_window_words(message) == message


def test_no_sentence_of_the_window_tells_a_person_to_type_a_command(qapp: QApplication) -> None:
    told = [in_window_words(message) for _, message in raised_sentences()]
    commands = re.compile(r"`|(^| )--\w|HF_ENDPOINT|python -m")
    assert not [message for message in told if commands.search(message)]
