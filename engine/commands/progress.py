"""Progress of a long command on standard error. Knows nothing of what is being done."""

from __future__ import annotations

import sys
from typing import TextIO

from engine.messages import JobStage
from engine.store.files import file_size

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

    def tell(self, why: str) -> None:
        """A line of its own: why the work waits."""
        self._stream.write(f"\r{why.ljust(len(self._shown))}\n" if self._is_terminal else f"{why}\n")
        self._stream.flush()
        self._shown = ""

    def show(self, stage: JobStage, done: int, total: int, left_s: float | None = None) -> None:
        if not self._is_terminal:
            # Quarters only: a log is not to be filled.
            left_s = left_s if done == 0 else None
            done = done * _PARTS // max(total, 1) * total // _PARTS
        text = describe(stage, done, total)
        if left_s is not None:
            text += f", {time_left(left_s)} left"
        if text == self._shown:
            return
        self._stream.write("\r" + text.ljust(len(self._shown)) if self._is_terminal else text + "\n")
        self._stream.flush()
        self._shown = text


def describe(stage: JobStage, done: int, total: int) -> str:
    """ "convert layer 14 of 36", "download 12.0 MB of 88.6 MB"."""
    if stage in ("convert", "measure"):
        return f"{stage} layer {done} of {total}"
    return f"{stage} {file_size(done)} of {file_size(total)}"


def time_left(left_s: float) -> str:
    """ "about 40 s", "about 12 min"."""
    return f"about {max(1, round(left_s))} s" if left_s < 90 else f"about {round(left_s / 60)} min"
