"""Where each byte is: every file of the data folder, and of what is the program's own in other folders of models.

Reads manifests and sizes only; knows nothing of who asks.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path

from engine.errors import BusyError, StorageError
from engine.messages import ModelFolder, StorageItem, StorageKind, StorageReport
from engine.store.damaged import DamagedModel
from engine.store.files import free_space
from engine.store.folders import MOVING_PREFIX, REMOVED_PREFIX, TRASH_FOLDER, remove_whole
from engine.store.layout import PARTIAL_SUFFIX
from engine.store.library import Library, ModelEntry
from engine.store.lock import exclusive, is_held
from engine.store.names import is_model_id
from engine.store.prepared_file import LOCK_FILE, PREPARED_FILE
from engine.store.trash import Trash, TrashedModel

DOWNLOADS_FOLDER = "downloads"
MODELS_FOLDER = "models"
CACHE_FOLDER = "cache"
LOCKS_FOLDER = "locks"
HUB_PREFIX = "hub-"
"""Of the folders of downloads from the hub; the others are named after the catalogue."""
_CHATS_PREFIX = "chats"
_KINDS: tuple[StorageKind, ...] = ("model", "partial", "download", "trash", "leftover", "cache", "chats", "other")
_BLOCK_BYTES = 512
"""The unit of `st_blocks`, whatever the disk's own."""


@dataclass(frozen=True, slots=True)
class _Thing:
    """A path below one of the folders, what it is, and the lock that whoever works on it holds."""

    kind: StorageKind
    path: Path
    name: str
    lock: Path | None = None
    model: ModelEntry | DamagedModel | None = None
    trashed: TrashedModel | None = None

    @property
    def is_removable(self) -> bool:
        return self.kind in ("partial", "download", "leftover", "cache")


