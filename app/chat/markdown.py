"""Owns the meaning of an answer's Markdown: source text in, a flat list of blocks out.

Does not know how a block is drawn, nor that the text arrives in pieces. HTML in the source stays text, and an image
becomes a link, so showing an answer never loads anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from markdown_it import MarkdownIt
from markdown_it.token import Token

from app.chat.math_rules import add_math
from app.chat.math_text import math_runs

BULLETS = ("•", "◦", "▪")
_BOXES = {"[ ] ": "☐", "[x] ": "☑"}
"""How a task in a list begins, and what is shown of it."""
_MAX_NESTING = 100
_URL = re.compile(r"https?://[^\s<>\"'`]*[^\s<>\"'`.,;:!?)\]}*_]")


@dataclass(frozen=True, slots=True)
class Span:
    """A run of text of one look. A line break is `\\n`."""

    text: str
    is_bold: bool = False
    is_italic: bool = False
    is_struck: bool = False
    is_code: bool = False
    link: str | None = None
    """An http or https address."""
    script: int = 0
    """1 for raised, -1 for lowered text of a formula."""
    is_overlined: bool = False


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Text between two breaks; in a list it stands `indent` levels in, the first one of an item behind its `marker`."""

    spans: tuple[Span, ...] = ()
    heading: int = 0
    """1 to 6; 0 is plain text."""
    indent: int = 0
    marker: str = ""
    quote_depth: int = 0
    formula: str = ""
    """The LaTeX of a formula that stands by itself; its spans are the same as a line of text."""

    @property
    def is_formula(self) -> bool:
        return bool(self.formula)


@dataclass(frozen=True, slots=True)
class CodeBlock:
    text: str
    language: str = ""
    indent: int = 0
    is_open: bool = False
    """Its closing fence has not come yet."""


@dataclass(frozen=True, slots=True)
class Table:
    """The first row is the header. `alignments` has `left`, `center` or `right` for each column."""

    rows: tuple[tuple[tuple[Span, ...], ...], ...]
    alignments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """A line across the column."""


Block = Paragraph | CodeBlock | Table | Rule


def parse_tokens(source: str) -> list[Token]:
    """The block tokens of CommonMark with tables and strikethrough, with line numbers in `map`.

    What stands within lines is not looked at: that is by far the most work.
    """
    return _BLOCK_PARSER.parse(source)


def inline_tokens(line: str) -> list[Token]:
    """What stands within a line, or the lines of one block. Escapes and entities are tokens by themselves."""
    tokens: list[Token] = []
    _PARSER.inline.parse(line, _PARSER, {}, tokens)
    return tokens


def inline_spans(line: str) -> tuple[Span, ...]:
    """The runs of text within a line, or the lines of one block."""
    (inline,) = _PARSER.parseInline(line)
    return _spans(inline)


def parse(source: str) -> list[Block]:
    return list(blocks_of(parse_tokens(source)))


def blocks_of(
    tokens: Sequence[Token],
    first_number: int | None = None,
    read_line: Callable[[str], tuple[Span, ...]] = inline_spans,
) -> Iterator[Block]:
    """Flattens lists and quotations. `first_number` replaces the number of the first item of the first list.

    `read_line` gives what `inline_spans` gives.
    """
    return _Flattener(first_number, read_line).run(tokens)


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": _MAX_NESTING, "breaks": True})
    # A reference may be defined after the blocks that use it are already on the screen, so there are none.
    parser.enable(["table", "strikethrough"]).disable(["reference", "html_block", "html_inline"])
    return add_math(parser)


_PARSER = _parser()
_BLOCK_PARSER = _parser().disable(["inline", "text_join"])


