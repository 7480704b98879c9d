"""Owns an answer's text without its Markdown, for the clipboard.

Does not know how it is shown.
"""

from __future__ import annotations

from app.chat.markdown import Block, CodeBlock, Paragraph, Rule, Span, Table, parse

_INDENT = "  "


def plain_text(source: str) -> str:
    """What the Markdown says, as lines: list markers and code stay, cells of a table are divided by tabs."""
    lines: list[str] = []
    for before, block in zip([None, *(blocks := parse(source))], blocks, strict=False):
        if before is not None and not (_is_item(before) and _is_item(block)):
            lines.append("")
        lines.append(_text(block))
    return "\n".join(lines)


def _is_item(block: Block) -> bool:
    return isinstance(block, Paragraph) and block.indent > 0


def _text(block: Block) -> str:
    match block:
        case Paragraph():
            marker = f"{block.marker} " if block.marker else ""
            return _INDENT * max(0, block.indent - 1) + marker + _joined(block.spans)
        case CodeBlock():
            return block.text
        case Table():
            return "\n".join("\t".join(_joined(cell) for cell in row) for row in block.rows)
        case Rule():
            return "———"


def _joined(spans: tuple[Span, ...]) -> str:
    return "".join(map(_span_text, spans))


def _span_text(span: Span) -> str:
    if not span.script:
        return span.text
    sign = "^" if span.script > 0 else "_"
    return sign + (span.text if len(span.text) == 1 else f"({span.text})")
