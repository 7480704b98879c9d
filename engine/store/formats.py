"""What a conversion made of a model's matrices, from the manifest alone: their formats, and how true they are.

Standard library only. Knows nothing of the weights' content, nor of the words in which it is told.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.store.layout import matrix_names
from engine.store.manifest import Manifest, TensorFormat


@dataclass(frozen=True, slots=True)
class FormatGroup:
    """Matrices of one kind and one format. `layers` is empty outside the layers, `ranges` where it is all of them."""

    matrix: str
    layers: tuple[int, ...]
    ranges: str
    """The layers in words, such as "0-2,5"."""
    form: TensorFormat
    """That of all of them but for the error, which is the largest."""

    @property
    def label(self) -> str:
        return f"{self.matrix} in layers {self.ranges}" if self.ranges else self.matrix


@dataclass(frozen=True, slots=True)
class ConversionSummary:
    """How true to its source a model is. `worst` is the matrix with the largest error; None if all are exact."""

    groups: tuple[FormatGroup, ...]
    num_matrices: int
    num_exact: int
    worst: str | None = None
    max_error: float | None = None
    """Relative; None also where it was not measured."""


def summarize_conversion(manifest: Manifest) -> ConversionSummary:
    formats = manifest.quantization
    inexact = {name: form.error for name, form in formats.items() if not form.is_exact}
    worst = max(inexact, key=lambda name: inexact[name] or 0.0, default=None)
    return ConversionSummary(
        tuple(group_formats(manifest)),
        len(formats),
        len(formats) - len(inexact),
        worst,
        None if worst is None else inexact[worst],
    )


def group_formats(manifest: Manifest) -> list[FormatGroup]:
    """Every matrix is in one group: first those outside the layers, then each kind and format of the layers' own."""
    layers: dict[tuple[str, TensorFormat], list[int]] = {}
    errors: dict[tuple[str, TensorFormat], float] = {}
    groups: list[FormatGroup] = []
    for name in matrix_names(manifest.spec):
        form = manifest.quantization[name]
        if name.startswith("layers."):
            _, index, matrix = name.split(".")
            key = (matrix, replace(form, error=None))
            layers.setdefault(key, []).append(int(index))
            if form.error is not None:
                errors[key] = max(form.error, errors.get(key, 0.0))
        else:
            groups.append(FormatGroup(name, (), "", form))
    for (matrix, form), indexes in layers.items():
        ranges = "" if len(indexes) == manifest.spec.num_layers else _ranges(indexes)
        with_error = replace(form, error=errors.get((matrix, form)))
        groups.append(FormatGroup(matrix, tuple(indexes), ranges, with_error))
    return groups


def _ranges(indexes: list[int]) -> str:
    """[0, 1, 2, 5] as "0-2,5"."""
    runs: list[list[int]] = []
    for index in indexes:
        if runs and runs[-1][1] == index - 1:
            runs[-1][1] = index
        else:
            runs.append([index, index])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)
