"""Owns what is told of a model's file before it is converted: its numbers, and how large it would become.

Knows nothing of the library, nor of memory.
"""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from engine.convert.opening import open_source, source_name
from engine.convert.options import QuantizeOptions
from engine.convert.pipeline import checkpoint_bytes
from engine.convert.writing import settled_options
from engine.messages import Quality, SourceFacts


def inspect_source(path: Path) -> SourceFacts:
    """Reads the headers and the tokenizer, no weights. Raises `SourceError` for what cannot be converted."""
    qualities: tuple[Quality | None, ...] = (None, *get_args(Quality))
    with open_source(path) as source:
        sizes = []
        for quality in qualities:
            options = QuantizeOptions() if quality is None else QuantizeOptions.of_quality(quality)
            sizes.append((quality, checkpoint_bytes(source, settled_options(source, options))))
        return SourceFacts(str(path), source_name(path), source.spec, tuple(sizes))
