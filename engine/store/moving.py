"""A model from one folder into another: renamed on one drive; copied, compared and then removed between two.

Cut off at any moment, the model is whole in one of the places, and started again the work goes on. Knows nothing of
jobs and of who wants it moved.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from engine.errors import CheckpointError, DamagedCheckpointError, InvalidRequestError, StorageError
from engine.messages import JobStage
from engine.store.files import (
    CHUNK_BYTES,
    OnBytes,
    check_cancelled,
    replace,
    require_free_space,
    storage_errors,
    write_file,
)
from engine.store.folders import MOVING_PREFIX, add_model_folder, reachable, remove_whole
from engine.store.layout import MANIFEST_FILE
from engine.store.library import Library, ModelEntry
from engine.store.manifest import Manifest, file_error, read_manifest
from engine.store.names import lost_name_problem, name_problem
from engine.store.verification import verify_files

OnStage = Callable[[JobStage, int, int], None]
"""Told of a stage and of its bytes, done and in all."""
IsCancelled = Callable[[], bool]


def move_model(library: Library, entry: ModelEntry, folder: Path, on_stage: OnStage, is_cancelled: IsCancelled) -> Path:
    """Move a listed model into `folder`, whose models are listed from then on; returns its new place.

    Raises `InvalidRequestError` for a folder that cannot be a place of models, `StorageError`, `CheckpointError` if the
    copy reads back otherwise, `JobCancelledError`.
    """
    folder = reachable(folder.expanduser().absolute())
    target = folder / entry.model_id
    if os.path.realpath(folder) == os.path.realpath(entry.path.parent):
        return entry.path
    _check(library, folder)
    with storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    add_model_folder(library.models_dir, folder)
    manifest = read_manifest(entry.path)
    if not _is_there(target, manifest, on_stage, is_cancelled) and not _renamed(entry.path, target):
        _copy(entry.path, target, manifest, on_stage, is_cancelled)
    # Another process may have found the folder empty meanwhile, and have forgotten it.
    add_model_folder(library.models_dir, folder)
    if os.path.lexists(entry.path):
        remove_whole(entry.path)
    return target


def _check(library: Library, folder: Path) -> None:
    if (problem := name_problem(folder) or lost_name_problem(folder)) is not None:
        raise InvalidRequestError(f"{problem}: choose another folder, or rename it first")
    for other in library.folders():
        inner = Path(os.path.realpath(folder))
        if Path(os.path.realpath(other)) in inner.parents:
            raise InvalidRequestError(f"{folder} is inside the models' folder {other}: choose one outside of it")
    if folder.exists() and not folder.is_dir():
        raise InvalidRequestError(f"{folder} is a file: choose a folder")


def _is_there(target: Path, manifest: Manifest, on_stage: OnStage, is_cancelled: IsCancelled) -> bool:
    """Whether a move that was cut off has got as far as that both are whole. Raises for what is no such copy."""
    if not os.path.lexists(target):
        return False
    try:
        if read_manifest(target) == manifest:
            verify_files(target, manifest.files, _stage(on_stage, "verify"), is_cancelled)
            return True
    except CheckpointError as error:
        raise InvalidRequestError(f"{target} is in the way: {error}") from error
    raise InvalidRequestError(f"{target} is another model of the same id: move or delete that one first")


def _renamed(source: Path, target: Path) -> bool:
    """False if they are on two drives."""
    try:
        with storage_errors(target):
            replace(source, target)
    except StorageError as error:
        if isinstance(error.__cause__, OSError) and error.__cause__.errno == errno.EXDEV:
            return False
        raise
    return True


def _copy(source: Path, target: Path, manifest: Manifest, on_stage: OnStage, is_cancelled: IsCancelled) -> None:
    """The files of the manifest and no others, so that no cache goes along."""
    copy = target.with_name(f"{MOVING_PREFIX}{target.name}")
    missing = [name for name, record in manifest.files.items() if _size(copy / name) != record.size_bytes]
    require_free_space(target.parent, sum(manifest.files[name].size_bytes for name in missing))
    total_bytes = manifest.size_bytes
    done_bytes = total_bytes - sum(manifest.files[name].size_bytes for name in missing)

    def on_bytes(count: int) -> None:
        nonlocal done_bytes
        done_bytes += count
        on_stage("move", min(done_bytes, total_bytes), total_bytes)

    on_bytes(0)
    for name in missing:
        write_file(copy / name, _chunks(source / name, on_bytes, is_cancelled))
    write_file(copy / MANIFEST_FILE, _chunks(source / MANIFEST_FILE, lambda count: None, is_cancelled))
    try:
        verify_files(copy, manifest.files, _stage(on_stage, "verify"), is_cancelled)
    except DamagedCheckpointError:
        # Nothing can be made of it; the model is still whole where it was, or as damaged as the copy.
        remove_whole(copy)
        raise
    with storage_errors(target):
        replace(copy, target)


def _chunks(path: Path, on_bytes: OnBytes, is_cancelled: IsCancelled) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                check_cancelled(is_cancelled)
                yield chunk
                on_bytes(len(chunk))
    except OSError as error:
        raise file_error(path, error) from error


def _size(path: Path) -> int | None:
    with suppress(OSError):
        return path.stat().st_size
    return None


def _stage(on_stage: OnStage, stage: JobStage) -> Callable[[int, int], None]:
    return lambda done, total: on_stage(stage, done, total)
