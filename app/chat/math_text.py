"""Owns reading LaTeX formulas as runs of text: characters, raised and lowered ones, a line over a root.

Does not know Markdown nor how a run is drawn. It is a line of text and no typesetting: it can be selected, read aloud
and searched, grows with the zoom, and costs little. A long fraction becomes `(a + b) / c`, a matrix `(a b; c d)`.
What is not known stays as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.chat.math_symbols import (
    ACCENTS,
    DOUBLE_STRUCK,
    FENCES,
    FUNCTIONS,
    GREEK,
    NO_MEANING,
    RELATIONS,
    SUBSCRIPTS,
    SUPERSCRIPTS,
    SYMBOLS,
    VARIANTS,
)

_MAX_DEPTH = 40
_SHORT = 3
"""A fraction with no more characters above and below stands as a small one."""
_TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|\s+|.", re.DOTALL)
_TEXT = frozenset(
    ("text", "textrm", "textsf", "texttt", "textnormal", "mbox", "mathrm", "mathsf", "mathtt", "operatorname")
)
_BOLD = frozenset(["mathbf", "textbf", "boldsymbol", "bm"])
_SLANTED = frozenset(["mathit", "textit"])
_FRACTIONS = frozenset(["frac", "dfrac", "tfrac", "cfrac"])
_DROPPED = frozenset(["label", "phantom", "hphantom", "vphantom", "color", "hspace", "vspace"])


@dataclass(frozen=True, slots=True)
class MathRun:
    """Characters of one look. `script` is 1 for raised, -1 for lowered ones. A line break is `\\n`."""

    text: str
    is_italic: bool = False
    is_bold: bool = False
    script: int = 0
    is_overlined: bool = False


def math_runs(source: str) -> list[MathRun]:
    """The formula, or its source if it is nested too deep."""
    try:
        return _joined(_Reader(_TOKEN.findall(source.strip())).read())
    except RecursionError:
        return [MathRun(source)]


class _Reader:
    """Walks the tokens once. What is missing at the end is taken as empty."""

    def __init__(self, tokens: Sequence[str], depth: int = 0) -> None:
        if depth > _MAX_DEPTH:
            raise RecursionError("a formula is nested too deep")
        self._tokens = tokens
        self._depth = depth
        self._at = 0

    def read(self) -> list[MathRun]:
        runs: list[MathRun] = []
        while self._at < len(self._tokens):
            token = self._next()
            if token in "^_" and token:
                runs += _script(self._argument(), 1 if token == "^" else -1)
            elif token == "{":
                self._at -= 1
                runs += self._argument()
            elif token.startswith("\\") and len(token) > 1:
                runs += self._command(token[1:])
            else:
                runs += _character(token, runs)
        return runs

    def _next(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1] if self._at <= len(self._tokens) else ""

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _group(self) -> list[str]:
        """The tokens of the next argument: a group in braces, or a single token."""
        while self._peek().isspace():
            self._at += 1
        first = self._next()
        if first != "{":
            return [first] if first else []
        start, depth = self._at, 1
        while self._at < len(self._tokens) and depth:
            token = self._next()
            depth += (token == "{") - (token == "}")
        return list(self._tokens[start : self._at - (depth == 0)])

    def _argument(self) -> list[MathRun]:
        tokens = self._group()
        if len(tokens) == 1 and tokens[0].startswith("\\"):
            # `x^\frac12`: what follows belongs to the command.
            rest = _Reader([tokens[0], *self._tokens[self._at :]], self._depth + 1)
            rest._at = 1
            runs = rest._command(tokens[0][1:])
            self._at += rest._at - 1
            return runs
        return _Reader(tokens, self._depth + 1).read()

    def _command(self, name: str) -> list[MathRun]:
        plain = _plain(name)
        if plain is not None:
            return plain
        if name in _TEXT:
            return [MathRun("".join(self._group()).replace("~", " "))]
        if name in _BOLD or name in _SLANTED:
            return [replace(run, is_bold=name in _BOLD, is_italic=name in _SLANTED) for run in self._argument()]
        if name in _DROPPED:
            self._group()
            return []
        if name in _FRACTIONS:
            return _fraction(self._argument(), self._argument())
        if name in ACCENTS or name in ("overline", "underline", "not"):
            return _accented(name, self._argument())
        return self._structure(name)

    def _structure(self, name: str) -> list[MathRun]:
        match name:
            case "sqrt":
                return self._root()
            case "binom" | "dbinom" | "tbinom":
                over, under = self._argument(), self._argument()
                return [MathRun("("), *_script(over, 1), *_script(under, -1), MathRun(")")]
            case "mathbb":
                return [MathRun("".join(DOUBLE_STRUCK.get(one, one) for one in _text(self._argument())))]
            case "mathcal" | "mathscr" | "mathfrak" | "boxed" | "underbrace" | "overbrace" | "substack":
                return self._argument()
            case "overset" | "stackrel":
                above, base = self._argument(), self._argument()
                return [*base, *_script(above, 1)]
            case "underset":
                below, base = self._argument(), self._argument()
                return [*base, *_script(below, -1)]
            case "xrightarrow":
                return [MathRun(" →"), *_script(self._argument(), 1), MathRun(" ")]
            case "tag":
                return [MathRun("\u2003("), *self._argument(), MathRun(")")]
            case "begin":
                return self._environment()
            case _:
                return [MathRun(f"\\{name}")]

    def _root(self) -> list[MathRun]:
        index = ""
        if self._peek() == "[":
            self._at += 1
            while self._at < len(self._tokens) and (token := self._next()) != "]":
                index += token
        sign = "".join(SUPERSCRIPTS.get(one, one) for one in index) + "√"
        return [MathRun(sign), *(replace(run, is_overlined=True) for run in self._argument())]

    def _environment(self) -> list[MathRun]:
        name = "".join(self._group()).rstrip("*")
        tokens: list[str] = []
        depth = 1
        while self._at < len(self._tokens):
            token = self._next()
            depth += (token == "\\begin") - (token == "\\end")
            if not depth:
                self._group()
                break
            tokens.append(token)
        if name == "array":
            # The columns' alignments.
            columns = _Reader(tokens)
            columns._group()
            tokens = tokens[columns._at :]
        is_matrix = name.endswith("matrix") or name in ("cases", "array")
        rows = [_cells(row, self._depth) for row in _split(tokens, "\\\\")]
        rows = [row for row in rows if _text(row).strip()]
        fences = FENCES.get(name, "  ")
        between = MathRun("; ") if is_matrix else MathRun("\n")
        inner = [run for row in rows for run in (between, *row)][1:]
        return [MathRun(fences[0].strip()), *inner, MathRun(fences[1].strip())]


def _plain(name: str) -> list[MathRun] | None:
    """What a command without arguments stands for; None for another one."""
    if name in NO_MEANING:
        return []
    if name == "\\":
        return [MathRun("\n")]
    if name in VARIANTS or name in GREEK:
        letter = VARIANTS.get(name) or GREEK[name]
        return [MathRun(letter, is_italic=letter.islower())]
    if name in RELATIONS:
        return [MathRun(f" {RELATIONS[name]} ")]
    if name in SYMBOLS:
        return [MathRun(SYMBOLS[name])]
    if name in FUNCTIONS:
        return [MathRun(f"{name}\u2009")]
    return None


def _character(token: str, before: Sequence[MathRun]) -> list[MathRun]:
    if token.isspace() or token in ("}", "&"):
        return [MathRun("\u2002")] if token == "&" else []
    if token in ("+", "-", "=", "<", ">"):
        sign = "−" if token == "-" else token
        end = before[-1].text[-1:] if before else ""
        is_sign = token in "+-" and (not end or end in " (\u2009[{,|\n")
        return [MathRun(sign if is_sign else f" {sign} ")]
    if token == ",":
        return [MathRun(", ")]
    if token in ("'", "~"):
        return [MathRun("′" if token == "'" else " ")]
    return [MathRun(token, is_italic=token.isalpha() and token.isascii())]


def _script(runs: Sequence[MathRun], script: int) -> list[MathRun]:
    """Raised or lowered. Within what already is, by characters that are so themselves, or else by a sign."""
    if not any(run.script for run in runs):
        # Little room is needed between small characters.
        return [replace(run, text=run.text.replace(" ", ""), script=script) for run in runs]
    forms = SUPERSCRIPTS if script > 0 else SUBSCRIPTS
    flat: list[MathRun] = []
    for run in runs:
        forms = SUPERSCRIPTS if run.script > 0 else SUBSCRIPTS
        text = run.text.replace("−", "-")
        if not run.script:
            flat.append(replace(run, text=run.text.replace(" ", ""), script=script))
        elif all(one in forms for one in text):
            flat.append(MathRun("".join(forms[one] for one in text), script=script))
        else:
            sign = "^" if run.script > 0 else "_"
            flat.append(replace(run, text=sign + (text if len(text) == 1 else f"({text})"), script=script))
    return flat


def _fraction(over: list[MathRun], under: list[MathRun]) -> list[MathRun]:
    is_flat = not any(run.script or run.is_overlined for run in (*over, *under))
    if is_flat and len(_text(over).strip()) <= _SHORT and len(_text(under).strip()) <= _SHORT:
        return [*_script(over, 1), MathRun("⁄"), *_script(under, -1)]
    return [*_enclosed(over), MathRun(" / "), *_enclosed(under)]


def _enclosed(runs: list[MathRun]) -> list[MathRun]:
    """In brackets, unless it is one thing."""
    text = _text([run for run in runs if not run.script and not run.is_overlined]).strip()
    return runs if len(text) <= 1 or text.isdigit() else [MathRun("("), *runs, MathRun(")")]


def _accented(name: str, runs: list[MathRun]) -> list[MathRun]:
    if name == "not":
        return [MathRun(f" {_text(runs).strip()}\u0338 ")]
    if name == "underline":
        return [replace(run, text="".join(f"{one}\u0332" for one in run.text)) for run in runs]
    if name == "overline" or len(_text(runs)) > 1:
        return [replace(run, is_overlined=True) for run in runs]
    return [replace(run, text=run.text + ACCENTS[name]) for run in runs]


def _split(tokens: Sequence[str], divider: str) -> list[list[str]]:
    """At dividers that stand in no group and no inner environment."""
    parts: list[list[str]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token in ("{", "\\begin")) - (token in ("}", "\\end"))
        if token == divider and not depth:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _cells(row: Sequence[str], depth: int) -> list[MathRun]:
    cells = [_Reader(cell, depth + 1).read() for cell in _split(row, "&")]
    return [run for cell in cells for run in (MathRun("\u2002"), *cell)][1:]


def _text(runs: Sequence[MathRun]) -> str:
    return "".join(run.text for run in runs)


def _joined(runs: Sequence[MathRun]) -> list[MathRun]:
    """Neighbours of one look as one run, without blanks at both ends and without two in a row."""
    joined: list[MathRun] = []
    for run in runs:
        text = run.text.lstrip(" ") if not joined or joined[-1].text.endswith((" ", "\n")) else run.text
        if not text:
            continue
        if joined and replace(joined[-1], text="") == replace(run, text=""):
            joined[-1] = replace(run, text=joined[-1].text + text)
        else:
            joined.append(replace(run, text=text))
    if joined:
        joined[-1] = replace(joined[-1], text=joined[-1].text.rstrip(" "))
    return [run for run in joined if run.text]
