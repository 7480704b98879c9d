"""One model on disk, opened for reading: weights are mapped into memory, one layer at a time.

Knows nothing of how the model is run or made.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from engine.errors import CheckpointError
from engine.store.layer_tensors import assemble_layer
from engine.store.layout import (
    EMBED_FILE,
    EMBEDDING,
    HEAD,
    HEAD_FILE,
    TEMPLATE_FILE,
    TOKENIZER_FILE,
    head_vectors,
    layer_file,
    layer_matrices,
    layer_tensor,
    layer_vectors,
    matrix_shapes,
)
from engine.store.manifest import Manifest, TensorFormat, check_files, read_manifest
from engine.store.prepared_file import PREPARED_FILE, remove_damaged
from engine.store.tensor_file import map_tensors, read_rows
from engine.store.tensor_table import TensorFileError
from engine.store.verification import verify_files
from engine.weights import HeadWeights, LayerWeights
from kernels.arrays import Array, dtype_name
from kernels.packed_weight import FormatError, PackedWeight

_log = logging.getLogger(__name__)


class Checkpoint:
    """A finished model. Arrays are views of the mapped files: they cost memory when they are touched."""

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path = path
        self.manifest = manifest

    @classmethod
    def open(cls, path: Path) -> Checkpoint:
        """Raises `CheckpointError` if a file is missing or has another size; `verify` reads the content too."""
        manifest = read_manifest(path)
        check_files(path, manifest)
        return cls(path, manifest)

    @property
    def tokenizer_path(self) -> Path:
        return self.path / TOKENIZER_FILE

    @property
    def chat_template(self) -> str | None:
        """The Jinja text, None where the model has none. Raises `CheckpointError`."""
        if TEMPLATE_FILE not in self.manifest.files:
            return None
        try:
            return (self.path / TEMPLATE_FILE).read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            raise CheckpointError(
                f"Cannot read {self.path / TEMPLATE_FILE} ({error}): convert the model again"
            ) from error

    def read_embedding(self) -> PackedWeight:
        return self._matrix(self._tensors(EMBED_FILE), EMBED_FILE, EMBEDDING, EMBEDDING)

    def read_layer(self, index: int) -> LayerWeights[PackedWeight]:
        file_name, spec = layer_file(index), self.manifest.spec
        tensors = self._tensors(file_name)
        matrices = {
            name: self._matrix(tensors, file_name, name, layer_tensor(index, name))
            for name in layer_matrices(spec, index)
        }
        vectors = {
            name: self._vector(tensors, file_name, name, shape) for name, shape in layer_vectors(spec, index).items()
        }
        return assemble_layer(spec, index, matrices, vectors)

    def read_matrix(self, index: int, kind: str) -> PackedWeight:
        """One of a layer's matrices, by its name in `layer_matrices`: that of experts or heads as the file has it."""
        file_name = layer_file(index)
        return self._matrix(self._tensors(file_name), file_name, kind, layer_tensor(index, kind))

    def read_head(self) -> HeadWeights[PackedWeight]:
        tensors = self._tensors(HEAD_FILE)
        spec = self.manifest.spec
        vectors = {name: self._vector(tensors, HEAD_FILE, name, shape) for name, shape in head_vectors(spec).items()}
        matrix = None if spec.is_tied else self._matrix(tensors, HEAD_FILE, HEAD, HEAD)
        return HeadWeights(vectors["norm"], matrix, vectors.get("norm_bias"))

    def read_head_rows(self, start: int, stop: int) -> PackedWeight:
        """Rows of what makes logits, copied: going through all of them costs no memory for those that went before."""
        file_name, name = (EMBED_FILE, EMBEDDING) if self.manifest.spec.is_tied else (HEAD_FILE, HEAD)
        form = self.manifest.quantization[name]
        path = self.path / file_name
        try:
            parts = ("codes", "scale", *(("minimum",) if form.has_minimum else ()))
            codes, scale, *minima = read_rows(path, tuple(f"{name}.{part}" for part in parts), start, stop)
            return PackedWeight(codes, scale, minima[0] if minima else None, form.bits, form.group_size)
        except (OSError, TensorFileError, FormatError) as error:
            raise CheckpointError(f"Cannot read {path} ({error}): convert the model again") from error

    def verify(
        self,
        on_progress: Callable[[int, int], None] | None = None,
        is_cancelled: Callable[[], bool] | None = None,
    ) -> None:
        """Hash every file against the manifest; `on_progress(bytes done, bytes in all)`.

        A file of prepared matrices that is damaged is removed, since loading makes it again. Raises what `verify_files`
        raises, and `StorageError`.
        """
        verify_files(self.path, self.manifest.files, on_progress, is_cancelled)
        if remove_damaged(self.path):
            _log.warning("%s was damaged and is removed: it is made again with the next load", PREPARED_FILE)

    def _tensors(self, file_name: str) -> dict[str, NDArray[Any]]:
        path = self.path / file_name
        try:
            return map_tensors(path)
        except (OSError, ValueError) as error:
            raise CheckpointError(f"Cannot read {path} ({error}): convert the model again") from error

    def _vector(self, tensors: dict[str, NDArray[Any]], file_name: str, name: str, shape: tuple[int, ...]) -> Array:
        tensor = self._tensor(tensors, file_name, name)
        if tuple(tensor.shape) != shape:
            raise self._wrong_shape(file_name, name, tuple(tensor.shape), shape)
        if dtype_name(tensor) != "float32":
            raise CheckpointError(f"{self.path / file_name}: {name} is {dtype_name(tensor)}, must be float32")
        return tensor

    def _matrix(self, tensors: dict[str, NDArray[Any]], file_name: str, name: str, listed_as: str) -> PackedWeight:
        form: TensorFormat = self.manifest.quantization[listed_as]
        codes, scale = (self._tensor(tensors, file_name, f"{name}.{part}") for part in ("codes", "scale"))
        minimum = self._tensor(tensors, file_name, f"{name}.minimum") if form.has_minimum else None
        try:
            weight = PackedWeight(codes, scale, minimum, form.bits, form.group_size)
        except FormatError as error:
            raise CheckpointError(f"{self.path / file_name}: {name}: {error}: convert the model again") from error
        wanted = matrix_shapes(self.manifest.spec)[name]
        if (weight.num_rows, weight.num_columns) != wanted:
            raise self._wrong_shape(file_name, name, (weight.num_rows, weight.num_columns), wanted)
        return weight

    def _tensor(self, tensors: dict[str, NDArray[Any]], file_name: str, name: str) -> Array:
        if name not in tensors:
            raise CheckpointError(f"{self.path / file_name} lacks {name}: convert the model again")
        return tensors[name]

    def _wrong_shape(
        self, file_name: str, name: str, shape: tuple[int, ...], wanted: tuple[int, ...]
    ) -> CheckpointError:
        return CheckpointError(f"{self.path / file_name}: {name} is {shape}, must be {wanted}: convert the model again")
