"""What loading leaves in memory."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

import pytest

from engine.models.loading import load_decoder
from engine.store.checkpoint import Checkpoint
from kernels.backends import load_backend
from tests.engine.store.checkpoints import make_checkpoint


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a process cannot read what it has mapped")
def test_no_file_of_plain_weights_stays_mapped(tmp_path: Path) -> None:
    backend = load_backend("cpu")
    checkpoint = Checkpoint.open(make_checkpoint(tmp_path / "tiny"))
    held = checkpoint.read_layer(0)
    assert mapped(tmp_path) == ["0000.safetensors"]
    del held
    in_memory, _ = load_decoder(checkpoint, backend, weights="memory")
    assert mapped(tmp_path) == []
    from_file, _ = load_decoder(checkpoint, backend)
    assert mapped(tmp_path) == ["prepared.bin"]
    gc.disable()
    try:
        # At once, and not when the collector comes by: Windows lets nobody remove a file that is mapped.
        del in_memory, from_file
        assert mapped(tmp_path) == []
    finally:
        gc.enable()


def mapped(folder: Path) -> list[str]:
    """The names of the files of a folder that this process has mapped."""
    lines = Path("/proc/self/maps").read_text().splitlines()
    return sorted({line.rpartition("/")[2] for line in lines if str(folder) in line})
