"""Which files of a repository make a model: a GGUF, whole or split, or safetensors with their texts. Never pickles.

Standard library only; knows nothing of downloading.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from engine.errors import InvalidRequestError, SourceError
from engine.messages import ModelChoice, RepositoryFacts, RepositoryFile
from engine.store.names import is_safe_name

_PART = re.compile(r"(.+)-(\d{5})-of-(\d{5})\.(gguf|safetensors)")
_QUANTISATION = re.compile(
    r"(?i)(?:^|[-_.])((?:UD-)?(?:I?Q\d(?:_[A-Z0-9]+)*|TQ\d_\d|MXFP4(?:_MOE)?|BF16|F16|F32|FP16))(?=[-.]|$)"
)
_NO_MODEL = re.compile(r"(?i)(?:^|[-_.])(mmproj|imatrix|vocab|adapter|lora|consolidated)(?=[-_.]|$)")
_PREFERRED = ("q4_k_m", "q4_k_s", "q4_0", "q4_1", "q5_k_m", "q8_0")
"""Of several quantisations the one to take unasked: small, and still good."""

_TOKENIZERS = ("tokenizer.json", "tokenizer.model")
_TEXTS = (
    "config.json",
    "generation_config.json",
    *_TOKENIZERS,
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.json",
    "merges.txt",
    "chat_template.jinja",
    "chat_template.json",
    "quantize_config.json",
    "quant_config.json",
)


def is_safe_path(path: str) -> bool:
    """Whether a repository's path stays inside the folder that it is joined to and names a file, on every system."""
    return all(is_safe_name(part) for part in path.split("/"))


def choices(files: Iterable[RepositoryFile]) -> tuple[ModelChoice, ...]:
    """What can be downloaded as one model, smallest first; incomplete sets and unsafe names are left out."""
    by_path = {file.path: file for file in files if is_safe_path(file.path)}
    found = _gguf_choices(by_path)
    if (safetensors := _safetensors_choice(by_path)) is not None:
        found.append(safetensors)
    return tuple(sorted(found, key=lambda choice: choice.size_bytes))


def choose(facts: RepositoryFacts, wanted: Sequence[str]) -> ModelChoice:
    """The choice that is called so, by its label or by a file of it; with nothing wanted the usual one.

    Raises `SourceError` if the repository has no model, `InvalidRequestError` naming what there is to choose from.
    """
    if not facts.choices:
        raise SourceError(
            f"{facts.repo_id} has neither a whole GGUF nor safetensors with config.json and a tokenizer: "
            "choose another repository, GGUF ones often have it in their name"
        )
    if not wanted:
        return _usual(facts)
    for choice in facts.choices:
        if all(_names(choice, name) for name in wanted):
            return choice
    labels = ", ".join(choice.label for choice in facts.choices)
    raise InvalidRequestError(f"{facts.repo_id} has no {', '.join(wanted)}: choose one of {labels}")


def usual(choices: Sequence[ModelChoice]) -> ModelChoice | None:
    """The one to look at unasked: the preferred one, else the smallest; None if there is none."""
    return _preferred(choices) or next(iter(choices), None)


def gguf_sets(paths: Iterable[str]) -> list[tuple[str, ...]]:
    """The files of each whole model among `paths`; projectors and the like are none."""
    return [found for found in _complete_sets(paths, "gguf") if not _NO_MODEL.search(PurePosixPath(found[0]).name)]


def safetensors_set(names: Iterable[str]) -> tuple[str, ...] | None:
    """The files of the whole model among a folder's files, None if there is none."""
    sets = [found for found in _complete_sets(names, "safetensors") if not _NO_MODEL.search(found[0])]
    # "model" is what transformers writes; beside it a repository may keep the same weights in another layout.
    return min(sets, key=lambda found: (stem_of(found[0]) != "model", found), default=None)


def part_of(path: str) -> tuple[str, int, int] | None:
    """The stem, number and count of a file that is a part of a split one, else None."""
    found = _PART.fullmatch(path)
    return None if found is None else (found[1], int(found[2]), int(found[3]))


def stem_of(path: str) -> str:
    """A file's name without its suffix and the number of its part."""
    name = PurePosixPath(path).name
    found = _PART.fullmatch(name)
    return found[1] if found is not None else PurePosixPath(name).stem


def _names(choice: ModelChoice, name: str) -> bool:
    return name.casefold() == choice.label.casefold() or any(
        name in (path, PurePosixPath(path).name) for path in choice.paths
    )


def _usual(facts: RepositoryFacts) -> ModelChoice:
    if (preferred := _preferred(facts.choices)) is not None:
        return preferred
    if len(facts.choices) > 1:
        names = ", ".join(choice.label for choice in facts.choices)
        raise InvalidRequestError(f"{facts.repo_id} has several models: choose one of {names}")
    return facts.choices[0]


def _preferred(choices: Sequence[ModelChoice]) -> ModelChoice | None:
    labels = {choice.label.casefold(): choice for choice in choices}
    return next((labels[label] for label in _PREFERRED if label in labels), None)


def _gguf_choices(by_path: Mapping[str, RepositoryFile]) -> list[ModelChoice]:
    sets = gguf_sets(by_path)
    labels = [_quantisation(paths[0]) for paths in sets]
    choices = []
    for paths, label in zip(sets, labels, strict=True):
        # Two models in one repository are told apart by their files.
        is_plain = label is not None and labels.count(label) == 1
        name = label if label is not None and is_plain else stem_of(paths[0])
        choices.append(ModelChoice(name, "gguf", paths, _size_bytes(by_path, paths), _model_name(paths[0])))
    return choices


def _safetensors_choice(by_path: Mapping[str, RepositoryFile]) -> ModelChoice | None:
    """The weights at the top of the repository with the texts that belong to them."""
    top = {path: file for path, file in by_path.items() if "/" not in path}
    weights = safetensors_set(top)
    if weights is None or "config.json" not in top or not any(name in top for name in _TOKENIZERS):
        return None
    index = [name for name in (f"{stem_of(weights[0])}.safetensors.index.json",) if name in top]
    if len(weights) > 1 and not index:
        return None
    paths = (*(name for name in _TEXTS if name in top), *index, *weights)
    return ModelChoice("safetensors", "safetensors", paths, _size_bytes(by_path, paths))


def _complete_sets(by_path: Iterable[str], suffix: str) -> list[tuple[str, ...]]:
    """Single files, and the parts of split ones in order if none is missing."""
    parts: dict[tuple[str, int], set[int]] = defaultdict(set)
    sets: list[tuple[str, ...]] = []
    for path in by_path:
        found = _PART.fullmatch(path)
        if found is not None and found[4] == suffix:
            parts[found[1], int(found[3])].add(int(found[2]))
        elif found is None and path.endswith(f".{suffix}"):
            sets.append((path,))
    for (stem, count), numbers in parts.items():
        if numbers == set(range(1, count + 1)):
            sets.append(tuple(f"{stem}-{number:05}-of-{count:05}.{suffix}" for number in range(1, count + 1)))
    return sorted(sets)


def _quantisation(path: str) -> str | None:
    found = _QUANTISATION.findall(stem_of(path))
    return found[-1].upper() if found else None


def _model_name(path: str) -> str:
    return _QUANTISATION.sub("", stem_of(path)).casefold()


def _size_bytes(by_path: Mapping[str, RepositoryFile], paths: Iterable[str]) -> int:
    return sum(by_path[path].size_bytes for path in paths)
