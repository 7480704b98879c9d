"""How much memory another process takes and has taken. Knows nothing of what it does."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import psutil


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """Bytes. `peak_bytes` is the largest resident set so far, pages of mapped files included.

    `private_bytes` is what the process holds now by itself: it could not be read from a file again.
    """

    peak_bytes: int
    private_bytes: int


def memory_of(pid: int) -> MemoryUse:
    """Of a live process. macOS does not tell another process's peak: there it is what is resident now."""
    if sys.platform == "linux":
        fields = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
        peak, private = (int(fields[name].split()[0]) << 10 for name in ("VmHWM", "RssAnon"))
        return MemoryUse(peak, private)
    info = psutil.Process(pid).memory_full_info()
    return MemoryUse(getattr(info, "peak_wset", info.rss), info.uss)
