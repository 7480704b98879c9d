"""How long steps take by what is in them, and how many prompt tokens a step may carry beside answers that run.

Learns from the steps it is told of; knows nothing of sequences.
"""

from __future__ import annotations

_MEMORY = 0.8
"""Weight of what was measured before when the next step is."""
_FIRST_TOKENS = 32
"""Prompt tokens beside answers until both times are known."""


class StepTimes:
    """Seconds of a step in which answers run alone, and what each prompt token adds to it."""

    def __init__(self) -> None:
        self._alone_s: float | None = None
        self._token_s: float | None = None

    def on_step(self, num_decodes: int, num_prompt_tokens: int, duration_s: float) -> None:
        """A step took `duration_s` for the rows of so many answers and so many tokens of prompts."""
        if not num_prompt_tokens:
            self._alone_s = _mixed(self._alone_s, duration_s)
            return
        if num_decodes and self._alone_s is None:
            return
        beside_s = self._alone_s if num_decodes and self._alone_s is not None else 0.0
        self._token_s = _mixed(self._token_s, max(duration_s - beside_s, 0.0) / num_prompt_tokens)

    def max_prompt_tokens(self, stretch: float) -> int:
        """How many let a step take `stretch` times as long as without any; may be none."""
        if self._alone_s is None or not self._token_s:
            return _FIRST_TOKENS
        return int((stretch - 1) * self._alone_s / self._token_s)


def _mixed(before: float | None, measured: float) -> float:
    return measured if before is None else _MEMORY * before + (1 - _MEMORY) * measured
