"""Owns moving a file that cannot be used out of the way without losing it.

Does not know what was wrong with it.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path


def set_aside(path: Path, reason: str, companions: tuple[str, ...] = ()) -> Path:
    """Renames `path` to `<name>.<reason>-<time>`, and with it the files that have one of the `companions` suffixes.

    Returns the new path. Raises OSError if the folder cannot be written.
    """
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    target = path.with_name(f"{path.name}.{reason}-{stamp}")
    number = 1
    while target.exists():
        number += 1
        target = path.with_name(f"{path.name}.{reason}-{stamp}-{number}")
    path.rename(target)
    for suffix in companions:
        companion = path.with_name(path.name + suffix)
        if companion.exists():
            companion.rename(target.with_name(target.name + suffix))
    return target
