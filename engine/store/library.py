"""The models on this machine: which are complete, and where. Reads manifests only, without torch.

Knows nothing of how models are made or run.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from engine import catalog
from engine.errors import CheckpointError, InvalidRequestError, ModelNotFoundError
from engine.spec import ModelSpec
from engine.store.damaged import DamagedModel, damaged_model
from engine.store.files import write_file
from engine.store.folders import forget_empty_folders, model_folders
from engine.store.formats import ConversionSummary, summarize_conversion
from engine.store.layout import MANIFEST_FILE, num_parameters
from engine.store.manifest import Fidelity, Manifest, check_files, read_manifest
from engine.store.names import is_model_id
from engine.store.prepared_file import prepared_bytes

MAX_NAME_LENGTH = 120

_log = logging.getLogger(__name__)


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
    conversion: ConversionSummary | None = None

    @property
    def disk_bytes(self) -> int:
        """All that goes with the model when it is removed."""
        return self.size_bytes + self.prepared_bytes

    @property
    def num_parameters(self) -> int:
        """The numbers of the decoder; a table that is both embedding and head counts once."""
        return num_parameters(self.spec)


class Library:
    """The folders of models: `models_dir`, and those that its folders.json names. A model counts once, by its id, in
    the first of them that has it whole. Partial and foreign folders are not listed, damaged models for themselves.
    """

    def __init__(self, models_dir: Path) -> None:
        self.models_dir = models_dir

    def folders(self) -> list[Path]:
        return model_folders(self.models_dir)

    def list(self) -> list[ModelEntry]:
        """Complete models, by id."""
        return [*self._read()[0]]

    def damaged(self) -> Sequence[DamagedModel]:
        """Models that cannot be loaded, and that are whole nowhere else, by id."""
        return self._read()[1]

    def _read(self) -> tuple[Sequence[ModelEntry], Sequence[DamagedModel]]:
        whole: dict[str, ModelEntry] = {}
        damaged: dict[str, DamagedModel] = {}
        for place in self.folders():
            for model in self._read_folder(place):
                if isinstance(model, DamagedModel):
                    damaged.setdefault(model.model_id, model)
                    continue
                if model.model_id in whole:
                    _log.info("not listed: %s, as %s is", model.path, whole[model.model_id].path)
                whole.setdefault(model.model_id, model)
        return (
            [whole[model_id] for model_id in sorted(whole)],
            [damaged[model_id] for model_id in sorted(damaged) if model_id not in whole],
        )

    def _read_folder(self, place: Path) -> Iterator[ModelEntry | DamagedModel]:
        try:
            folders = [path for path in place.iterdir() if is_model_id(path.name) and path.is_dir()]
        except FileNotFoundError:
            return
        except OSError as error:
            if place == self.models_dir:
                raise CheckpointError(f"Cannot list {place}: {error.strerror}") from error
            _log.warning("cannot list %s: %s", place, error.strerror)
            return
        for folder in folders:
            name = None
            try:
                manifest = read_manifest(folder)
                name = manifest.name
                check_files(folder, manifest)
                yield _entry(folder, manifest)
            except CheckpointError as error:
                _log.info("not listed as a model: %s", error)
                damaged = damaged_model(folder, name, error)
                if damaged is not None:
                    yield damaged

    def find(self, name: str) -> ModelEntry:
        """A model by its id, its id in the catalogue, or a name that only one has.

        Raises `ModelNotFoundError`, `CheckpointError` for one that is damaged.
        """
        entry = catalog.find(name)
        whole, damaged = self._read()
        listed = {model.model_id: model for model in whole}
        for model_id in (name, None if entry is None else entry.model_id):
            if model_id in listed:
                return listed[model_id]
            for model in damaged:
                if model.model_id == model_id:
                    raise CheckpointError(model.problem)
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

    def rename(self, name: str, new_name: str) -> ModelEntry:
        """Call a model otherwise; its id stays. Raises `ModelNotFoundError`, `InvalidRequestError`, `StorageError`."""
        entry, new_name = self.find(name), new_name.strip()
        if not new_name or len(new_name) > MAX_NAME_LENGTH or not new_name.isprintable():
            raise InvalidRequestError(f"A model's name has 1 to {MAX_NAME_LENGTH} characters and no line breaks")
        for other in self.list():
            if other.model_id != entry.model_id and new_name.casefold() in (other.name.casefold(), other.model_id):
                raise InvalidRequestError(f"{other.model_id} is called {new_name} already: choose another name")
        manifest = replace(read_manifest(entry.path), name=new_name)
        write_file(entry.path / MANIFEST_FILE, [manifest.to_text().encode()])
        return replace(entry, name=new_name)

    def forget_empty_folders(self) -> None:
        """Look no more into folders whose last model has gone. Raises `StorageError`, `CheckpointError`."""
        whole, damaged = self._read()
        used = {model.path.parent for model in whole} | {model.path.parent for model in damaged}
        forget_empty_folders(self.models_dir, used)

    def manifest(self, model_id: str) -> Manifest | None:
        """What `read_manifest` says of a model whose files are not looked at, None if there is no folder."""
        folder = self.folder(model_id)
        return read_manifest(folder) if os.path.lexists(folder) else None

    def folder(self, model_id: str) -> Path:
        """Where the model of this id is, or will be."""
        assert is_model_id(model_id), model_id
        places = [place / model_id for place in self.folders()]
        return next((place for place in places if os.path.lexists(place)), places[0])


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
        summarize_conversion(manifest),
    )
