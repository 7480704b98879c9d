"""Models that were deleted and can be taken back: a folder beside the models, on the same disk.

So deleting and taking back are one rename each, cut off or not. Knows nothing of commands and of other folders.
"""

from __future__ import annotations

import logging
import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from engine.errors import CheckpointError, InvalidRequestError, ModelNotFoundError, StorageError
from engine.store.damaged import folder_bytes
from engine.store.files import replace, storage_errors
from engine.store.folders import TRASH_FOLDER, remove_whole
from engine.store.manifest import read_manifest
from engine.store.names import is_model_id

KEPT_DAYS = 30
"""After so long a model in the trash is deleted for good."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TrashedModel:
    """`deleted_at` is in seconds since 1970. `folder` is its place in the trash, the model lies below it."""

    trash_id: str
    model_id: str
    name: str
    folder: Path
    size_bytes: int
    deleted_at: float

    @property
    def path(self) -> Path:
        return self.folder / self.model_id


class Trash:
    """The trash of one folder of models."""

    def __init__(self, models_folder: Path) -> None:
        self._models_folder = models_folder
        self.folder = models_folder / TRASH_FOLDER

    def put(self, model: Path, name: str, size_bytes: int, now: float | None = None) -> TrashedModel:
        """Throw away a model of this folder. Raises `StorageError`, for one whose files are held open too."""
        stamp = int(time.time() if now is None else now)
        with storage_errors(model):
            self.folder.mkdir(exist_ok=True)
            number = 0
            while True:
                trash_id = f"{stamp}-{number}-{model.name}"
                # A model that is thrown away twice within a second has two places.
                with suppress(FileExistsError):
                    (self.folder / trash_id).mkdir()
                    break
                number += 1
            replace(model, self.folder / trash_id / model.name)
        return TrashedModel(trash_id, model.name, name, self.folder / trash_id, size_bytes, float(stamp))

    def models(self) -> list[TrashedModel]:
        """The last that was thrown away first, damaged ones too."""
        found = [self._read(folder) for folder in self._folders()]
        return sorted((model for model in found if model is not None), key=lambda model: -model.deleted_at)

    def restore(self, trashed: TrashedModel) -> None:
        """Put a model back to where it was. Raises `InvalidRequestError` if another has its place, `StorageError`."""
        target = self._models_folder / trashed.model_id
        if os.path.lexists(target):
            raise InvalidRequestError(f"There is a model {trashed.model_id} again: delete or move that one first")
        with storage_errors(target):
            replace(trashed.path, target)
            with suppress(OSError):
                trashed.folder.rmdir()

    def expire(self, now: float) -> int:
        """Delete for good what has lain here for `KEPT_DAYS`; returns how many. What cannot be, stays."""
        old = [model for model in self.models() if now - model.deleted_at > KEPT_DAYS * 86400]
        num_removed = 0
        for model in old:
            try:
                remove_whole(model.folder)
            except StorageError as error:
                _log.warning("stays in the trash: %s", error)
            else:
                num_removed += 1
        return num_removed

    def _folders(self) -> list[Path]:
        try:
            return [folder for folder in self.folder.iterdir() if _stamp(folder.name) is not None]
        except OSError:
            return []

    def _read(self, folder: Path) -> TrashedModel | None:
        stamp = _stamp(folder.name)
        if stamp is None:
            return None
        deleted_at, model_id = stamp
        try:
            name = read_manifest(folder / model_id).name
        except CheckpointError as error:
            if not (folder / model_id).is_dir():
                _log.info("not in the trash: %s", error)
                return None
            name = model_id
        return TrashedModel(folder.name, model_id, name, folder, folder_bytes(folder / model_id), deleted_at)


def find_trashed(trashes: list[Trash], trash_id: str) -> tuple[Trash, TrashedModel]:
    """Raises `ModelNotFoundError` unless one of the trashes has it."""
    for trash in trashes:
        for model in trash.models():
            if model.trash_id == trash_id:
                return trash, model
    raise ModelNotFoundError(f"There is no {trash_id!r} in the trash: `python -m engine trash` lists what is")


def _stamp(name: str) -> tuple[float, str] | None:
    """The time and the model's id of `1700000000-0-some-model`."""
    seconds, _, rest = name.partition("-")
    number, _, model_id = rest.partition("-")
    if not (seconds.isascii() and seconds.isdigit() and number.isascii() and number.isdigit()):
        return None
    return (float(seconds), model_id) if is_model_id(model_id) else None
