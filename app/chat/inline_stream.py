r"""Owns reading the line of a paragraph that grows: what can no longer change is read once.

Does not know blocks. A piece can no longer change once all that could reach beyond it, as `*` and `[` do, has found its
end: what stays of such marks is seen in the text of the tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from markdown_it.token import Token

from app.chat.markdown import Span, inline_spans, inline_tokens

MIN_CHARACTERS = 400
"""Shorter, reading it again costs less than a millisecond."""
_NEXT_PLACE = 0.8
"""What is settled next ends at most at this part of what is not; if it cannot end there, at this part of that."""
_MAX_PLACES = 5
_BETWEEN_WORDS = re.compile(r"(?<=[\w.,;:!?)]) (?=[^\W_])")
_OPEN_MARK = re.compile(
    r"[`$\[\\]"
    r"|<(?![\s\d=])"
    r"|~~"
    # Between blanks it neither begins nor ends anything, and neither does a low line within a word.
    r"|(?<!\s)\*|\*(?!\s)"
    r"|(?<![^\W_])_|_(?!\w)"
)
_BEGIN_MATH = ("\\(", "\\[")


class InlineStream:
    """Of one paragraph at a time: another one that is long takes its place."""

    def __init__(self) -> None:
        self._settled = ""
        self._spans: tuple[Span, ...] = ()
        """Of what is settled."""
        self._next_length = MIN_CHARACTERS
        """Of what is not settled, at which another part of it may be."""

    def spans(self, line: str) -> tuple[Span, ...]:
        """As `inline_spans`, whatever was read before."""
        if len(line) < MIN_CHARACTERS:
            return inline_spans(line)
        if not line.startswith(self._settled):
            self._settled, self._spans, self._next_length = "", (), MIN_CHARACTERS
        rest = line[len(self._settled) :]
        spans = inline_spans(rest)
        shown = _joined(self._spans, spans)
        if len(rest) >= self._next_length:
            self._settle(rest, spans)
        return shown

    def _settle(self, rest: str, spans: tuple[Span, ...]) -> None:
        for place in _places(rest):
            if not _is_settled(rest[:place]):
                continue
            before, behind = inline_spans(rest[:place]), inline_spans(rest[place:])
            if _joined(before, behind) == spans:
                self._settled += rest[:place]
                self._spans = _joined(self._spans, before)
                self._next_length = len(rest) - place + MIN_CHARACTERS
                return
        # Something is open. Looking again costs as much as reading it once or twice.
        self._next_length = 2 * len(rest)


def _places(text: str) -> Iterator[int]:
    """Where it might be parted, the last place first: between words that stand in no mark."""
    end, num_places = _NEXT_PLACE * len(text), 0
    for token in reversed(inline_tokens(text)):
        if token.type != "text" or token.level or num_places == _MAX_PLACES:
            continue
        begin = text.rfind(token.content, 0, int(end) + len(token.content))
        inside = [found.start() for found in _BETWEEN_WORDS.finditer(token.content)] if begin >= 0 else []
        while inside and num_places < _MAX_PLACES:
            if (place := begin + inside.pop()) <= end:
                yield place
                end, num_places = _NEXT_PLACE * place, num_places + 1


def _is_settled(text: str) -> bool:
    """Whether nothing that may follow behind a blank could change what this is."""
    tokens = inline_tokens(text)
    last = tokens[-1] if tokens else None
    # Ending in text by itself, so that what follows goes on with it.
    if last is None or last.type != "text" or last.level or not text.endswith(last.content[-1:] or "\n"):
        return False
    return not any(map(_may_reach_on, tokens))


def _may_reach_on(token: Token) -> bool:
    if token.type == "text_special":
        return token.markup in _BEGIN_MATH
    return token.type == "text" and _OPEN_MARK.search(token.content) is not None


def _joined(before: tuple[Span, ...], behind: tuple[Span, ...]) -> tuple[Span, ...]:
    if before and behind and before[-1] == Span(before[-1].text) and behind[0] == Span(behind[0].text):
        return (*before[:-1], Span(before[-1].text + behind[0].text), *behind[1:])
    return (*before, *behind)
