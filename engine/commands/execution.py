"""What a backend really runs for a model's matrices, as data and as text. Knows nothing of what the model is."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from engine.store.checkpoint import Checkpoint
from engine.store.formats import group_formats
from kernels.ops import Backend
from kernels.packed_weight import PackedWeight


def describe_execution(checkpoint: Checkpoint, backend: Backend) -> list[dict[str, Any]]:
    """Five separate facts of the matrices that rows are multiplied by, one record for all that agree in them.

    Maps one layer of each format, and prepares nothing. Raises `CheckpointError`.
    """
    records: list[dict[str, Any]] = []
    for group in group_formats(checkpoint.manifest):
        if group.matrix == "embedding" and not checkpoint.manifest.spec.is_tied:
            # Rows are taken out of this one; none is multiplied by it.
            continue
        weight = _read(checkpoint, group.matrix, group.layers)
        facts = {"checkpoint_bits": weight.bits, **asdict(backend.describe(weight))}
        same = next((record for record in records if record["facts"] == facts), None)
        if same is None:
            records.append({"tensors": [group.label], "facts": facts})
        else:
            same["tensors"].append(group.label)
    return [{"tensors": record["tensors"], **record["facts"]} for record in records]


def _read(checkpoint: Checkpoint, matrix: str, layers: tuple[int, ...]) -> PackedWeight:
    if layers:
        return checkpoint.read_matrix(layers[0], matrix)
    if matrix == "embedding":
        return checkpoint.read_embedding()
    head = checkpoint.read_head().matrix
    assert head is not None, matrix
    return head


def print_execution(backend_name: str, records: list[dict[str, Any]]) -> None:
    for record in records:
        print(f"on {backend_name}, {', '.join(record['tensors'])}")
        print(f"  checkpoint  {record['checkpoint_bits']} bits")
        print(f"  in memory   {record['weight_format']}")
        print(f"  activation  {record['activation']}")
        print(f"  accumulator {record['accumulator']}")
        print(f"  kernel      {record['kernel']}")
