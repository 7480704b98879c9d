"""Owns the colours of code: which stretch of which line has which role of the theme.

Does not know when the code changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from PySide6.QtGui import QSyntaxHighlighter, QTextCharFormat, QTextDocument

from app.theme import current_theme

_Lexer = TypeVar("_Lexer")
MAX_HIGHLIGHTED_LENGTH = 100_000
"""Longer code stays plain: lexing it would hold up the window for seconds."""

Stretch = tuple[int, int, str]
"""(start, length, role) within one line"""

# The first family that a token's type belongs to decides.
_ROLES = (
    ("Token.Comment", "code_comment"),
    ("Token.Keyword", "code_keyword"),
    ("Token.Operator.Word", "code_keyword"),
    ("Token.Literal.String", "code_string"),
    ("Token.Literal.Number", "code_number"),
    ("Token.Name.Function", "code_name"),
    ("Token.Name.Class", "code_name"),
    ("Token.Name.Builtin", "code_name"),
    ("Token.Name.Decorator", "code_name"),
    ("Token.Name.Tag", "code_name"),
    ("Token.Name.Attribute", "code_number"),
)


def lex(code: str, language: str) -> list[list[Stretch]]:
    """The coloured stretches of each line; empty lines of stretches for a language that is not known."""
    lines: list[list[Stretch]] = [[]]
    # Pygments takes time to import, and most chats have no code.
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return [[] for _ in range(code.count("\n") + 1)]
    column = 0
    # Some lexers know a comment by the end of its line only.
    for kind, text in lexer.get_tokens(code + "\n"):
        role = _role(str(kind))
        for number, part in enumerate(text.split("\n")):
            if number:
                lines.append([])
                column = 0
            if part and role:
                lines[-1].append((column, len(part), role))
            column += len(part)
    return lines[: code.count("\n") + 1]


def _role(kind: str) -> str | None:
    return next((role for family, role in _ROLES if kind.startswith(family)), None)


class Highlighter(QSyntaxHighlighter):
    """Colours the document's lines as it was told."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._lines: list[list[Stretch]] = []

    def show_lines(self, lines: Sequence[Sequence[Stretch]], first: int = 0) -> None:
        """Sets the colours of all lines from `first` on."""
        self._lines[first:] = [list(line) for line in lines]
        block = self.document().findBlockByNumber(first)
        while block.isValid() and block.blockNumber() < len(self._lines):
            self.rehighlightBlock(block)
            block = block.next()

    def highlightBlock(self, text: str) -> None:  # noqa: N802 - Qt's name
        number = self.currentBlock().blockNumber()
        if number >= len(self._lines):
            return
        theme = current_theme()
        for start, length, role in self._lines[number]:
            look = QTextCharFormat()
            look.setForeground(theme.color(role))
            self.setFormat(start, length, look)
