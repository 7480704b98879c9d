"""Brings the window's translations up to date: `python packaging/update_translations.py`.

Reads the marked words out of app/, adds new ones to assets/translations/app_<language>.ts as unfinished, takes those
away that are gone, and writes the .qm files that the window reads. Of English only the plurals are kept. Ends with 1
and a list if a translation is missing: fill it in (`pyside6-linguist`, or any editor), and run this again.

Qt's own lupdate is not used: of Python it takes plurals for plain texts, and passes without a word over calls whose
arguments it does not understand, such as an attribute (6.11).
"""

from __future__ import annotations

import ast
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "assets" / "translations"
CONTEXT = "app"
NUM_PLURAL_FORMS = {"en": 2, "zh_CN": 1}

Word = tuple[str, str]
"""A text, and what tells it from an equal one ("" if nothing)."""


def main() -> int:
    words = sorted(set(marked_words(ROOT / "app")))
    missing = []
    for language in NUM_PLURAL_FORMS:
        source = FOLDER / f"app_{language}.ts"
        tree = updated(read_translations(source), words, language)
        ElementTree.indent(tree)
        source.write_text(
            '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n' + ElementTree.tostring(tree, "unicode") + "\n",
            encoding="utf-8",
        )
        compile_translations(source, source.with_suffix(".qm"))
        missing += [f"{language}: {text}" for text in unfinished(tree)]
    if missing:
        print("\n".join(missing), file=sys.stderr)
    return 1 if missing else 0


def marked_words(folder: Path) -> Iterator[Word]:
    """The literal texts of all `translate("app", …)` and `QT_TRANSLATE_NOOP("app", …)`.

    Raises ValueError for a call whose context or text is no literal, except a translation of what was marked elsewhere.
    """
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name | ast.Attribute):
                continue
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            if name not in ("translate", "QT_TRANSLATE_NOOP") or len(node.args) < 2:
                continue
            context, text, *rest = node.args
            if not isinstance(context, ast.Constant) or context.value != CONTEXT:
                continue
            if isinstance(text, ast.Constant) and isinstance(text.value, str):
                apart = rest[0].value if rest and isinstance(rest[0], ast.Constant) else None
                yield text.value, apart if isinstance(apart, str) else ""
            elif isinstance(text, ast.JoinedStr) or name == "QT_TRANSLATE_NOOP":
                raise ValueError(f"{path}:{node.lineno}: the text must be a literal")


def read_translations(source: Path) -> dict[Word, ElementTree.Element]:
    """The finished translations of a .ts file; none where there is no file."""
    if not source.exists():
        return {}
    result = {}
    for message in ElementTree.parse(source).iter("message"):
        translation = message.find("translation")
        if translation is not None and translation.get("type") != "unfinished":
            result[message.findtext("source", ""), message.findtext("comment", "")] = translation
    return result


def updated(known: dict[Word, ElementTree.Element], words: list[Word], language: str) -> ElementTree.Element:
    """The <TS> element with exactly these words, translated as far as they were."""
    root = ElementTree.Element("TS", version="2.1", language=language, sourcelanguage="en")
    context = ElementTree.SubElement(root, "context")
    ElementTree.SubElement(context, "name").text = CONTEXT
    for text, apart in words:
        is_plural = "%n" in text
        if language == "en" and not is_plural:
            continue
        message = ElementTree.SubElement(context, "message", {"numerus": "yes"} if is_plural else {})
        ElementTree.SubElement(message, "source").text = text
        if apart:
            ElementTree.SubElement(message, "comment").text = apart
        translation = known.get((text, apart))
        if translation is None:
            translation = ElementTree.Element("translation", type="unfinished")
            if is_plural:
                for _ in range(NUM_PLURAL_FORMS[language]):
                    ElementTree.SubElement(translation, "numerusform")
        message.append(translation)
    return root


def unfinished(tree: ElementTree.Element) -> list[str]:
    """The texts without a translation."""
    return [
        message.findtext("source", "")
        for message in tree.iter("message")
        if (translation := message.find("translation")) is None or translation.get("type") == "unfinished"
    ]


def compile_translations(source: Path, target: Path) -> None:
    tool = Path(sys.executable).parent / "pyside6-lrelease"
    subprocess.run([str(tool), "-silent", str(source), "-qm", str(target)], check=True)


if __name__ == "__main__":
    sys.exit(main())
