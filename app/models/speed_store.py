"""Owns how fast each model has answered on this computer, measured in use and kept on disk.

Knows nothing of the engine; it is told of each answer.
"""

from __future__ import annotations

import json
import logging
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.state.json_file import write_json

_log = logging.getLogger(__name__)

MAX_SAMPLES = 15
MIN_TOKENS = 16
"""A shorter answer says little of the rate."""


@dataclass(frozen=True, slots=True)
class Speed:
    """The medians of the last answers; `ttft_s` is the time to the first token."""

    tokens_per_s: float
    ttft_s: float | None
    num_answers: int


class SpeedStore:
    """The last answers of each model, by its id."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._samples: dict[str, list[tuple[float, float | None]]] = self._read()

    def add(self, model_id: str, num_tokens: int, tokens_per_s: float | None, ttft_s: float | None) -> bool:
        """Count an answer in; whether it was long enough to count."""
        if tokens_per_s is None or tokens_per_s <= 0 or num_tokens < MIN_TOKENS:
            return False
        samples = self._samples.setdefault(model_id, [])
        samples.append((tokens_per_s, ttft_s))
        del samples[:-MAX_SAMPLES]
        self._write()
        return True

    def get(self, model_id: str) -> Speed | None:
        """None for a model that has not answered yet."""
        samples = self._samples.get(model_id)
        if not samples:
            return None
        first = [ttft_s for _, ttft_s in samples if ttft_s is not None]
        return Speed(
            statistics.median(rate for rate, _ in samples), statistics.median(first) if first else None, len(samples)
        )

    def _read(self) -> dict[str, list[tuple[float, float | None]]]:
        try:
            data = json.loads(self._path.read_text(encoding="utf-8"))
            return {
                str(model_id): [_sample(sample) for sample in samples][-MAX_SAMPLES:]
                for model_id, samples in data["models"].items()
            }
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            # It is measured again in use.
            _log.warning("the speeds in %s cannot be read: %s", self._path, error)
            return {}

    def _write(self) -> None:
        try:
            write_json(self._path, {"version": 1, "models": self._samples})
        except OSError as error:
            _log.warning("the speeds cannot be written: %s", error)


def _sample(data: Any) -> tuple[float, float | None]:
    rate, ttft_s = data
    return float(rate), None if ttft_s is None else float(ttft_s)
