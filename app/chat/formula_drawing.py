"""Owns setting a LaTeX formula in two dimensions: fractions, roots, matrices, as a drawing of outlines.

Does not know Qt nor when it is called: it takes tens of milliseconds, so not on the window's thread. What cannot be set
in full has no drawing, and stays the line of text of `math_text`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree.ElementTree import tostring

EM = 24.0
"""The font size of drawings; they are scaled to that of the text."""
INK = "black"
"""What stands for the colour of the text in a drawing."""
MAX_CHARACTERS = 800
MAX_DEPTH = 6
"""Each level doubles the time, and a matrix in a matrix takes four times as long."""
_STEP = re.compile(r"\\(left|right|begin|end)\b|\\.|[{}]", re.DOTALL)
_STEPS = {"left": 1, "right": -1, "begin": 2, "end": -2, "{": 1, "}": -1}
_MATRIX = re.compile(r"\\(begin|end)\{([pbBvV]?matrix|cases|array)\*?\}")
_ENVIRONMENT_NAME = re.compile(r"\\(begin|end)\{[a-zA-Z]+\*?\}")
_UNSUPPORTED = re.compile(r"\\(tag|label|require|ref|eqref|color|textcolor|colorbox|href|url|newcommand|def)\b")
_BEYOND_FONT = re.compile(r"[\u0590-\u1fff\u2e80-\ua4cf\uac00-\ufdff\ufe30-\uffff\U0001f000-\U0010ffff]")
"""Scripts that the font of formulas lacks, such as Chinese in a \\text."""

_REFUSALS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    StopIteration,
    SyntaxError,
    TypeError,
    ValueError,
)
"""What the libraries raise besides errors of their own for text that is no formula."""


@dataclass(frozen=True, slots=True)
class FormulaDrawing:
    """An SVG, `width` by `height` at a font of `EM`."""

    svg: str
    width: float
    height: float


def draw_formula(source: str) -> FormulaDrawing | None:
    """The drawing of a formula that stands by itself; None if it cannot be set, or not in full."""
    if len(source) > MAX_CHARACTERS or _depth(source) > MAX_DEPTH:
        return None
    if _UNSUPPORTED.search(source) or _BEYOND_FONT.search(source):
        return None
    # Loaded with the first formula: a third of a second, and two megabytes of fonts.
    from latex2mathml import exceptions
    from ziamath.config import config
    from ziamath.zmath import Latex

    # Outlines where they stand: Qt reads no symbols that are used elsewhere.
    config.svg2 = False
    named = [kind for kind in vars(exceptions).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    refusals: tuple[type[Exception], ...] = (*_REFUSALS, *named)
    try:
        formula = Latex(_prepared(source), size=EM, color=INK, inline=False)
        drawing = formula.svgxml()
        width, height = float(drawing.attrib["width"]), float(drawing.attrib["height"])
        is_whole = "\\" not in formula.mathmlstr()
    except refusals:
        return None
    # A command that is not known stands in the drawing as it is written.
    return FormulaDrawing(tostring(drawing, "unicode"), width, height) if is_whole else None


def _prepared(source: str) -> str:
    """In braces a matrix can have an exponent, which it could not have otherwise."""
    braced = {"begin": r"{{\begin{{{0}}}", "end": r"\end{{{0}}}}}"}
    return _MATRIX.sub(lambda found: braced[found[1]].format(found[2]), source.strip())


def _depth(source: str) -> int:
    """How deep groups, fences and matrices stand in each other, the braces of an environment's name not counted."""
    deepest = depth = 0
    for step in _STEP.finditer(_ENVIRONMENT_NAME.sub(r"\\\1 ", source)):
        depth += _STEPS.get(step[1] or step[0], 0)
        deepest = max(deepest, depth)
    return deepest
