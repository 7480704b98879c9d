"""Owns the splitting of Markdown that arrives in pieces into finished blocks and an unfinished rest.

Does not know how blocks are drawn. Only the rest is parsed again when text arrives, so a long answer costs no more per
piece than a short one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from markdown_it.token import Token

from app.chat.inline_stream import InlineStream
from app.chat.markdown import Block, CodeBlock, Paragraph, Span, blocks_of, parse_tokens

# A fence with a bar behind it may turn out to be a table's header; such a one is left to the parser.
_FENCE_START = re.compile(r"( {0,3})(`{3,}|~{3,})([^|]*)")
# What the parser takes for space within a line; Python's own idea of it is wider.
_SPACES = " \t"
_TAB_WIDTH = 4
# Words that go on with a line of words: nothing in them begins or ends anything that Markdown knows.
_WORDS = re.compile(r"(?:[^\W_]|[ .,;:?!'\"-])*[^\W_]")
_LINE_OF_WORDS = re.compile(r"[^\n]*[^\W\d_][^\W_]*")
_ADDRESS = "://"


@dataclass(frozen=True, slots=True)
class Update:
    """What one piece of text changed: blocks that will never change again, and all that may."""

    finished: tuple[Block, ...]
    rest: tuple[Block, ...]


@dataclass(slots=True)
class _OpenFence:
    """Code whose end has not come: its lines are taken as they are, without the parser."""

    indent: int
    marker: str
    language: str
    lines: list[str]
    rest: str = ""
    """The last line, as far as it has come."""

    def closes(self, line: str) -> bool:
        stripped = line.rstrip(_SPACES)
        bare = stripped.lstrip(" ")
        is_fence = len(bare) >= len(self.marker) and set(bare) == {self.marker[0]}
        return is_fence and len(stripped) - len(bare) <= 3

    def may_close(self, line: str) -> bool:
        """Whether a line that has not ended yet could become the closing fence."""
        bare = line.strip(_SPACES)
        return set(bare) <= {self.marker[0]}

    def take(self, line: str) -> None:
        """Takes a line without the columns by which the fence is indented; what a tab has beyond them are spaces."""
        column = position = 0
        while column < self.indent and line[position : position + 1] in (" ", "\t"):
            column += 1 if line[position] == " " else _TAB_WIDTH - column % _TAB_WIDTH
            position += 1
        self.lines.append(" " * max(0, column - self.indent) + line[position:])

    def block(self, is_open: bool) -> CodeBlock:
        lines = self.lines
        if is_open and self.rest and not self.may_close(self.rest):
            lines = [*lines, self.rest]
        return CodeBlock("\n".join(lines), self.language, is_open=is_open)


def _words_added(source: str, text: str, rest: Sequence[Block]) -> Paragraph | None:
    """The last paragraph with the words that came to it; None if only the parser can tell what came of them.

    Most pieces of most answers are of this kind.
    """
    last = rest[-1] if rest else None
    if not isinstance(last, Paragraph) or not last.spans or _ADDRESS in source or _WORDS.fullmatch(text) is None:
        return None
    line = source[source.rfind("\n") + 1 :]
    *others, span = last.spans
    if _LINE_OF_WORDS.fullmatch(line) is None or span != Span(span.text) or not span.text.endswith(line[-1]):
        return None
    return replace(last, spans=(*others, Span(span.text + text)))


class MarkdownStream:
    """Feed it an answer's text as it comes. All blocks together are those of the whole text."""

    def __init__(self) -> None:
        self._pending = ""
        """Source from the start of the last block that may change."""
        self._first_number: int | None = None
        """The number of the list item with which `_pending` begins, if it continues a numbered list."""
        self._fence: _OpenFence | None = None
        self._rest: tuple[Block, ...] = ()
        """What `_pending` was at the last look."""
        self._has_new_line = False
        """A line has ended since the last look for finished blocks."""
        self._inline = InlineStream()
        self._is_after_return = False
        """The last piece ended with a carriage return, so that a line feed at the next one's start belongs to it."""

    def feed(self, text: str) -> Update:
        text = self._normalized(text)
        if self._fence is None and (words := _words_added(self._pending, text, self._rest)) is not None:
            self._pending += text
            self._rest = (*self._rest[:-1], words)
            return Update((), self._rest)
        finished: list[Block] = []
        if self._fence is None:
            self._pending += text
            self._has_new_line |= "\n" in text
        else:
            self._feed_fence(text, finished)
        rest = [self._fence.block(is_open=True)] if self._fence is not None else self._feed_parser(finished)
        self._rest = tuple(rest)
        return Update(tuple(finished), self._rest)

    def finish(self) -> Update:
        """Ends the text; what was the rest is finished."""
        if self._fence is not None:
            last, self._fence.rest = self._fence.rest, ""
            if last.strip(_SPACES) and not self._fence.closes(last):
                self._fence.take(last)
            blocks: list[Block] = [self._fence.block(is_open=False)]
            self._fence = None
        else:
            blocks = list(blocks_of(parse_tokens(self._pending), self._first_number, self._inline.spans))
        self._pending = ""
        self._rest = ()
        self._first_number = None
        return Update(tuple(blocks), ())

    def _normalized(self, text: str) -> str:
        """The text as the parser would read it: one kind of line end, and no null."""
        if not text:
            return ""
        if self._is_after_return:
            text = text.removeprefix("\n")
        self._is_after_return = text.endswith("\r")
        return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")

    def _feed_fence(self, text: str, finished: list[Block]) -> None:
        """Takes lines into the open fence; what comes behind its end goes to `_pending`."""
        assert self._fence is not None, "no fence is open"
        lines = (self._fence.rest + text).split("\n")
        self._fence.rest = lines.pop()
        for number, line in enumerate(lines):
            if self._fence.closes(line):
                finished.append(self._fence.block(is_open=False))
                self._pending = "\n".join([*lines[number + 1 :], self._fence.rest])
                self._has_new_line = True
                self._fence = None
                return
            self._fence.take(line)

    def _feed_parser(self, finished: list[Block]) -> list[Block]:
        if self._has_new_line:
            self._take_finished(finished)
            self._has_new_line = False
        tokens = parse_tokens(self._pending)
        self._open_fence(tokens)
        if self._fence is not None:
            return [self._fence.block(is_open=True)]
        return list(blocks_of(tokens, self._first_number, self._inline.spans))

    def _take_finished(self, finished: list[Block]) -> None:
        # Only whole lines tell where a block ends: `-` may yet become `---`, and a header row needs the line below it.
        whole, newline, part = self._pending.rpartition("\n")
        start, number = self._start_of_rest(parse_tokens(whole + newline))
        if start > 0:
            lines = whole.split("\n")
            done = parse_tokens("\n".join(lines[:start]) + "\n")
            finished.extend(blocks_of(done, self._first_number, self._inline.spans))
            self._pending = "\n".join([*lines[start:], part])
            self._first_number = number

    def _start_of_rest(self, tokens: list[Token]) -> tuple[int, int | None]:
        """The line at which the last block, or item of a list, begins, and the number of that item."""
        start, number = 0, None
        item_number = self._first_number
        for token in tokens:
            if token.map is None or token.nesting < 0:
                continue
            if token.level == 0:
                start, number = token.map[0], None
                if token.type == "ordered_list_open" and (start > 0 or item_number is None):
                    item_number = int(token.attrs.get("start", 1))
                elif token.type != "ordered_list_open":
                    item_number = None
            elif token.level == 1 and token.type == "list_item_open":
                start, number = token.map[0], item_number
                item_number = None if item_number is None else item_number + 1
        return start, number

    def _open_fence(self, tokens: list[Token]) -> None:
        """Takes over from the parser if the rest is a fence, its first line whole, that has not been closed."""
        if not tokens or tokens[0].type != "fence":
            return
        lines = self._pending.split("\n")
        while lines and not lines[0].strip(_SPACES):
            del lines[0]
        found = _FENCE_START.fullmatch(lines[0])
        if len(lines) < 2 or found is None:
            return
        words = found.group(3).split()
        fence = _OpenFence(len(found.group(1)), found.group(2), tokens[0].info.split()[0] if words else "", [])
        if any(fence.closes(line) for line in lines[1:]):
            return
        fence.rest = lines.pop()
        for line in lines[1:]:
            fence.take(line)
        self._fence = fence
        self._pending = ""
        self._first_number = None
