"""The names that LaTeX has for characters, and the characters' other forms. Data only."""

from __future__ import annotations

import unicodedata

_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lamda mu nu xi pi rho sigma tau upsilon phi chi psi omega"
)
_CAPITALS = "gamma delta theta lamda xi pi sigma upsilon phi psi omega"


def _greek() -> dict[str, str]:
    small = {name: unicodedata.lookup(f"GREEK SMALL LETTER {name.upper()}") for name in _GREEK.split()}
    large = {
        name.capitalize(): unicodedata.lookup(f"GREEK CAPITAL LETTER {name.upper()}") for name in _CAPITALS.split()
    }
    return small | large | {"lambda": "λ", "Lambda": "Λ", "omicron": "ο"}


GREEK = _greek()
"""Small ones are variables, and slanted."""
VARIANTS = {"varepsilon": "ε", "epsilon": "ϵ", "vartheta": "ϑ", "varphi": "φ", "phi": "ϕ", "varpi": "ϖ", "varrho": "ϱ"}
VARIANTS |= {"varsigma": "ς", "ell": "ℓ", "hbar": "ℏ", "imath": "ı", "jmath": "ȷ"}

RELATIONS = {
    "le": "≤", "leq": "≤", "leqslant": "≤", "ge": "≥", "geq": "≥", "geqslant": "≥", "ne": "≠", "neq": "≠",
    "approx": "≈", "equiv": "≡", "sim": "∼", "simeq": "≃", "cong": "≅", "propto": "∝", "ll": "≪", "gg": "≫",
    "in": "∈", "notin": "∉", "ni": "∋", "subset": "⊂", "supset": "⊃", "subseteq": "⊆", "supseteq": "⊇", "mid": "∣",
    "parallel": "∥", "perp": "⊥", "to": "→", "rightarrow": "→", "leftarrow": "←", "gets": "←", "mapsto": "↦",
    "leftrightarrow": "↔", "Rightarrow": "⇒", "Leftarrow": "⇐", "Leftrightarrow": "⇔", "implies": "⟹", "iff": "⟺",
    "longrightarrow": "⟶", "longleftarrow": "⟵", "hookrightarrow": "↪", "uparrow": "↑", "downarrow": "↓",
    "models": "⊨", "vdash": "⊢", "prec": "≺", "succ": "≻", "doteq": "≐", "triangleq": "≜", "coloneqq": "≔",
    "cdot": "·", "times": "×", "div": "÷", "pm": "±", "mp": "∓", "ast": "∗", "star": "⋆", "circ": "∘", "bullet": "•",
    "oplus": "⊕", "ominus": "⊖", "otimes": "⊗", "odot": "⊙", "cup": "∪", "cap": "∩", "setminus": "∖", "wedge": "∧",
    "land": "∧", "vee": "∨", "lor": "∨", "sqcup": "⊔", "sqcap": "⊓",
}  # fmt: skip
"""Stand between two things, with a space on both sides."""

SYMBOLS = {
    "infty": "∞", "partial": "∂", "nabla": "∇", "sum": "∑", "prod": "∏", "coprod": "∐", "int": "∫", "iint": "∬",
    "iiint": "∭", "oint": "∮", "bigcup": "⋃", "bigcap": "⋂", "bigoplus": "⨁", "bigotimes": "⨂", "bigvee": "⋁",
    "bigwedge": "⋀", "forall": "∀", "exists": "∃", "nexists": "∄", "neg": "¬", "lnot": "¬", "emptyset": "∅",
    "varnothing": "∅", "angle": "∠", "triangle": "△", "square": "□", "Box": "□", "blacksquare": "■", "qed": "∎",
    "prime": "′", "dagger": "†", "ddagger": "‡", "aleph": "ℵ", "Re": "ℜ", "Im": "ℑ", "wp": "℘", "top": "⊤",
    "bot": "⊥", "therefore": "∴", "because": "∵", "checkmark": "✓", "degree": "°", "surd": "√",
    "ldots": "…", "dots": "…", "dotsc": "…", "dotsb": "⋯", "cdots": "⋯", "vdots": "⋮", "ddots": "⋱",
    "langle": "⟨", "rangle": "⟩", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "vert": "|", "Vert": "‖",
    "lvert": "|", "rvert": "|", "lVert": "‖", "rVert": "‖", "lbrace": "{", "rbrace": "}", "lbrack": "[", "rbrack": "]",
    "backslash": "\\", "colon": ":", "{": "{", "}": "}", "|": "‖", "%": "%", "$": "$", "#": "#", "&": "&", "_": "_",
    ",": "\u2009", ":": "\u2005", ";": "\u2004", " ": " ", "!": "", ">": "\u2005", "quad": "\u2003",
    "qquad": "\u2003\u2003",
}  # fmt: skip
FUNCTIONS = frozenset(
    [
        "sin",
        "cos",
        "tan",
        "cot",
        "sec",
        "csc",
        "sinh",
        "cosh",
        "tanh",
        "arcsin",
        "arccos",
        "arctan",
        "log",
        "ln",
        "lg",
        "exp",
        "min",
        "max",
        "lim",
        "sup",
        "inf",
        "limsup",
        "liminf",
        "det",
        "dim",
        "ker",
        "gcd",
        "arg",
        "deg",
        "hom",
        "Pr",
        "argmin",
        "argmax",
    ]
)
ACCENTS = {
    "hat": "\u0302", "widehat": "\u0302", "bar": "\u0304", "vec": "\u20d7", "dot": "\u0307", "ddot": "\u0308",
    "tilde": "\u0303", "widetilde": "\u0303", "check": "\u030c", "acute": "\u0301", "grave": "\u0300",
}  # fmt: skip
NO_MEANING = frozenset(
    [
        "left",
        "right",
        "big",
        "Big",
        "bigg",
        "Bigg",
        "bigl",
        "bigr",
        "Bigl",
        "Bigr",
        "biggl",
        "biggr",
        "Biggl",
        "Biggr",
        "middle",
        "limits",
        "nolimits",
        "displaystyle",
        "textstyle",
        "scriptstyle",
        "nonumber",
        "notag",
        "centering",
        "rm",
    ]
)
DOUBLE_STRUCK = {"C": "ℂ", "H": "ℍ", "N": "ℕ", "P": "ℙ", "Q": "ℚ", "R": "ℝ", "Z": "ℤ"}
SUPERSCRIPTS = dict(zip("0123456789+-=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", strict=True))
SUBSCRIPTS = dict(zip("0123456789+-=()aeoxhklmnpstij", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₒₓₕₖₗₘₙₚₛₜᵢⱼ", strict=True))
FENCES = {"pmatrix": "()", "bmatrix": "[]", "Bmatrix": "{}", "vmatrix": "||", "Vmatrix": "‖‖", "cases": "{ "}
