"""How much of the machine's memory this program, others, and nobody uses now. Knows nothing of models.

Standard library and psutil only.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import psutil

SCARCE_SHARE = 0.05
"""With less of the memory left, the system soon begins to move programs to the disk."""
SPILL_BYTES = 32 << 20
"""What a program that has rested may have on the disk without anybody noticing."""
_STATUS = Path("/proc/self/status")


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """Bytes now. `spilled_bytes` of this program lie on the disk; None where the system does not say."""

    total_bytes: int
    available_bytes: int
    own_bytes: int
    spilled_bytes: int | None

    @property
    def others_bytes(self) -> int:
        """What other programs and the system hold."""
        return max(0, self.total_bytes - self.available_bytes - self.own_bytes)

    @property
    def is_spilling(self) -> bool:
        """Whether so much lies on the disk that answers are slow for it."""
        return self.spilled_bytes is not None and self.spilled_bytes > SPILL_BYTES

    @property
    def is_scarce(self) -> bool:
        return self.available_bytes < SCARCE_SHARE * self.total_bytes


def memory_use() -> MemoryUse:
    """As of now; takes well under a millisecond."""
    memory = psutil.virtual_memory()
    return MemoryUse(memory.total, memory.available, psutil.Process().memory_info().rss, _spilled_bytes())


def _spilled_bytes() -> int | None:
    if sys.platform != "linux":
        return None
    try:
        lines = _STATUS.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    found = next((line.split() for line in lines if line.startswith("VmSwap:")), None)
    return None if found is None else int(found[1]) * 1024
