"""Prepared matrices in a file: made once, mapped from then on, never trusted where they do not fit."""

from __future__ import annotations

import itertools
import json
import logging
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.errors import NoRoomError
from engine.models import prepared
from engine.models.decoder import Decoder, make_pool
from engine.models.loading import load_decoder
from engine.store import prepared_file
from engine.store.checkpoint import Checkpoint
from engine.store.library import Library
from engine.store.lock import exclusive
from engine.store.prepared_file import PREPARED_FILE, PreparedFile, PreparedIdentity, new_prepared_file
from kernels.arrays import Array, empty
from kernels.backends import load_backend
from kernels.cpu.backend import CpuBackend
from kernels.cpu.weights import NativeLayout
from kernels.ops import AttentionBatch, ForwardInput, Norm
from tests.engine.store.checkpoints import make_checkpoint

ROWS = 5


@pytest.fixture
def backend() -> CpuBackend:
    return CpuBackend(2)


@pytest.fixture
def checkpoint(tmp_path: Path) -> Checkpoint:
    return Checkpoint.open(make_checkpoint(tmp_path / "tiny"))


def logits(decoder: Decoder, backend: CpuBackend) -> Array:
    """Of one short prompt."""
    pool = make_pool(decoder.spec, 2, 16, backend)
    ids = np.arange(ROWS)
    batch = AttentionBatch((0, ROWS), (ROWS,), (np.array([1]),))
    return decoder.logits(decoder.hidden(ForwardInput(ids, ids, ids + 16, batch, ROWS), pool))


def file_time(checkpoint: Checkpoint) -> int:
    return (checkpoint.path / PREPARED_FILE).stat().st_mtime_ns


def test_mapped_weights_give_the_bits_of_those_in_memory(checkpoint: Checkpoint, backend: CpuBackend) -> None:
    in_memory, memory_bytes = load_decoder(checkpoint, backend, weights="memory")
    assert not (checkpoint.path / PREPARED_FILE).exists()
    made, made_bytes = load_decoder(checkpoint, backend)
    assert (checkpoint.path / PREPARED_FILE).exists()
    mapped, mapped_bytes = load_decoder(checkpoint, backend)
    wanted = logits(in_memory, backend)
    assert np.array_equal(logits(made, backend), wanted)
    assert np.array_equal(logits(mapped, backend), wanted)
    assert memory_bytes == made_bytes == mapped_bytes


def test_file_is_made_once_and_each_layer_is_told_once(checkpoint: Checkpoint, backend: CpuBackend) -> None:
    told: list[tuple[int, int]] = []
    load_decoder(checkpoint, backend, lambda *progress: told.append(progress))
    made_at = file_time(checkpoint)
    load_decoder(checkpoint, backend, lambda *progress: told.append(progress))
    assert file_time(checkpoint) == made_at
    assert told == [(1, 3), (2, 3), (3, 3)] * 2


@pytest.mark.parametrize("damage", ["cut", "longer", "other layout", "other model", "no header", "empty"])
def test_file_that_does_not_fit_is_made_again(damage: str, checkpoint: Checkpoint, backend: CpuBackend) -> None:
    wanted = logits(load_decoder(checkpoint, backend)[0], backend)
    path = checkpoint.path / PREPARED_FILE
    whole = path.read_bytes()
    header = json.loads(whole[:4096])
    spoilt = {
        "cut": whole[:-1],
        "longer": whole + b"\0",
        "no header": bytes(4096) + whole[4096:],
        "empty": b"",
    }
    if damage == "other layout":
        header["identity"]["layout"] = "cpu blocks of 9 rows"
    if damage == "other model":
        header["identity"]["weights_digest"] = "00"
    # What is kept is not overwritten in place: a process may have it mapped.
    path.unlink()
    path.write_bytes(spoilt.get(damage, json.dumps(header).encode().ljust(4096) + bytes(len(whole) - 4096)))
    assert np.array_equal(logits(load_decoder(checkpoint, backend)[0], backend), wanted)
    assert path.read_bytes() == whole


