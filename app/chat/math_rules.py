r"""Owns where a formula begins and ends in Markdown: `\(…\)`, `\[…\]` and `$$…$$`, and `$…$` where that is not money.

Does not know what a formula means. A formula ends in the block where it begins, and has no empty line.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

_ENDS = {"\\(": "\\)", "\\[": "\\]", "$$": "$$"}
_LOOKS_LIKE_MATH = re.compile(r"[\\^_={}+*/<>|]|^\s*\w\s*$")
"""What stands between double dollars within a line; `$$5 and $$` is none."""

_SINGLE = re.compile(r"\$(?![\s$])((?:\\.|[^\\$`\n]|\n(?!\s*\n))*?)(?<![\s\\,:/=+-])\$(?![\w$])", re.ASCII)
"""Between single dollars: no space within either of them, no code, nothing that a sum of money or a path ends with
before the second, and no digit or letter behind it."""
_LOOKS_LIKE_ONE = re.compile(r"[\\^_={}+*/<>|(]|^\S+$")
"""What stands between single dollars; several words are none."""


def add_math(parser: MarkdownIt) -> MarkdownIt:
    """Makes tokens `math_inline` and `math_block`, with the LaTeX as their content."""
    parser.inline.ruler.before("escape", "math_inline", _inline)
    parser.block.ruler.before("fence", "math_block", _block, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    return parser


def _inline(state: StateInline, silent: bool) -> bool:
    start = state.src[state.pos : state.pos + 2]
    if start not in _ENDS:
        return start[:1] == "$" and _inline_single(state, silent)
    end = state.src.find(_ENDS[start], state.pos + 2, state.posMax)
    content = state.src[state.pos + 2 : end]
    if end < 0 or not content.strip() or (start == "$$" and not _LOOKS_LIKE_MATH.search(content)):
        return False
    if not silent:
        token = state.push("math_inline", "math", 0)
        token.content = content
    state.pos = end + 2
    return True


def _inline_single(state: StateInline, silent: bool) -> bool:
    before = state.src[state.pos - 1 : state.pos] if state.pos else ""
    found = None if before.isalnum() or before == "$" else _SINGLE.match(state.src, state.pos, state.posMax)
    if found is None or not _LOOKS_LIKE_ONE.search(found.group(1)):
        return False
    if not silent:
        token = state.push("math_inline", "math", 0)
        token.content = found.group(1)
    state.pos = found.end()
    return True


def _block(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    if state.is_code_block(start_line):
        return False
    first = _line(state, start_line)
    start = first[:2]
    if start not in ("\\[", "$$"):
        return False
    lines, line = [first[2:]], start_line
    while _ENDS[start] not in lines[-1]:
        line += 1
        if line >= end_line:
            # The rest may still come, so nothing of it is taken for something else meanwhile.
            return _unfinished(state, start_line, end_line, silent)
        if state.isEmpty(line) or state.sCount[line] < state.blkIndent:
            return False
        lines.append(_line(state, line))
    lines[-1], behind = lines[-1].split(_ENDS[start], 1)
    content = "\n".join(lines)
    if not content.strip() or (behind.strip() and line == start_line):
        return False
    if not silent:
        token = state.push("math_block", "math", 0)
        token.content = content
        token.map = [start_line, line + 1]
        if behind.strip():
            _push_paragraph(state, behind.strip(), [start_line, line + 1])
    state.line = line + 1
    return True


def _unfinished(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    if not silent:
        text = state.getLines(start_line, end_line, state.blkIndent, False).strip()
        _push_paragraph(state, text, [start_line, end_line])
    state.line = end_line
    return True


def _push_paragraph(state: StateBlock, text: str, lines: list[int]) -> None:
    state.push("paragraph_open", "p", 1).map = lines
    inline = state.push("inline", "", 0)
    inline.map, inline.content, inline.children = lines, text, []
    state.push("paragraph_close", "p", -1)


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
