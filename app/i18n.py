"""Owns the language of the window: which one is spoken, and where its words come from.

Words are marked where they stand: `translate("app", "Stop")`, with literal texts, so that lupdate finds them; what
varies is put in afterwards, `translate("app", "Waiting, {place} in line").format(place=2)`. They are translated when
they are shown, never when a module is imported: by then no language has been chosen. A table that is made at import
marks its words with `QT_TRANSLATE_NOOP`, and whoever shows them translates.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from engine.api import assets_dir

Language = Literal["en", "zh_CN"]
LanguageChoice = Literal["system", "en", "zh_CN"]

translate = QCoreApplication.translate
"""From the context (always "app"), a text, what tells equal texts apart or None, and n of a plural."""


def QT_TRANSLATE_NOOP(context: str, text: str) -> str:  # noqa: N802 - the name that lupdate looks for
    """The text as it is, marked for translation in the context (always "app")."""
    return text


def sentences(*parts: str) -> str:
    """One after the other, those that are empty left out; after a Chinese full stop there is no space."""
    return "".join(f"{part} " if not part.endswith("。") else part for part in parts if part).rstrip()


def listed(parts: Iterable[str]) -> str:
    """With commas between them."""
    return translate("app", ", ").join(parts)


def language_of(choice: LanguageChoice, system: QLocale | None = None) -> Language:
    """The language that is spoken: the chosen one, or the system's if the window knows it, or English."""
    if choice != "system":
        return choice
    locale = QLocale.system() if system is None else system
    return "zh_CN" if locale.language() == QLocale.Language.Chinese else "en"


def install_language(app: QCoreApplication, choice: LanguageChoice) -> Language:
    """Has all words shown from now on translated; those that are shown already stay. Returns the language."""
    for former in app.findChildren(_WindowTranslator):
        app.removeTranslator(former)
        former.deleteLater()
    language = language_of(choice)
    # Plurals are forms of English too: "%n chat(s)" is never shown.
    _install(app, f"app_{language}", str(assets_dir() / "translations"))
    if language != "en":
        # The words of Qt's own dialogs and menus. A build without them shows those in English.
        _install(app, f"qtbase_{language}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))
    QLocale.setDefault(QLocale(language))
    return language


class _WindowTranslator(QTranslator):
    """Told apart from translators of others."""


def _install(app: QCoreApplication, name: str, folder: str) -> None:
    translator = _WindowTranslator(app)
    if translator.load(name, folder):
        app.installTranslator(translator)
