"""What is asked of the models on disk and what comes of it. Knows nothing of how it is done.

`LibraryFailed` answers a command of this file that was refused or failed; nothing is lost then.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.spec import ModelSpec

Quality = Literal["smallest", "balanced", "faithful"]
StorageKind = Literal["model", "partial", "download", "trash", "leftover", "cache", "chats", "other"]


@dataclass(frozen=True, slots=True)
class RenameModel:
    """Call a model otherwise, in any script. Its id, by which chats know it, stays. `ModelRenamed` answers."""

    model_id: str
    name: str


@dataclass(frozen=True, slots=True)
class DeleteModel:
    """Put a model into the trash, from which `RestoreModel` takes it back, or with `is_final` off the disk at once.

    `ModelDeleted` answers. A model that is loaded is refused: unload it first.
    """

    model_id: str
    is_final: bool = False


@dataclass(frozen=True, slots=True)
class RestoreModel:
    """Take a model back out of the trash. `ModelRestored` answers."""

    trash_id: str


@dataclass(frozen=True, slots=True)
class EmptyTrash:
    """Delete for good what is in the trash, all of it if no `trash_ids` are named. `SpaceFreed` answers.

    What has lain there for `store.trash.KEPT_DAYS` goes by itself when the engine starts.
    """

    trash_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AskStorage:
    """Ask where each byte is. `StorageReport` answers."""


@dataclass(frozen=True, slots=True)
class CleanUp:
    """Remove what `StorageReport` lists as removable: abandoned downloads, unfinished conversions, remains, caches.

    `paths` are those of its items; none takes all that is removable but caches, which would only be made again. What is
    in use meanwhile is left alone. `SpaceFreed` answers.
    """

    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DiscoverModels:
    """Look for GGUF files that other programs have on this machine, and in `folders`. `ModelsDiscovered` answers.

    Nothing is copied or changed; a `ConvertJob` of the path takes one over.
    """

    folders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class InspectSource:
    """Tell what a file or folder of this machine would become, before a `ConvertJob` of it. `SourceFacts` answers."""

    path: str


@dataclass(frozen=True, slots=True)
class ModelRenamed:
    model_id: str
    name: str


@dataclass(frozen=True, slots=True)
class ModelDeleted:
    """`trash_id` None: it is off the disk. Else it still takes its room, until the trash is emptied."""

    model_id: str
    name: str
    size_bytes: int
    trash_id: str | None


@dataclass(frozen=True, slots=True)
class ModelRestored:
    model_id: str
    name: str


@dataclass(frozen=True, slots=True)
class SpaceFreed:
    """So many items were removed, and so many bytes are free again."""

    num_items: int
    freed_bytes: int


@dataclass(frozen=True, slots=True)
class StorageItem:
    """A file or folder and what it takes. Every byte of the data folder and of the model folders is in one item.

    `name` is for reading. `model_id` names the model of a `model` and of what is in the `trash`, `trash_id` what
    `RestoreModel` takes. `is_removable` items can be cleaned up; an item `is_in_use` while a job works on it.
    `changed_at` is in seconds since 1970, for the trash the time of the deletion.
    """

    kind: StorageKind
    name: str
    path: str
    size_bytes: int
    changed_at: float
    model_id: str | None = None
    trash_id: str | None = None
    is_removable: bool = False
    is_in_use: bool = False


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A folder in which models are looked for, the data folder's first. `free_bytes` None: it is not there now."""

    path: str
    free_bytes: int | None


@dataclass(frozen=True, slots=True)
class StorageReport:
    """Where each byte is: items by kind, the largest first in each."""

    items: tuple[StorageItem, ...]
    folders: tuple[ModelFolder, ...]

    def total_bytes(self, kind: StorageKind | None = None) -> int:
        """Of a kind, or of all."""
        return sum(item.size_bytes for item in self.items if kind in (None, item.kind))


@dataclass(frozen=True, slots=True)
class DiscoveredModel:
    """A GGUF file of another program, or the first of those that it is split into."""

    program: str
    name: str
    path: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class ModelsDiscovered:
    models: tuple[DiscoveredModel, ...]


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """A model that can be converted. `weights_bytes` has what its weights would take on disk in each quality.

    The quality None is the file's own codes, as far as they can be taken over. `name` is what it would be called.
    """

    path: str
    name: str
    spec: ModelSpec
    weights_bytes: tuple[tuple[Quality | None, int], ...]


LibraryCommand = (
    RenameModel | DeleteModel | RestoreModel | EmptyTrash | AskStorage | CleanUp | DiscoverModels | InspectSource
)


@dataclass(frozen=True, slots=True)
class LibraryFailed:
    """`command` came to nothing; `code` is an error's, `message` says why and what to do."""

    command: LibraryCommand
    code: str
    message: str


LibraryEvent = (
    ModelRenamed
    | ModelDeleted
    | ModelRestored
    | SpaceFreed
    | StorageReport
    | ModelsDiscovered
    | SourceFacts
    | LibraryFailed
)
