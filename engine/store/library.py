"""The models on this machine: which are complete, and where. Reads manifests only, without torch.

Knows nothing of how models are made or run.
"""

from __future__ import annotations

import logging
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from engine import catalog
from engine.errors import CheckpointError, ModelNotFoundError
from engine.spec import ModelSpec
from engine.store.files import replace, storage_errors
from engine.store.layout import num_parameters
from engine.store.manifest import Fidelity, Manifest, check_files, read_manifest
from engine.store.names import is_model_id
from engine.store.prepared_file import prepared_bytes

_log = logging.getLogger(__name__)

_REMOVED_PREFIX = ".removed-"
"""No model's id begins so."""


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """A model that can be loaded. `source` is the name of the file it was converted from."""

    model_id: str
    name: str
    path: Path
    spec: ModelSpec
    size_bytes: int
    license: str | None
    source: str
    fidelity: Fidelity | None = None
    prepared_bytes: int = 0
    """Of the file that keeps the matrices as the kernels read them, made when the model is first loaded."""

    @property
    def disk_bytes(self) -> int:
        """All that goes with the model when it is removed."""
        return self.size_bytes + self.prepared_bytes

    @property
    def num_parameters(self) -> int:
        """The numbers of the decoder; a table that is both embedding and head counts once."""
        return num_parameters(self.spec)


class Library:
    """The folder of models. Partial, damaged and foreign folders are not listed."""

    def __init__(self, models_dir: Path) -> None:
        self._models_dir = models_dir

    def list(self) -> list[ModelEntry]:
        """Complete models, by id."""
        try:
            folders = sorted(path for path in self._models_dir.iterdir() if is_model_id(path.name) and path.is_dir())
        except FileNotFoundError:
            return []
        except OSError as error:
            raise CheckpointError(f"Cannot list {self._models_dir}: {error.strerror}") from error
        entries = []
        for folder in folders:
            try:
                manifest = read_manifest(folder)
                check_files(folder, manifest)
                entries.append(_entry(folder, manifest))
            except CheckpointError as error:
                _log.warning("not listed: %s", error)
        return entries

    def find(self, name: str) -> ModelEntry:
        """A model by its id, its id in the catalogue, or a name that only one has. Raises `ModelNotFoundError`."""
        entry = catalog.find(name)
        listed = {model.model_id: model for model in self.list()}
        for model_id in (name, None if entry is None else entry.model_id):
            if model_id in listed:
                return listed[model_id]
        of_name = [model for model in listed.values() if model.name.casefold() == name.casefold()]
        if len(of_name) == 1:
            return of_name[0]
        have = ", ".join(listed) or "none yet"
        get = f"python -m engine fetch {name if entry is not None else 'starter'}"
        if entry is not None:
            raise ModelNotFoundError(f"{entry.name} is not here yet (models: {have}): get it with `{get}`")
        raise ModelNotFoundError(
            f"There is no model {name!r} (models: {have}): use one of these, or get one with `{get}`"
        )

    def remove(self, name: str) -> ModelEntry:
        """Delete a model from the disk. Raises `ModelNotFoundError`, or `StorageError` if a file is held or protected.

        The folder is renamed first, so that a deletion that is cut off leaves nothing that is listed.
        """
        entry = self.find(name)
        doomed = entry.path.with_name(f"{_REMOVED_PREFIX}{entry.path.name}")
        with storage_errors(entry.path):
            if doomed.exists():
                shutil.rmtree(doomed)
            replace(entry.path, doomed)
            shutil.rmtree(doomed)
        return entry

    def manifest(self, model_id: str) -> Manifest | None:
        """What `read_manifest` says of a model whose files are not looked at, None if there is no folder."""
        folder = self.folder(model_id)
        return read_manifest(folder) if os.path.lexists(folder) else None

    def folder(self, model_id: str) -> Path:
        assert is_model_id(model_id), model_id
        return self._models_dir / model_id


def _entry(folder: Path, manifest: Manifest) -> ModelEntry:
    return ModelEntry(
        manifest.model_id,
        manifest.name,
        folder,
        manifest.spec,
        manifest.size_bytes,
        manifest.license,
        manifest.source.file_name,
        manifest.fidelity,
        prepared_bytes(folder),
    )
