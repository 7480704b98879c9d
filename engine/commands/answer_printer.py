"""An answer on the terminal as it comes, what the model thinks dimmed before it. Knows nothing of requests."""

from __future__ import annotations

from typing import TextIO

_DIM, _NORMAL = "\x1b[2m", "\x1b[0m"


class AnswerPrinter:
    """Thinking is for people who watch: it is left out where `stream` is no terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._is_terminal = stream.isatty()
        self._is_dim = False

    def add(self, text: str, reasoning: str = "") -> None:
        """Print what is new."""
        if reasoning and self._is_terminal:
            self._stream.write(reasoning if self._is_dim else _DIM + reasoning)
            self._is_dim = True
        if text:
            self._brighten("\n\n")
            self._stream.write(text)
        self._stream.flush()

    def end(self) -> None:
        """The answer is over, or was given up."""
        self._brighten("")
        self._stream.write("\n")
        self._stream.flush()

    def _brighten(self, gap: str) -> None:
        if self._is_dim:
            self._stream.write(_NORMAL + gap)
            self._is_dim = False