def test_without_room_weights_are_repacked_in_memory(
    checkpoint: Checkpoint, backend: CpuBackend, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    wanted = logits(load_decoder(checkpoint, backend, weights="memory")[0], backend)
    monkeypatch.setattr(prepared_file, "_KEPT_FREE_BYTES", 1 << 60)
    caplog.set_level(logging.INFO, prepared.__name__)
    assert np.array_equal(logits(load_decoder(checkpoint, backend)[0], backend), wanted)
    assert sorted(path.name for path in checkpoint.path.iterdir() if "prepared" in path.name) == []
    assert "free some space" in caplog.text


def test_while_another_process_makes_it_weights_are_repacked_in_memory(
    checkpoint: Checkpoint, backend: CpuBackend
) -> None:
    with exclusive(checkpoint.path / prepared_file.LOCK_FILE, "busy"):
        decoder, _ = load_decoder(checkpoint, backend)
    assert not (checkpoint.path / PREPARED_FILE).exists()
    assert np.isfinite(logits(decoder, backend)).all()


def test_half_written_file_leaves_the_old_one(
    checkpoint: Checkpoint, backend: CpuBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_decoder(checkpoint, backend)
    old = (checkpoint.path / PREPARED_FILE).read_bytes()
    monkeypatch.setattr(NativeLayout, "name", "another")
    full = NoRoomError("The disk is full", checkpoint.path)
    monkeypatch.setattr(NativeLayout, "data", lambda self, weight: (_ for _ in ()).throw(full))
    load_decoder(checkpoint, backend)
    assert (checkpoint.path / PREPARED_FILE).read_bytes() == old


def test_verifying_removes_a_damaged_file_and_keeps_a_whole_one(checkpoint: Checkpoint, backend: CpuBackend) -> None:
    load_decoder(checkpoint, backend)
    path = checkpoint.path / PREPARED_FILE
    checkpoint.verify()
    data = bytearray(path.read_bytes())
    data[5000] ^= 1
    path.unlink()
    path.write_bytes(data)
    checkpoint.verify()
    assert not path.exists()


def test_library_counts_the_file(checkpoint: Checkpoint, backend: CpuBackend) -> None:
    library = Library(checkpoint.path.parent)
    plain = library.find("tiny")
    assert plain.disk_bytes == plain.size_bytes
    load_decoder(checkpoint, backend)
    entry = library.find("tiny")
    assert entry == replace(plain, prepared_bytes=(checkpoint.path / PREPARED_FILE).stat().st_size)
    assert entry.disk_bytes == plain.size_bytes + entry.prepared_bytes


def test_backend_without_a_layout_makes_no_file(checkpoint: Checkpoint) -> None:
    load_decoder(checkpoint, load_backend("reference"))
    assert not (checkpoint.path / PREPARED_FILE).exists()


def test_adopted_weight_computes_on_the_given_bytes(checkpoint: Checkpoint, backend: CpuBackend) -> None:
    weight = checkpoint.read_layer(0).qkv
    native = backend.prepare(weight)
    place = empty(native.size_bytes, dtype=np.uint8).data
    place[:] = backend.layout.data(native)
    assert backend.layout.size_bytes(weight) == native.size_bytes
    adopted = backend.layout.adopt(weight, place.toreadonly())
    x = np.random.default_rng(1).standard_normal((3, weight.num_columns), np.float32)
    norm = Norm(np.ones(weight.num_columns, np.float32), 1e-6)
    assert np.array_equal(backend.norm_linear(x, norm, adopted), backend.norm_linear(x, norm, native))


@pytest.mark.skipif(
    sys.platform != "linux" or not Path("/sys/kernel/mm/transparent_hugepage").exists(), reason="no large pages"
)
def test_large_pages_are_asked_for_what_is_read_whole(tmp_path: Path) -> None:
    identity, gathered, read_whole = PreparedIdentity(1, "any", "00"), bytes(1 << 16), bytes(1 << 17)
    with new_prepared_file(tmp_path, identity, 1 << 18) as append:
        append(memoryview(gathered))
        append(memoryview(read_whole))
    file = PreparedFile.open(tmp_path, identity)
    assert file is not None
    file.expect_whole_reads(len(gathered))
    mappings = Path("/proc/self/smaps").read_text().split("VmFlags:")
    # Each piece has the facts of one mapping, behind the flags of the mapping before it.
    is_asked = {}
    for facts, flags in itertools.pairwise(mappings):
        if f"{tmp_path}/{PREPARED_FILE}" in facts:
            size_kib = int(facts.split("Size:")[1].split()[0])
            is_asked[size_kib] = "hg" in flags.splitlines()[0].split()
    # The header's page and the gathered part, and the rest.
    assert is_asked == {4 + 64: False, 128: True}
