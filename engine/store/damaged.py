"""A model that is here but cannot be loaded: what a person is told of it, so that it does not vanish without a word.

Knows nothing of what a model is; others find out what is wrong with it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from engine.errors import CheckpointError, DamagedCheckpointError
from engine.store.layout import EMBED_FILE, GENERATION_FILE

_MARKS = (EMBED_FILE, GENERATION_FILE, "layers")
"""What tells the folder of a model that was made here from any other with a manifest.json, or without one."""


@dataclass(frozen=True, slots=True)
class DamagedModel:
    """`problem` says what is wrong and what to do. `is_remade`: fetching or converting it again takes its place."""

    model_id: str
    name: str
    path: Path
    problem: str
    disk_bytes: int
    is_remade: bool


def damaged_model(folder: Path, name: str | None, error: CheckpointError) -> DamagedModel | None:
    """None for a folder that is none of this program's; `name` where it could be read."""
    is_closed = isinstance(error.__cause__, PermissionError)
    if not is_closed and not any(os.path.lexists(folder / mark) for mark in _MARKS):
        return None
    is_remade = isinstance(error, DamagedCheckpointError)
    return DamagedModel(folder.name, name or folder.name, folder, str(error), folder_bytes(folder), is_remade)


def folder_bytes(folder: Path) -> int:
    """Of all files below, as far as they can be read."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(parent, name)).st_size
            except OSError:
                continue
    return total
