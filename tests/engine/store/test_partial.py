"""A checkpoint in the making: resumed, started afresh, and never listed before it is whole."""

import errno
import os
from pathlib import Path

import pytest

from engine.errors import CheckpointError, StorageError
from engine.store.checkpoint import Checkpoint
from engine.store.layout import layer_file
from engine.store.library import Library
from engine.store.partial import PROGRESS_FILE, PartialCheckpoint
from tests.engine.store.checkpoints import IDENTITY, make_checkpoint, manifest, write_all


class InterruptionError(Exception):
    pass


def interrupt_at(layer: int):
    def before_layer(index: int) -> None:
        if index == layer:
            raise InterruptionError

    return before_layer


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "models" / "tiny"


def interrupted(target: Path, layer: int = 2) -> PartialCheckpoint:
    partial = PartialCheckpoint(target, IDENTITY)
    partial.begin()
    with pytest.raises(InterruptionError):
        write_all(partial, interrupt_at(layer))
    return partial


def test_a_resumed_checkpoint_writes_only_what_was_missing(target: Path, tmp_path: Path) -> None:
    interrupted(target)
    written: list[int] = []
    partial = PartialCheckpoint(target, IDENTITY)
    partial.begin()
    write_all(partial, written.append)
    partial.finish(manifest(partial))
    assert written == [2]
    whole = make_checkpoint(tmp_path / "other" / "tiny")
    assert Checkpoint.open(target).manifest == Checkpoint.open(whole).manifest


def test_another_identity_starts_afresh(target: Path) -> None:
    interrupted(target)
    partial = PartialCheckpoint(target, {**IDENTITY, "bits": 8})
    partial.begin()
    assert not partial.files


def test_a_finished_file_that_was_damaged_is_made_again(target: Path) -> None:
    folder = interrupted(target).folder
    (folder / layer_file(0)).write_bytes(b"x" * (folder / layer_file(0)).stat().st_size)
    (folder / layer_file(1)).unlink()
    partial = PartialCheckpoint(target, IDENTITY)
    partial.begin()
    assert not partial.has(layer_file(0))
    assert not partial.has(layer_file(1))
    write_all(partial)
    partial.finish(manifest(partial))
    Checkpoint.open(target).verify()


def test_nothing_is_listed_until_it_is_finished(target: Path) -> None:
    library = Library(target.parent)
    partial = interrupted(target)
    assert library.list() == []
    write_all(partial)
    assert library.list() == []
    partial.finish(manifest(partial))
    assert [model.model_id for model in library.list()] == ["tiny"]
    assert sorted(path.name for path in target.parent.iterdir()) == ["tiny"]


def test_a_finished_checkpoint_whose_folder_cannot_be_renamed_is_kept_whole(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    partial = interrupted(target)
    write_all(partial)
    real_replace = os.replace

    def refuse_folders(source: Path, goal: Path) -> None:
        if Path(source).is_dir():
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))
        real_replace(source, goal)

    with monkeypatch.context() as patch:
        patch.setattr("engine.store.files.os.replace", refuse_folders)
        with pytest.raises(StorageError):
            partial.finish(manifest(partial))
    assert Library(target.parent).list() == []
    resumed = PartialCheckpoint(target, IDENTITY)
    resumed.begin()
    assert resumed.files == partial.files
    resumed.finish(manifest(resumed))
    assert [model.model_id for model in Library(target.parent).list()] == ["tiny"]


def test_a_record_of_progress_left_in_a_model_does_no_harm(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    partial = interrupted(target)
    write_all(partial)

    def refuse(path: Path) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", refuse)
        partial.finish(manifest(partial))
    assert (target / PROGRESS_FILE).exists()
    assert [model.model_id for model in Library(target.parent).list()] == ["tiny"]
    Checkpoint.open(target).verify()


def test_bytes_that_read_back_differently_are_not_listed(target: Path) -> None:
    partial = PartialCheckpoint(target, IDENTITY)
    partial.begin()
    write_all(partial)
    path = partial.folder / layer_file(0)
    path.write_bytes(b"\0" * path.stat().st_size)
    with pytest.raises(CheckpointError, match=r"0000\.safetensors"):
        partial.finish(manifest(partial))
    assert Library(target.parent).list() == []


@pytest.mark.parametrize(
    ("number", "words"),
    [(errno.ENOSPC, "disk is full"), (errno.EROFS, "read-only"), (errno.EACCES, "read-only"), (errno.EIO, "error")],
)
def test_a_failing_disk_is_told_in_one_line_and_leaves_a_resumable_rest(
    target: Path, monkeypatch: pytest.MonkeyPatch, number: int, words: str
) -> None:
    partial = interrupted(target)

    def fail(descriptor: int) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr("engine.store.files.os.fsync", fail)
        with pytest.raises(StorageError, match=words) as raised:
            write_all(partial)
    assert "\n" not in str(raised.value)
    assert not list(partial.folder.rglob("*.tmp"))
    resumed = PartialCheckpoint(target, IDENTITY)
    resumed.begin()
    assert resumed.has(layer_file(1))


def test_a_file_in_place_of_the_folder_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "models").write_text("a file")
    with pytest.raises(StorageError, match="models"):
        PartialCheckpoint(tmp_path / "models" / "tiny", IDENTITY).begin()
