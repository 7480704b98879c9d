"""The safetensors files of one model's folder: which belong to it, whether all are there, and what they hold.

Knows nothing of what the tensors mean.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from engine.convert.sources.safetensors_file import StoredTensor, read_table
from engine.convert.sources.text_files import read_json
from engine.errors import SourceError
from engine.hub.selection import is_safe_path, part_of, safetensors_set

INDEX_SUFFIX = ".safetensors.index.json"


def find_weights(folder: Path) -> list[Path]:
    """The files with the model's weights, in order. Raises `SourceError` naming those that are missing."""
    try:
        names = [entry.name for entry in folder.iterdir()]
    except OSError as error:
        raise SourceError(f"Cannot read {folder}: {error.strerror}") from error
    found = safetensors_set(names)
    indexes = sorted(name for name in names if name.endswith(INDEX_SUFFIX))
    preferred = f"model{INDEX_SUFFIX}"
    if preferred in indexes and (found is None or found != ("model.safetensors",)):
        indexes = [preferred]
    elif found is not None:
        return [folder / name for name in found]
    if indexes:
        wanted = _shards(folder / indexes[0])
        _require(folder, wanted, names)
        return [folder / name for name in wanted]
    for name in sorted(names):
        if (part := part_of(name)) is not None and name.endswith(".safetensors"):
            stem, _, count = part
            _require(folder, [f"{stem}-{n:05}-of-{count:05}.safetensors" for n in range(1, count + 1)], names)
    raise SourceError(f"{folder} has no whole model in safetensors: get all files of the model into one folder")


def read_tensors(paths: Iterable[Path]) -> dict[str, StoredTensor]:
    """The tensors of all files. Raises `SourceError` for one that is damaged, or a tensor that is in two of them."""
    tensors: dict[str, StoredTensor] = {}
    for path in paths:
        for name, tensor in read_table(path).items():
            if name in tensors:
                raise SourceError(f"{name} is in {tensors[name].path.name} and in {path.name}: get the model again")
            tensors[name] = tensor
    return tensors


def _shards(index: Path) -> list[str]:
    """The files that the index names. Nothing outside the folder is ever read: a name that leads there is refused."""
    weight_map = read_json(index).get("weight_map")
    if not isinstance(weight_map, dict) or not weight_map:
        raise SourceError(f"{index} names no files: get the file again")
    names = set()
    for name in weight_map.values():
        if not isinstance(name, str) or "/" in name or not is_safe_path(name) or not name.endswith(".safetensors"):
            raise SourceError(f"{index} names {str(name)[:80]!r}, which is no file of this folder: get the file again")
        names.add(name)
    return sorted(names)


def _require(folder: Path, wanted: list[str], names: Iterable[str]) -> None:
    there = set(names)
    missing = [name for name in wanted if name not in there]
    if missing:
        shown = ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")
        raise SourceError(f"{folder} lacks {shown} of the model's {len(wanted)} files: get them into the same folder")
