"""What is asked of the models on disk, done here and now: renamed, thrown away, taken back, moved, verified, counted.

Whoever changes a model holds its lock meanwhile. Knows nothing of threads, and of which model is loaded.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from engine.errors import CheckpointError, InvalidRequestError, StorageError
from engine.hub.discovery import discover, usual_places
from engine.messages import (
    CleanUp,
    DeleteModel,
    DiscoveredModel,
    DiscoverModels,
    EmptyTrash,
    JobStage,
    ModelDeleted,
    ModelRenamed,
    ModelRestored,
    ModelsDiscovered,
    MoveJob,
    RenameModel,
    RestoreModel,
    SpaceFreed,
    StorageReport,
    VerifyJob,
)
from engine.store.folders import remove_whole
from engine.store.library import Library
from engine.store.lock import exclusive
from engine.store.manifest import read_manifest
from engine.store.moving import move_model
from engine.store.prepared_file import remove_damaged
from engine.store.trash import Trash, find_trashed
from engine.store.usage import LOCKS_FOLDER, MODELS_FOLDER, Usage
from engine.store.verification import verify_files

IsCancelled = Callable[[], bool]
_log = logging.getLogger(__name__)


class OnCount(Protocol):
    """Told of a stage's bytes, done and in all."""

    def __call__(self, stage: JobStage, done: int, total: int) -> None: ...


def rename(home: Path, command: RenameModel) -> ModelRenamed:
    """Raises `EngineError`, as all of these do."""
    library = _library(home)
    with _model_lock(home, library.find(command.model_id).model_id):
        entry = library.rename(command.model_id, command.name)
    return ModelRenamed(entry.model_id, entry.name)


def delete(home: Path, command: DeleteModel) -> ModelDeleted:
    """A damaged model too, by its id."""
    library = _library(home)
    damaged = next((model for model in library.damaged() if model.model_id == command.model_id), None)
    entry = library.find(command.model_id) if damaged is None else damaged
    with _model_lock(home, entry.model_id):
        if command.is_final:
            remove_whole(entry.path)
            _forget_empty_folders(library)
            return ModelDeleted(entry.model_id, entry.name, entry.disk_bytes, None)
        trashed = Trash(entry.path.parent).put(entry.path, entry.name, entry.disk_bytes)
    return ModelDeleted(entry.model_id, entry.name, entry.disk_bytes, trashed.trash_id)


def restore(home: Path, command: RestoreModel) -> ModelRestored:
    library = _library(home)
    trash, trashed = find_trashed(_trashes(library), command.trash_id)
    with _model_lock(home, trashed.model_id):
        if any(entry.model_id == trashed.model_id for entry in library.list()):
            raise InvalidRequestError(f"There is a model {trashed.model_id} again: delete that one first")
        trash.restore(trashed)
    return ModelRestored(trashed.model_id, trashed.name)


def empty_trash(home: Path, command: EmptyTrash) -> SpaceFreed:
    """Of ids that are named, all must be there, or nothing is removed."""
    library = _library(home)
    trashes = _trashes(library)
    if command.trash_ids:
        doomed = [find_trashed(trashes, trash_id)[1] for trash_id in command.trash_ids]
    else:
        doomed = [model for trash in trashes for model in trash.models()]
    for model in doomed:
        remove_whole(model.folder)
    _forget_empty_folders(library)
    return SpaceFreed(len(doomed), sum(model.size_bytes for model in doomed))


def expire_trash(home: Path, now: float) -> int:
    """Delete for good what is in the trash for too long; returns how many. `now` is in seconds since 1970."""
    library = _library(home)
    num_removed = sum(trash.expire(now) for trash in _trashes(library))
    _forget_empty_folders(library)
    return num_removed


def storage(home: Path) -> StorageReport:
    return Usage(home).report()


def clean_up(home: Path, command: CleanUp) -> SpaceFreed:
    return SpaceFreed(*Usage(home).clean_up(command.paths))


def discover_models(command: DiscoverModels) -> ModelsDiscovered:
    places = replace(usual_places(), folders=tuple(Path(folder).expanduser() for folder in command.folders))
    found = (
        DiscoveredModel(model.program, model.name, str(model.path), model.size_bytes) for model in discover(places)
    )
    return ModelsDiscovered(tuple(found))


def move(home: Path, job: MoveJob, on_count: OnCount, is_cancelled: IsCancelled) -> str:
    """Returns the model's id. Whatever is raised, the model is whole in one of the places."""
    library = _library(home)
    entry = library.find(job.model_id)
    with _model_lock(home, entry.model_id):
        move_model(library, entry, Path(job.folder), on_count, is_cancelled)
    _forget_empty_folders(library)
    return entry.model_id


def verify(home: Path, job: VerifyJob, on_count: OnCount, is_cancelled: IsCancelled) -> str:
    """Returns the model's id. Raises `CheckpointError` naming the first file that differs.

    What was prepared of it is removed if it is damaged, since loading makes it again.
    """
    entry = _library(home).find(job.model_id)
    files = read_manifest(entry.path).files
    verify_files(entry.path, files, lambda done, total: on_count("verify", done, total), is_cancelled)
    remove_damaged(entry.path)
    return entry.model_id


def _library(home: Path) -> Library:
    return Library(home / MODELS_FOLDER)


def _forget_empty_folders(library: Library) -> None:
    """What was asked for is done by then: that a folder is looked at in vain does not undo it."""
    try:
        library.forget_empty_folders()
    except (StorageError, CheckpointError) as error:
        _log.warning("empty folders are still looked at: %s", error)


def _trashes(library: Library) -> list[Trash]:
    return [Trash(folder) for folder in library.folders()]


def _model_lock(home: Path, model_id: str) -> AbstractContextManager[None]:
    """Raises `BusyError` at once if the model is being made or moved."""
    busy = f"{model_id} is being worked on by another process or job: wait until it has ended"
    return exclusive(home / LOCKS_FOLDER / f"{model_id}.lock", busy)
