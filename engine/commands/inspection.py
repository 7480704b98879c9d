"""The facts of one model, from its manifest alone, as data and as text. Knows nothing of the weights' content."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.store.files import mebibytes
from engine.store.layout import matrix_names, matrix_shapes
from engine.store.library import ModelEntry
from engine.store.manifest import Manifest, TensorFormat, read_manifest


@dataclass(frozen=True, slots=True)
class FormatGroup:
    """Matrices of one kind and one format. `label` is for reading; `layers` is empty outside the layers."""

    label: str
    matrix: str
    layers: tuple[int, ...]
    form: TensorFormat


def inspect_model(model: ModelEntry) -> dict[str, Any]:
    """Plain values for JSON. Sizes in bytes; `effective_bits` counts scales and minima in. Raises `CheckpointError`."""
    manifest = read_manifest(model.path)
    sizes = _matrix_sizes(manifest)
    num_weights = sum(rows * columns for rows, columns, _ in sizes)
    weight_bytes = sum(size_bytes for _, _, size_bytes in sizes)
    return {
        "model_id": model.model_id,
        "name": model.name,
        "path": str(model.path),
        "spec": manifest.spec.to_json(),
        "formats": {group.label: _describe(group.form) for group in group_formats(manifest)},
        "num_weights": num_weights,
        "weight_bytes": weight_bytes,
        "effective_bits": round(8 * weight_bytes / num_weights, 3),
        "size_bytes": manifest.size_bytes,
        "kv_bytes_per_token": {str(size): manifest.spec.kv_bytes_per_token(size) for size in (2, 4)},
        "end_token_ids": list(manifest.end_token_ids),
        "bos_token_id": manifest.bos_token_id,
        "adds_bos": manifest.adds_bos,
        "source": {"file_name": manifest.source.file_name, "sha256": manifest.source.sha256},
        "license": manifest.license,
        "weights_digest": manifest.weights_digest,
        "tokenizer_digest": manifest.tokenizer_digest,
    }


def _matrix_sizes(manifest: Manifest) -> list[tuple[int, int, int]]:
    """Rows, columns and bytes of every matrix."""
    shapes = matrix_shapes(manifest.spec)
    sizes = []
    for name in matrix_names(manifest.spec):
        rows, columns = shapes[name.rpartition(".")[2]]
        sizes.append((rows, columns, manifest.quantization[name].size_bytes(rows, columns)))
    return sizes


def group_formats(manifest: Manifest) -> list[FormatGroup]:
    """Every matrix is in one group: first those outside the layers, then each kind and format of the layers' own."""
    layers: dict[tuple[str, TensorFormat], list[int]] = {}
    groups: list[FormatGroup] = []
    for name in matrix_names(manifest.spec):
        form = manifest.quantization[name]
        if name.startswith("layers."):
            _, index, matrix = name.split(".")
            layers.setdefault((matrix, form), []).append(int(index))
        else:
            groups.append(FormatGroup(name, name, (), form))
    for (matrix, form), indexes in layers.items():
        is_all = len(indexes) == manifest.spec.num_layers
        label = matrix if is_all else f"{matrix} in layers {_ranges(indexes)}"
        groups.append(FormatGroup(label, matrix, tuple(indexes), form))
    return groups


def _describe(form: TensorFormat) -> str:
    minimum = " with minimum" if form.has_minimum else ""
    exactly = "exactly " if form.is_exact else ""
    return f"{form.bits} bits{minimum} in groups of {form.group_size}, {exactly}from {form.source}"


def _ranges(indexes: list[int]) -> str:
    """[0, 1, 2, 5] as "0-2,5"."""
    runs: list[list[int]] = []
    for index in indexes:
        if runs and runs[-1][1] == index - 1:
            runs[-1][1] = index
        else:
            runs.append([index, index])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def print_inspection(facts: dict[str, Any]) -> None:
    spec, kv_bytes = facts["spec"], facts["kv_bytes_per_token"]
    window = "" if spec["sliding_window"] is None else f", window {spec['sliding_window']}"
    print(f"{facts['name']} ({facts['model_id']})")
    print(f"  family      {spec['family']}, {spec['num_layers']} layers, hidden {spec['hidden_size']}")
    print(f"  heads       {spec['num_heads']} on {spec['num_kv_heads']} of {spec['head_dim']}{window}")
    print(f"  feed-forward {spec['intermediate_size']}, vocabulary {spec['vocab_size']}, context {spec['max_context']}")
    head = "the embedding" if spec["is_tied"] else "of its own"
    print(f"  rope theta  {spec['rope']['theta']:g}, output head {head}")
    for name, described in facts["formats"].items():
        print(f"  {name:11} {described}")
    print(f"  weights     {mebibytes(facts['weight_bytes'])}, {facts['effective_bits']} bits per weight")
    print(f"  KV cache    {kv_bytes['2']} bytes per token in 2-byte numbers, {kv_bytes['4']} in 4-byte numbers")
    print(f"  source      {facts['source']['file_name']} (sha256 {facts['source']['sha256']})")
    print(f"  licence     {facts['license'] or 'not stated'}")
    print(f"  digest      {facts['weights_digest']}")
    if facts["is_verified"]:
        print("  files       all as recorded, by sha256")
