"""GGUF files that other programs have on this machine, found where they keep them; nothing is copied or changed.

Knows nothing of converting them. Standard library only.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from engine.hub.selection import gguf_sets, stem_of

Program = Literal["LM Studio", "Ollama", "Hugging Face cache", "llama.cpp", "folder"]

_MAGIC = b"GGUF"
_MODEL_LAYER = "application/vnd.ollama.image.model"
_MANIFEST_DEPTH = 4
"""Folders of registry, owner and name, then the tag's file."""
_MAX_MANIFEST_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class FoundModel:
    """A whole model: `path` is its file, or the first of those it is split into. `name` is for reading."""

    program: Program
    name: str
    path: Path
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Places:
    """Folders that may or may not be there."""

    lm_studio: tuple[Path, ...] = ()
    ollama: tuple[Path, ...] = ()
    hub_cache: tuple[Path, ...] = ()
    llama_cpp: tuple[Path, ...] = ()
    folders: tuple[Path, ...] = ()

    def all_folders(self) -> tuple[Path, ...]:
        """Every one, in the order in which they are searched."""
        return (*self.lm_studio, *self.ollama, *self.hub_cache, *self.llama_cpp, *self.folders)


def usual_places(
    user_home: Path | None = None, environment: Mapping[str, str] | None = None, platform: str = sys.platform
) -> Places:
    """Where the programs keep their models, unless their own variables say otherwise."""
    home, variables = user_home or Path.home(), environment if environment is not None else os.environ
    cache = _cache_folder(home, variables, platform)
    hub_home = _named(variables, "HF_HOME") or (_named(variables, "XDG_CACHE_HOME") or home / ".cache") / "huggingface"
    # The second is what it was called.
    hub_cache = _named(variables, "HF_HUB_CACHE") or _named(variables, "HUGGINGFACE_HUB_CACHE")
    ollama = [_named(variables, "OLLAMA_MODELS"), home / ".ollama" / "models"]
    if platform == "linux":
        # Where the service of its Linux package lives.
        ollama.append(Path("/usr/share/ollama/.ollama/models"))
    return Places(
        lm_studio=_lm_studio(home),
        ollama=tuple(folder for folder in ollama if folder is not None),
        hub_cache=(hub_cache or hub_home / "hub",),
        llama_cpp=(_named(variables, "LLAMA_CACHE") or cache / "llama.cpp",),
    )


def discover(places: Places) -> list[FoundModel]:
    """Every model once, by program and name. What cannot be read is left out."""
    found: list[FoundModel] = []
    for folder in places.lm_studio:
        found += _in_folder("LM Studio", folder)
    for folder in places.ollama:
        found += _in_ollama(folder)
    for folder in places.hub_cache:
        found += _in_hub_cache(folder)
    for folder in places.llama_cpp:
        found += _in_folder("llama.cpp", folder)
    for folder in places.folders:
        found += _in_folder("folder", folder)
    # A later mention of the same file, by another name or through a link, says nothing new.
    by_file = {os.path.realpath(model.path): model for model in reversed(found)}
    return sorted(by_file.values(), key=lambda model: (model.program, model.name.casefold()))


def _in_folder(program: Program, folder: Path) -> Iterator[FoundModel]:
    for paths in gguf_sets(path.relative_to(folder).as_posix() for path in _walk(folder)):
        model = _found(program, stem_of(paths[0]), [folder / path for path in paths])
        if model is not None:
            yield model


def _in_ollama(folder: Path) -> Iterator[FoundModel]:
    """A manifest per model and tag names the blob that is the GGUF."""
    manifests = folder / "manifests"
    for manifest in _walk(manifests):
        parts = manifest.relative_to(manifests).parts
        if len(parts) != _MANIFEST_DEPTH:
            continue
        _, owner, name, tag = parts
        shown = f"{name}:{tag}" if owner == "library" else f"{owner}/{name}:{tag}"
        for digest in _model_digests(manifest):
            model = _found("Ollama", shown, [folder / "blobs" / digest.replace(":", "-")])
            if model is not None:
                yield model


def _model_digests(manifest: Path) -> list[str]:
    try:
        if manifest.stat().st_size > _MAX_MANIFEST_BYTES:
            return []
        layers = json.loads(manifest.read_text(encoding="utf-8"))["layers"]
        digests = [str(layer["digest"]) for layer in layers if layer["mediaType"] == _MODEL_LAYER]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return []
    return [digest for digest in digests if digest.replace(":", "").isalnum()]


def _in_hub_cache(folder: Path) -> Iterator[FoundModel]:
    """`models--owner--name/snapshots/<commit>/`, of links into a folder of blobs."""
    for repository in _children(folder):
        if not repository.name.startswith("models--"):
            continue
        for snapshot in _children(repository / "snapshots"):
            yield from _in_folder("Hugging Face cache", snapshot)


def _found(program: Program, name: str, paths: list[Path]) -> FoundModel | None:
    """None unless all files are there and the first begins as a GGUF does."""
    try:
        size_bytes = sum(path.stat().st_size for path in paths)
        with paths[0].open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                return None
    except OSError:
        return None
    return FoundModel(program, name, paths[0], size_bytes)


def _walk(folder: Path) -> Iterator[Path]:
    """All files below a folder; linked folders are not entered, they may lead round in a circle."""
    for parent, folders, names in os.walk(folder):
        folders.sort()
        yield from (Path(parent) / name for name in sorted(names))


def _children(folder: Path) -> Iterable[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _lm_studio(home: Path) -> tuple[Path, ...]:
    """Its own folder may have been moved, which a file in the user's home tells, and its models, as its settings do."""
    roots = [home / ".lmstudio", home / ".cache" / "lm-studio"]
    with suppress(OSError, ValueError):
        roots.insert(0, Path((home / ".lmstudio-home-pointer").read_text(encoding="utf-8").strip()))
    chosen = []
    for root in roots:
        with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
            chosen.append(Path(json.loads((root / "settings.json").read_text(encoding="utf-8"))["downloadsFolder"]))
    return (*chosen, *(root / "models" for root in roots))


def _cache_folder(home: Path, variables: Mapping[str, str], platform: str) -> Path:
    if platform == "win32":
        return _named(variables, "LOCALAPPDATA") or home / "AppData" / "Local"
    if platform == "darwin":
        return home / "Library" / "Caches"
    return _named(variables, "XDG_CACHE_HOME") or home / ".cache"


def _named(variables: Mapping[str, str], name: str) -> Path | None:
    value = variables.get(name, "").strip()
    return Path(value).expanduser() if value else None
