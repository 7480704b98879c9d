"""A checkpoint in the making: finished files are recorded, so that a later run goes on where this one stopped.

Knows nothing of where the weights come from.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.store.files import FileRecord, hash_file, replace, storage_errors, write_file
from engine.store.layer_tensors import split_layer
from engine.store.layout import (
    EMBED_FILE,
    EMBEDDING,
    HEAD,
    HEAD_FILE,
    MANIFEST_FILE,
    PARTIAL_SUFFIX,
    layer_file,
)
from engine.store.manifest import Manifest, TensorFormat
from engine.store.tensor_file import write_tensors
from engine.store.verification import verify_files
from engine.weights import HeadWeights, LayerWeights
from kernels.arrays import Array
from kernels.packed_weight import PackedWeight

PROGRESS_FILE = "progress.json"


def partial_folder(target: Path) -> Path:
    """Where the model that will be at `target` is made."""
    return target.with_name(target.name + PARTIAL_SUFFIX)


class PartialCheckpoint:
    """`<model id>.partial` beside the finished models. Its writer holds the model's lock.

    `identity` is what the content depends on (source and options): a folder of another identity is started afresh.
    """

    def __init__(self, target: Path, identity: Mapping[str, Any]) -> None:
        self.target = target
        self.folder = partial_folder(target)
        self._identity = dict(identity)
        self.files: dict[str, FileRecord] = {}
        self.formats: dict[str, TensorFormat] = {}
        """How the matrices are packed, by the names that the manifest lists them under."""

    def begin(self, is_cancelled: Callable[[], bool] | None = None) -> None:
        """Take over the finished files of an earlier run after reading them back, or remove what is of no use.

        The folder is made with its first file. Raises `StorageError`, `JobCancelledError`.
        """
        with storage_errors(self.folder):
            recorded = self._read_progress()
            if recorded is None:
                self.discard()
                return
            files, self.formats = recorded
            for name, record in files.items():
                with suppress(FileNotFoundError):
                    if hash_file(self.folder / name, is_cancelled=is_cancelled) == record:
                        self.files[name] = record

    @property
    def finished_bytes(self) -> int:
        return sum(record.size_bytes for record in self.files.values())

    def has(self, file_name: str) -> bool:
        return file_name in self.files

    def write_text(self, file_name: str, text: str) -> None:
        self._record(file_name, write_file(self.folder / file_name, [text.encode()]))

    def note_formats(self, formats: Mapping[str, TensorFormat]) -> None:
        """Remember how matrices are packed; kept with the file of theirs that is written next."""
        self.formats |= formats

    def write_embedding(self, table: PackedWeight) -> None:
        self._write(EMBED_FILE, _parts(EMBEDDING, table))

    def write_layer(self, index: int, layer: LayerWeights[PackedWeight]) -> None:
        matrices, tensors = split_layer(layer)
        for name, matrix in matrices.items():
            tensors |= _parts(name, matrix)
        self._write(layer_file(index), tensors)

    def write_head(self, head: HeadWeights[PackedWeight]) -> None:
        matrix = {} if head.matrix is None else _parts(HEAD, head.matrix)
        bias = {} if head.norm_bias is None else {"norm_bias": head.norm_bias}
        self._write(HEAD_FILE, {"norm": head.norm, **bias, **matrix})

    def finish(
        self,
        manifest: Manifest,
        on_progress: Callable[[int, int], None] | None = None,
        is_cancelled: Callable[[], bool] | None = None,
    ) -> None:
        """Write the manifest, read every file back, then rename: from here on the model is listed.

        Raises `StorageError`, `CheckpointError` if a file reads back differently, `JobCancelledError`.
        """
        write_file(self.folder / MANIFEST_FILE, [manifest.to_text().encode()])
        verify_files(self.folder, manifest.files, on_progress, is_cancelled)
        with storage_errors(self.target):
            replace(self.folder, self.target)
        # Only now, so that a rename that failed can be resumed; left in the model it would do no harm.
        with suppress(OSError):
            (self.target / PROGRESS_FILE).unlink()

    def discard(self) -> None:
        """Remove the folder and all that is in it. Raises OSError."""
        with suppress(FileNotFoundError):
            shutil.rmtree(self.folder)
        self.files.clear()
        self.formats.clear()

    def _write(self, file_name: str, tensors: Mapping[str, Array]) -> None:
        self._record(file_name, write_tensors(self.folder / file_name, tensors))

    def _record(self, file_name: str, record: FileRecord) -> None:
        self.files[file_name] = record
        self._write_progress()

    def _write_progress(self) -> None:
        files = {name: asdict(record) for name, record in self.files.items()}
        formats = {name: asdict(form) for name, form in self.formats.items()}
        text = json.dumps({"identity": self._identity, "files": files, "formats": formats})
        # An empty file after a power failure only means that the work starts afresh.
        write_file(self.folder / PROGRESS_FILE, [text.encode()], is_durable=False)

    def _read_progress(self) -> tuple[dict[str, FileRecord], dict[str, TensorFormat]] | None:
        """The finished files of an earlier run and their matrices' formats, None if there is none of this identity."""
        try:
            data = json.loads((self.folder / PROGRESS_FILE).read_text(encoding="utf-8"))
            if data["identity"] != self._identity:
                return None
            files = {name: FileRecord(**fields) for name, fields in data["files"].items()}
            return files, {name: TensorFormat(**fields) for name, fields in data["formats"].items()}
        except (FileNotFoundError, NotADirectoryError, KeyError, TypeError, ValueError, AttributeError):
            return None


def _parts(name: str, weight: PackedWeight) -> dict[str, Array]:
    parts = {f"{name}.codes": weight.codes, f"{name}.scale": weight.scale}
    if weight.minimum is not None:
        parts[f"{name}.minimum"] = weight.minimum
    return parts
