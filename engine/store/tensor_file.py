"""Tensors into a safetensors file, streamed so that the digest is known at the end and nothing is copied twice.

Format: https://huggingface.co/docs/safetensors – header length, JSON header, tensors. Knows nothing of checkpoints.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import torch
from torch import Tensor

from engine.store.files import FileRecord, write_file

_DTYPE_NAMES = {torch.float32: "F32", torch.float16: "F16", torch.uint8: "U8"}


def write_tensors(path: Path, tensors: Mapping[str, Tensor]) -> FileRecord:
    """Write float32, float16 or uint8 tensors as one safetensors file. Raises `StorageError`."""
    # Widest first, so that every tensor starts at a multiple of its element's size.
    ordered = sorted(tensors.items(), key=lambda item: (-item[1].element_size(), item[0]))
    return write_file(path, _chunks([(name, tensor.contiguous()) for name, tensor in ordered]))


def _chunks(tensors: list[tuple[str, Tensor]]) -> Iterator[bytes | memoryview]:
    header: dict[str, object] = {}
    offset = 0
    for name, tensor in tensors:
        end = offset + tensor.numel() * tensor.element_size()
        header[name] = {
            "dtype": _DTYPE_NAMES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [offset, end],
        }
        offset = end
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    yield len(text).to_bytes(8, "little")
    yield text
    for _, tensor in tensors:
        yield tensor.view(torch.uint8).flatten().numpy().data