class _Flattener:
    """Walks the tokens once, with the open lists and quotations as its only state."""

    def __init__(self, first_number: int | None, read_line: Callable[[str], tuple[Span, ...]]) -> None:
        self._first_number = first_number
        self._read_line = read_line
        self._numbers: list[int | None] = []
        """Per open list: the number of its next item, None in a bullet list."""
        self._quote_depth = 0
        self._marker = ""
        """The marker of an item that has shown nothing yet."""

    def run(self, tokens: Sequence[Token]) -> Iterator[Block]:
        position = 0
        while position < len(tokens):
            token = tokens[position]
            if token.type == "table_open":
                end = _closing(tokens, position)
                yield from self._behind_marker(_table(tokens[position:end]))
                position = end
            elif token.type in ("paragraph_open", "heading_open"):
                heading = int(token.tag[1]) if token.type == "heading_open" else 0
                yield self._paragraph(tokens[position + 1], heading)
                position += 2
            else:
                yield from self._other(token)
            position += 1

    def _other(self, token: Token) -> Iterator[Block]:
        match token.type:
            case "bullet_list_open":
                self._numbers.append(None)
            case "ordered_list_open":
                start = int(token.attrs.get("start", 1))
                first, self._first_number = self._first_number, None
                self._numbers.append(start if first is None else first)
            case "bullet_list_close" | "ordered_list_close":
                self._numbers.pop()
            case "list_item_open":
                # An item that begins with a list shows its own marker first.
                yield from self._unused_marker()
                self._marker = self._next_marker()
            case "list_item_close":
                yield from self._unused_marker()
            case "blockquote_open":
                self._quote_depth += 1
            case "blockquote_close":
                self._quote_depth -= 1
            case "fence" | "code_block":
                words = token.info.split()
                language = words[0] if words else ""
                code = CodeBlock(token.content.removesuffix("\n"), language, len(self._numbers))
                yield from self._behind_marker(code)
            case "math_block":
                marker, self._marker = self._marker, ""
                spans = tuple(_formula(Span(""), token.content))
                yield Paragraph(spans, 0, len(self._numbers), marker, self._quote_depth, token.content)
            case "hr":
                yield from self._behind_marker(Rule())

    def _next_marker(self) -> str:
        number = self._numbers[-1]
        if number is None:
            return BULLETS[(len(self._numbers) - 1) % len(BULLETS)]
        self._numbers[-1] = number + 1
        return f"{number}."

    def _paragraph(self, inline: Token, heading: int = 0) -> Paragraph:
        marker, self._marker = self._marker, ""
        spans = self._read_line(inline.content)
        box = _BOXES.get(spans[0].text[:4].lower()) if marker and spans and spans[0] == Span(spans[0].text) else None
        if box is not None:
            # A task: its box stands where the bullet would, or behind the number.
            is_numbered = marker not in BULLETS
            text = f"{box} {spans[0].text[4:]}" if is_numbered else spans[0].text[4:]
            marker = marker if is_numbered else box
            spans = tuple(span for span in (Span(text), *spans[1:]) if span.text)
        return Paragraph(spans, heading, len(self._numbers), marker, self._quote_depth)

    def _unused_marker(self) -> Iterator[Block]:
        if self._marker:
            yield Paragraph((), 0, len(self._numbers), self._marker, self._quote_depth)
            self._marker = ""

    def _behind_marker(self, block: Block) -> Iterator[Block]:
        yield from self._unused_marker()
        yield block


def _closing(tokens: Sequence[Token], position: int) -> int:
    """The position of the token that closes the one at `position`."""
    level = tokens[position].level
    return next(end for end in range(position + 1, len(tokens)) if tokens[end].level == level)


def _table(tokens: Iterable[Token]) -> Table:
    rows: list[list[tuple[Span, ...]]] = []
    alignments: list[str] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "th_open":
            style = str(token.attrs.get("style", "text-align:left"))
            alignments.append(style.removeprefix("text-align:"))
        elif token.type == "inline":
            rows[-1].append(inline_spans(token.content))
    return Table(tuple(tuple(row) for row in rows), tuple(alignments))


def _spans(inline: Token) -> tuple[Span, ...]:
    spans: list[Span] = []
    look = Span("")
    for token in inline.children or ():
        match token.type:
            case "text" | "text_special":
                spans.extend(_with_links(replace(look, text=token.content)))
            case "math_inline":
                spans.extend(_formula(look, token.content))
            case "code_inline":
                spans.append(replace(look, text=token.content, is_code=True))
            case "softbreak" | "hardbreak":
                spans.append(replace(look, text="\n"))
            case "image":
                address = str(token.attrs.get("src", ""))
                spans.append(replace(look, text=token.content or address, link=look.link or _web_address(address)))
            case "link_open":
                look = replace(look, link=_web_address(str(token.attrs.get("href", ""))))
            case "link_close":
                look = replace(look, link=None)
            case "strong_open" | "strong_close":
                look = replace(look, is_bold=token.nesting > 0)
            case "em_open" | "em_close":
                look = replace(look, is_italic=token.nesting > 0)
            case "s_open" | "s_close":
                look = replace(look, is_struck=token.nesting > 0)
    return tuple(span for span in spans if span.text)


def _formula(look: Span, source: str) -> Iterator[Span]:
    for run in math_runs(source):
        yield replace(
            look,
            text=run.text,
            is_italic=run.is_italic,
            is_bold=look.is_bold or run.is_bold,
            script=run.script,
            is_overlined=run.is_overlined,
        )


def _web_address(address: str) -> str | None:
    return address if address.startswith(("http://", "https://")) else None


def _with_links(span: Span) -> Iterator[Span]:
    """Makes links of the addresses that stand bare in the text."""
    if span.link is not None:
        yield span
        return
    end = 0
    for found in _URL.finditer(span.text):
        yield replace(span, text=span.text[end : found.start()])
        yield replace(span, text=found.group(), link=found.group())
        end = found.end()
    yield replace(span, text=span.text[end:])