class Usage:
    """The data folder `home` and the folders of its models."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._locks = home / LOCKS_FOLDER
        self._library = Library(home / MODELS_FOLDER)

    def report(self) -> StorageReport:
        """Raises `StorageError`, `CheckpointError` if a folder cannot be read."""
        folders = self._library.folders()
        items = [_item(thing, folders) for thing in self._things()]
        items.sort(key=lambda item: (_KINDS.index(item.kind), -item.size_bytes, item.path))
        return StorageReport(tuple(items), tuple(map(_model_folder, folders)))

    def clean_up(self, paths: tuple[str, ...] = ()) -> tuple[int, int]:
        """Remove removable things, those at `paths`, or all but caches; returns how many, and their bytes.

        What is in use when its turn comes stays. Raises `StorageError`.
        """
        num_items = freed_bytes = 0
        for thing in list(self._things()):
            is_meant = str(thing.path) in paths if paths else thing.kind != "cache"
            if not thing.is_removable or not is_meant:
                continue
            with suppress(BusyError), exclusive(thing.lock, "in use") if thing.lock is not None else nullcontext():
                size_bytes, _ = _measure(thing, self._library.folders())
                remove_whole(thing.path)
                num_items, freed_bytes = num_items + 1, freed_bytes + size_bytes
        return num_items, freed_bytes

    def _things(self) -> Iterator[_Thing]:
        models: dict[Path, ModelEntry | DamagedModel] = {entry.path: entry for entry in self._library.list()}
        models |= {model.path: model for model in self._library.damaged()}
        folders = self._library.folders()
        for folder in folders:
            yield from self._of_models(folder, models)
        for path in _children(self._home):
            if path.name == DOWNLOADS_FOLDER:
                yield from self._of_downloads(path)
            elif path.name == CACHE_FOLDER:
                yield from (_Thing("cache", child, child.name) for child in _children(path))
            elif path not in folders:
                yield _Thing("chats" if path.name.startswith(_CHATS_PREFIX) else "other", path, path.name)

    def _of_models(self, folder: Path, models: dict[Path, ModelEntry | DamagedModel]) -> Iterator[_Thing]:
        is_own = self._home in folder.parents
        for path in _children(folder):
            name = path.name
            if path in models:
                yield from _of_model(models[path])
            elif name == TRASH_FOLDER:
                yield from _of_trash(Trash(folder))
            elif name.endswith(PARTIAL_SUFFIX) and is_model_id(name.removesuffix(PARTIAL_SUFFIX)):
                yield _Thing("partial", path, name, self._model_lock(name.removesuffix(PARTIAL_SUFFIX)))
            elif name.startswith((MOVING_PREFIX, REMOVED_PREFIX)):
                # What is being removed has no name of its own any more, so nobody else works on it.
                moved = name.removeprefix(MOVING_PREFIX)
                yield _Thing("leftover", path, name, self._model_lock(moved) if moved != name else None)
            elif is_own:
                yield _Thing("other", path, name)

    def _of_downloads(self, folder: Path) -> Iterator[_Thing]:
        for path in _children(folder):
            lock = path.name if path.name.startswith(HUB_PREFIX) else f"fetch-{path.name}"
            yield _Thing("download", path, path.name, self._locks / f"{lock}.lock")

    def _model_lock(self, model_id: str) -> Path:
        return self._locks / f"{model_id}.lock"


def _of_model(entry: ModelEntry | DamagedModel) -> Iterator[_Thing]:
    """The model, and apart from it what loading can make again."""
    yield _Thing("model", entry.path, entry.name, model=entry)
    prepared = entry.path / PREPARED_FILE
    if prepared.exists():
        yield _Thing(
            "cache", prepared, f"{entry.name}, prepared for this machine", prepared.with_name(LOCK_FILE), entry
        )


def _of_trash(trash: Trash) -> Iterator[_Thing]:
    trashed = {model.folder: model for model in trash.models()}
    for path in _children(trash.folder):
        if path in trashed:
            yield _Thing("trash", path, trashed[path].name, trashed=trashed[path])
        else:
            yield _Thing("leftover", path, path.name)


def _item(thing: _Thing, folders: list[Path]) -> StorageItem:
    size_bytes, changed_at = _measure(thing, folders)
    is_in_use = thing.lock is not None and is_held(thing.lock)
    model, trashed = thing.model, thing.trashed
    return StorageItem(
        kind=thing.kind,
        name=thing.name,
        path=str(thing.path),
        size_bytes=size_bytes,
        changed_at=changed_at if trashed is None else trashed.deleted_at,
        model_id=model.model_id if model is not None else None if trashed is None else trashed.model_id,
        trash_id=None if trashed is None else trashed.trash_id,
        is_removable=thing.is_removable and not is_in_use,
        is_in_use=is_in_use,
    )


def _measure(thing: _Thing, folders: list[Path]) -> tuple[int, float]:
    """Bytes of all files at and below a path, and the newest change. Folders of models in it count for themselves, and
    so does what a model has prepared.
    """
    size_bytes, changed_at = 0, 0.0
    apart = {folder for folder in folders if folder != thing.path}
    for path in _files(thing.path, apart):
        if thing.kind == "model" and path.name == PREPARED_FILE:
            continue
        with suppress(OSError):
            facts = path.lstat()
            size_bytes += _taken_bytes(facts) if thing.kind == "download" else facts.st_size
            changed_at = max(changed_at, facts.st_mtime)
    return size_bytes, changed_at


def _taken_bytes(facts: os.stat_result) -> int:
    """A file that comes in pieces has gaps, which take no room where the disk can do that."""
    return min(facts.st_size, getattr(facts, "st_blocks", facts.st_size) * _BLOCK_BYTES)


def _files(path: Path, apart: set[Path]) -> Iterator[Path]:
    if path.is_symlink() or not path.is_dir():
        yield path
        return
    for parent, folders, names in os.walk(path):
        folders[:] = [name for name in folders if Path(parent, name) not in apart]
        yield from (Path(parent, name) for name in names)
        # Linked folders are not entered, but the link is a file.
        yield from (Path(parent, name) for name in folders if Path(parent, name).is_symlink())


def _children(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _model_folder(folder: Path) -> ModelFolder:
    try:
        return ModelFolder(str(folder), free_space(folder) if folder.is_dir() else None)
    except StorageError:
        return ModelFolder(str(folder), None)
