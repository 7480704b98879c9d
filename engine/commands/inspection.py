"""The facts of one model, from its manifest alone, as data and as text. Knows nothing of the weights' content."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from engine.store.files import file_size
from engine.store.formats import group_formats, summarize_conversion
from engine.store.layout import matrix_names, matrix_shapes
from engine.store.library import ModelEntry
from engine.store.manifest import Manifest, TensorFormat, read_manifest


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
        "prepared_bytes": model.prepared_bytes,
        "kv_bytes_per_token": {str(size): manifest.spec.kv_bytes_per_token(size) for size in (2, 4)},
        "end_token_ids": list(manifest.end_token_ids),
        "bos_token_id": manifest.bos_token_id,
        "adds_bos": manifest.adds_bos,
        "source": {"file_name": manifest.source.file_name, "sha256": manifest.source.sha256},
        "options": manifest.source.options_text,
        "fidelity": None if manifest.fidelity is None else asdict(manifest.fidelity),
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


def _describe(form: TensorFormat) -> str:
    minimum = " with minimum" if form.has_minimum else ""
    exactly = "exactly " if form.is_exact else ""
    error = f", error {_percent(form.error)}" if form.error is not None and not form.is_exact else ""
    return f"{form.bits} bits{minimum} in groups of {form.group_size}, {exactly}from {form.source}{error}"


def _percent(error: float) -> str:
    return f"{100 * error:.2g} %"


def conversion_facts(model: ModelEntry) -> dict[str, Any]:
    """How each matrix is stored and what that changed, for JSON: `error` is relative. Raises `CheckpointError`."""
    formats = read_manifest(model.path).quantization
    return {
        "is_exact": all(form.is_exact for form in formats.values()),
        "max_error": max((form.error or 0.0 for form in formats.values()), default=0.0),
        "tensors": {name: asdict(form) for name, form in formats.items()},
    }


def describe_conversion(model: ModelEntry) -> str:
    """In words, how true to its source a model is. Raises `CheckpointError`."""
    summary = summarize_conversion(read_manifest(model.path))
    if summary.worst is None:
        return "all weights exactly as in the source"
    exactly = f"{summary.num_exact} of {summary.num_matrices} matrices exactly, " if summary.num_exact else ""
    return f"{exactly}largest error {_percent(summary.max_error or 0.0)} ({summary.worst})"


def print_inspection(facts: dict[str, Any]) -> None:
    spec, kv_bytes = facts["spec"], facts["kv_bytes_per_token"]
    window = "" if spec["sliding_window"] is None else f", window {spec['sliding_window']}"
    print(f"{facts['name']} ({facts['model_id']})")
    print(f"  family      {spec['family']}, {spec['num_layers']} layers, hidden {spec['hidden_size']}")
    rows = "a latent" if spec["latent"] else str(spec["num_kv_heads"])
    print(f"  heads       {spec['num_heads']} on {rows} of {spec['head_dim']}{window}")
    print(f"  feed-forward {spec['intermediate_size']}, vocabulary {spec['vocab_size']}, context {spec['max_context']}")
    head = "the embedding" if spec["is_tied"] else "of its own"
    print(f"  rope theta  {spec['rope']['theta']:g}, output head {head}")
    for name, described in facts["formats"].items():
        print(f"  {name:11} {described}")
    print(f"  weights     {file_size(facts['weight_bytes'])}, {facts['effective_bits']} bits per weight")
    prepared = (
        f", and {file_size(facts['prepared_bytes'])} prepared for this machine" if facts["prepared_bytes"] else ""
    )
    print(f"  on disk     {file_size(facts['size_bytes'])}{prepared}")
    print(f"  KV cache    {kv_bytes['2']} bytes per token in 2-byte numbers, {kv_bytes['4']} in 4-byte numbers")
    print(f"  source      {facts['source']['file_name']} (sha256 {facts['source']['sha256']})")
    print(f"  options     {facts['options']}")
    print(f"  fidelity    {_fidelity_text(facts['fidelity'])}")
    print(f"  licence     {facts['license'] or 'not stated'}")
    print(f"  digest      {facts['weights_digest']}")
    if facts["is_verified"]:
        print("  files       all as recorded, by sha256")


def _fidelity_text(fidelity: dict[str, Any] | None) -> str:
    if fidelity is None:
        return "not measured"
    return (
        f"perplexity {fidelity['perplexity']:.3f}, the source's {fidelity['source_perplexity']:.3f}; divergence "
        f"{fidelity['divergence']:.4f} nats; the same best token for {100 * fidelity['agreement']:.1f} % of "
        f"{fidelity['num_tokens']} tokens"
    )
