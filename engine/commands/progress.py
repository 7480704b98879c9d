"""Progress of a long command on standard error. Knows nothing of what is being done."""

from __future__ import annotations

import sys
from typing import TextIO

from engine.messages import JobStage
from engine.store.files import mebibytes

_PARTS = 4
"""How many lines a stage gets where the line cannot be rewritten."""


class ProgressLine:
    """One line that is rewritten on a terminal, a few lines otherwise. A context manager: it clears the line."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._is_terminal = self._stream.isatty()
        self._shown = ""

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_terminal and self._shown:
            self._stream.write("\r" + " " * len(self._shown) + "\r")
            self._stream.flush()

    def show(self, stage: JobStage, done: int, total: int) -> None:
        if not self._is_terminal:
            # Quarters only: a log is not to be filled.
            done = done * _PARTS // max(total, 1) * total // _PARTS
        text = describe(stage, done, total)
        if text == self._shown:
            return
        self._stream.write("\r" + text.ljust(len(self._shown)) if self._is_terminal else text + "\n")
        self._stream.flush()
        self._shown = text


def describe(stage: JobStage, done: int, total: int) -> str:
    """ "convert layer 14 of 36", "download 12.0 MiB of 88.6 MiB"."""
    if stage == "convert":
        return f"convert layer {done} of {total}"
    return f"{stage} {mebibytes(done)} of {mebibytes(total)}"
