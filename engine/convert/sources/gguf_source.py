"""A GGUF model, one file or several, as a source of layers. Knows nothing of where they go and how they are packed."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

import numpy as np
import numpy.typing as npt
from gguf.quants import dequantize

from engine.convert.assembly import Assembly
from engine.convert.matrix import SourceMatrix
from engine.convert.sources.gguf_container import TensorInfo
from engine.convert.sources.gguf_files import GgufFiles
from engine.convert.sources.gguf_matrix import GgufMatrix, check_readable
from engine.convert.sources.gguf_tokenizer import read_tokenizer
from engine.convert.sources.license import read_license
from engine.convert.sources.tokenizer_files import TokenizerFiles
from engine.errors import SourceError
from engine.models.adapters import adapter_for_gguf, spec_from_gguf
from engine.models.metadata import Metadata
from engine.models.names import gguf_tensor_names
from engine.weights import HeadWeights, LayerWeights
from kernels.arrays import Array

_MAX_FACTORS = 1 << 16
"""One for each two dimensions of a head."""


class GgufSource:
    """An open model, a context manager. Everything but the weights themselves is read and checked on opening.

    `files` are opened at `path` if not given. With `is_outline` they are headers alone, of files that lie elsewhere:
    of norms and biases only the sizes are checked, and no weights may be read. Raises `SourceError`.
    """

    def __init__(self, path: Path, files: GgufFiles | None = None, *, is_outline: bool = False) -> None:
        self._files = GgufFiles(path) if files is None else files
        try:
            metadata = Metadata(path, self._files.metadata)
            tensors = _Outlines(self._files) if is_outline else _Tensors(self._files)
            self.spec = spec_from_gguf(metadata, self._files.tensors, tensors.factors)
            adapter = adapter_for_gguf(metadata.text("general.architecture"))
            assert adapter is not None, self.spec.family
            names = gguf_tensor_names(self.spec, self._files.tensors)
            self._assembly = Assembly(self.spec, names, tensors, is_interleaved=adapter.has_permuted_qk)
            self.embedding()
            self.head()
            for index in range(self.spec.num_layers):
                self.layer(index)
            tensors.require_all_used(self.spec.family)
            self.tokenizer: TokenizerFiles = read_tokenizer(metadata)
            self.license = None if is_outline else read_license(path.parent, self._files.metadata, "general.")
            self._files.forget_metadata()
        except BaseException:
            self._files.__exit__(None, None, None)
            raise

    def __enter__(self) -> GgufSource:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._files.__exit__(kind, error, trace)

    @property
    def paths(self) -> list[Path]:
        """Every file that the model is read from."""
        return self._files.paths

    def embedding(self) -> SourceMatrix:
        return self._assembly.embedding()

    def layer(self, index: int) -> LayerWeights[SourceMatrix]:
        return self._assembly.layer(index)

    def head(self) -> HeadWeights[SourceMatrix]:
        return self._assembly.head()


class _Tensors:
    """The files' tensors by name; remembers which were asked for."""

    def __init__(self, files: GgufFiles) -> None:
        self._files = files
        self._used: set[str] = set()

    def matrix(self, name: str) -> SourceMatrix:
        return GgufMatrix(self._files, self._use(name))

    def vector(self, name: str) -> Array:
        """A tensor, as all that is computed with while a model is converted."""
        import torch

        return torch.from_numpy(self._values(name))

    def _values(self, name: str) -> npt.NDArray[np.float32]:
        tensor = self._use(name)
        with np.errstate(all="ignore"):
            values = dequantize(self._files.read_rows(tensor, 0, tensor.num_rows), tensor.kind)
        vector = np.array(values, np.float32).reshape(-1)
        if not np.isfinite(vector).all():
            raise SourceError(f"{self._files.path}: {name} holds numbers that are not finite: get the file again")
        return vector

    def factors(self, name: str) -> list[float] | None:
        """The content of a tensor of rotary factors, None if the file lacks it."""
        if name not in self._files.tensors:
            return None
        num_factors = self._files.tensors[name].num_rows * self._files.tensors[name].num_columns
        if num_factors > _MAX_FACTORS:
            raise SourceError(f"{self._files.path} is damaged, {name} holds {num_factors} factors: get the file again")
        return [float(factor) for factor in self._values(name)]

    def require_all_used(self, family: str) -> None:
        """Raises `SourceError` naming a tensor that was never asked for."""
        if unknown := sorted(set(self._files.tensors) - self._used):
            raise SourceError(
                f"{self._files.path} has {len(unknown)} tensors that no {family} model uses, such as {unknown[0]}: "
                "choose another model"
            )

    def _use(self, name: str) -> TensorInfo:
        if name not in self._files.tensors:
            raise SourceError(f"{self._files.path} lacks the tensor {name}: get a complete model file")
        tensor = self._files.tensors[name]
        check_readable(name, tensor.kind)
        self._used.add(name)
        return tensor


class _Outlines(_Tensors):
    """Their sizes stand for the vectors; the factors of rotary frequencies, which make the spec, are read. No torch."""

    def vector(self, name: str) -> Array:
        tensor = self._use(name)
        return np.broadcast_to(np.float32(0), tensor.num_rows * tensor.num_columns)
