"""Which kind of source a path is: a GGUF file, or a folder with safetensors or with a GGUF. Pickles are refused.

Knows nothing of what is in the files.
"""

from __future__ import annotations

from pathlib import Path

from engine.convert.source import Source
from engine.convert.sources.gguf_files import part_paths
from engine.convert.sources.gguf_source import GgufSource
from engine.convert.sources.safetensors_source import CONFIG_FILE, SafetensorsSource
from engine.errors import SourceError
from engine.hub.selection import gguf_sets
from engine.store.names import lost_name_problem, readable_name

_PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl")


def open_source(path: Path) -> Source:
    """The model at `path`, open. Raises `SourceError` if it is none, or none of a kind that can be read."""
    if (problem := lost_name_problem(path)) is not None:
        raise SourceError(f"{problem}: rename it, then choose it again")
    if path.is_dir():
        return _open_folder(path)
    if path.suffix in _PICKLES:
        raise _pickle(path)
    if path.suffix == ".safetensors":
        return SafetensorsSource(path.parent)
    return GgufSource(path)


def source_name(path: Path) -> str:
    """What a model is called that is converted without being given a name."""
    return readable_name(path.name if path.is_dir() else path.stem)


def _open_folder(folder: Path) -> Source:
    try:
        names = sorted(entry.name for entry in folder.iterdir() if entry.is_file())
    except OSError as error:
        raise SourceError(f"Cannot read {folder}: {error.strerror}") from error
    has_safetensors = any(name.endswith(".safetensors") for name in names)
    if CONFIG_FILE in names and has_safetensors:
        return SafetensorsSource(folder)
    if any(name.endswith(".gguf") for name in names):
        return GgufSource(folder / _the_gguf(folder, names))
    pickles = [name for name in names if name.endswith(_PICKLES)]
    if pickles and not has_safetensors:
        raise _pickle(folder / pickles[0])
    lacking = CONFIG_FILE if has_safetensors else "weights (*.safetensors or *.gguf)"
    raise SourceError(f"{folder} has no {lacking}: give the folder of a whole model, or a GGUF file")


def _the_gguf(folder: Path, names: list[str]) -> str:
    sets = gguf_sets(names)
    if len(sets) == 1:
        return sets[0][0]
    if not sets:
        part = next(name for name in names if name.endswith(".gguf"))
        part_paths(folder / part)  # says which parts are missing
        raise SourceError(f"{folder} holds no model, only {part}: give a model's file")
    raise SourceError(f"{folder} has {len(sets)} models: give the file of one, such as {folder / sets[0][0]}")


def _pickle(path: Path) -> SourceError:
    return SourceError(
        f"{path} is a pickle, which can run any program when it is opened: get the model as safetensors or GGUF"
    )
