"""The window's translations: complete, with the same gaps to fill in, and compiled."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest
from PySide6.QtCore import QLocale, QTranslator
from PySide6.QtWidgets import QApplication

from app.i18n import install_language, language_of, sentences, translate

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """packaging/update_translations.py; its folder is no package, as its name is that of another."""
    spec = importlib.util.spec_from_file_location("update_translations", ROOT / "packaging" / "update_translations.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def english_again(qapp: QApplication):
    yield qapp
    install_language(qapp, "en")


def gaps(text: str) -> list[str]:
    return sorted(re.findall(r"\{[^}]*\}|%n", text))


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_every_marked_word_has_a_finished_translation(script: ModuleType, language: str) -> None:
    words = set(script.marked_words(ROOT / "app"))
    if language == "en":
        words = {word for word in words if "%n" in word[0]}
    assert len(words) > 10
    assert words == set(script.read_translations(script.FOLDER / f"app_{language}.ts"))


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_translations_have_the_gaps_of_their_texts_and_are_compiled(script: ModuleType, language: str) -> None:
    translator = QTranslator()
    assert translator.load(str(script.FOLDER / f"app_{language}.qm"))
    for (text, apart), translation in script.read_translations(script.FOLDER / f"app_{language}.ts").items():
        forms = [form.text or "" for form in translation.iter("numerusform")] or [translation.text or ""]
        # A form for one may say "one" in place of the number.
        assert gaps(forms[-1]) == gaps(text), text
        # 7 of a thing is the last form in both languages.
        assert translator.translate("app", text, apart or None, 7 if "%n" in text else -1) == forms[-1], text


def test_a_chosen_language_is_spoken_and_left_again(english_again: QApplication) -> None:
    install_language(english_again, "zh_CN")
    assert translate("app", "Settings") == "设置"
    install_language(english_again, "en")
    assert translate("app", "Settings") == "Settings"
    assert translate("app", "%n thread(s)", None, 1) == "1 thread"
    assert translate("app", "%n thread(s)", None, 2) == "2 threads"


def test_the_systems_language_is_taken_if_the_window_knows_it() -> None:
    assert language_of("system", QLocale("zh_CN")) == "zh_CN"
    assert language_of("system", QLocale("fr_FR")) == "en"
    assert language_of("en", QLocale("zh_CN")) == "en"


def test_sentences_are_parted_as_their_script_wants_it():
    assert sentences("One.", "", "Two.") == "One. Two."
    assert sentences("一。", "二。", "") == "一。二。"
