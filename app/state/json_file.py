"""Owns writing a file of JSON whole or not at all.

Does not know what is in it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


def write_json(path: Path, content: Any) -> None:
    """Writes a new file, which takes the old one's place once it is on the disk.

    Raises OSError; the old file is then as it was.
    """
    temporary = path.with_name(path.name + ".new")
    with temporary.open("w", encoding="utf-8") as file:
        # Escaped: what a file system calls a name need not be text that can be encoded.
        json.dump(content, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
