"""What is written is read back; what is damaged is named."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from engine.errors import CheckpointError, JobCancelledError
from engine.store.checkpoint import Checkpoint
from engine.store.layout import GENERATION_FILE, MANIFEST_FILE, TOKENIZER_FILE, layer_file
from engine.store.tensor_file import write_tensors
from kernels.formats import PackedWeight
from tests.engine.store.checkpoints import SPEC, layer, make_checkpoint, matrix


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_checkpoint(tmp_path / "models" / "tiny")


def assert_same(found: PackedWeight, wanted: PackedWeight) -> None:
    assert (found.bits, found.group_size) == (wanted.bits, wanted.group_size)
    assert np.array_equal(found.codes, wanted.codes)
    assert np.array_equal(found.scale, wanted.scale)
    assert found.minimum is not None
    assert wanted.minimum is not None
    assert np.array_equal(found.minimum, wanted.minimum)


def test_everything_written_is_read_back(folder: Path) -> None:
    checkpoint = Checkpoint.open(folder)
    assert checkpoint.manifest.spec == SPEC
    assert (checkpoint.manifest.end_token_ids, checkpoint.manifest.bos_token_id) == ((2, 5), 1)
    assert checkpoint.chat_template is None
    assert checkpoint.tokenizer_path.read_text() == "{}"
    assert_same(checkpoint.read_embedding(), matrix("embedding"))
    for index in range(SPEC.num_layers):
        found, wanted = checkpoint.read_layer(index), layer(index)
        for name in ("qkv", "output", "gate_up", "down"):
            assert_same(getattr(found, name), getattr(wanted, name))
        for name in ("attention_norm", "qkv_bias", "feed_forward_norm"):
            assert np.array_equal(getattr(found, name), getattr(wanted, name))
    head = checkpoint.read_head()
    assert head.matrix is not None
    assert_same(head.matrix, matrix("head"))


def test_the_tensor_files_are_plain_safetensors(tmp_path: Path) -> None:
    tensors = {
        "odd": torch.arange(3, dtype=torch.uint8),
        "half": torch.tensor([[1.5], [2.5]], dtype=torch.float16),
        "vector": torch.tensor([1.0, 2.0, 3.0]),
        "turned": torch.arange(6.0).view(2, 3).t(),
    }
    record = write_tensors(tmp_path / "x.safetensors", tensors)
    assert record.size_bytes == (tmp_path / "x.safetensors").stat().st_size
    found = load_file(tmp_path / "x.safetensors")
    assert found.keys() == tensors.keys()
    assert all(torch.equal(found[name], tensors[name]) for name in tensors)


def test_verifying_counts_every_byte(folder: Path) -> None:
    checkpoint = Checkpoint.open(folder)
    seen: list[tuple[int, int]] = []
    checkpoint.verify(lambda done, total: seen.append((done, total)))
    assert seen[-1] == (checkpoint.manifest.size_bytes, checkpoint.manifest.size_bytes)
    assert seen == sorted(seen)


def test_verifying_can_be_cancelled(folder: Path) -> None:
    with pytest.raises(JobCancelledError):
        Checkpoint.open(folder).verify(is_cancelled=lambda: True)


def test_one_changed_byte_is_found_and_named(folder: Path) -> None:
    path = folder / layer_file(1)
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    checkpoint = Checkpoint.open(folder)
    with pytest.raises(CheckpointError, match=r"0001\.safetensors differs"):
        checkpoint.verify()


@pytest.mark.parametrize("name", [TOKENIZER_FILE, GENERATION_FILE, layer_file(2), MANIFEST_FILE])
def test_a_missing_file_is_named_on_opening(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(CheckpointError, match=Path(name).name):
        Checkpoint.open(folder)


def test_a_cut_file_is_named_on_opening(folder: Path) -> None:
    path = folder / layer_file(0)
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(CheckpointError, match=r"0000\.safetensors has"):
        Checkpoint.open(folder)


def test_another_format_version_is_refused_with_both_versions(folder: Path) -> None:
    edit(folder, lambda data: data.update(format_version=99))
    with pytest.raises(CheckpointError, match="version 99, this program reads 3"):
        Checkpoint.open(folder)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"format_version": 1}', '{"format_version": 1, "spec": 3}', "\ud800"])
def test_a_damaged_manifest_is_one_clear_error(folder: Path, text: str) -> None:
    (folder / MANIFEST_FILE).write_bytes(text.encode(errors="surrogatepass"))
    with pytest.raises(CheckpointError, match=MANIFEST_FILE):
        Checkpoint.open(folder)


def test_tensors_of_another_shape_are_refused(folder: Path) -> None:
    edit(folder, lambda data: data["spec"].update(intermediate_size=64))
    checkpoint = Checkpoint.open(folder)
    with pytest.raises(CheckpointError, match=r"gate_up is \(192, 64\), must be \(128, 64\)"):
        checkpoint.read_layer(0)


def test_vectors_of_another_type_are_refused(folder: Path) -> None:
    checkpoint, path = Checkpoint.open(folder), folder / layer_file(0)
    tensors = load_file(path)
    write_tensors(path, tensors | {"attention_norm": tensors["attention_norm"].half()})
    with pytest.raises(CheckpointError, match="attention_norm is float16"):
        checkpoint.read_layer(0)


def test_a_damaged_tensor_file_is_one_clear_error(folder: Path) -> None:
    path = folder / layer_file(0)
    path.write_bytes(b"\xff" * path.stat().st_size)
    checkpoint = Checkpoint.open(folder)
    with pytest.raises(CheckpointError, match=r"0000\.safetensors"):
        checkpoint.read_layer(0)


def edit(folder: Path, change) -> None:
    data = json.loads((folder / MANIFEST_FILE).read_text())
    change(data)
    (folder / MANIFEST_FILE).write_text(json.dumps(data))
