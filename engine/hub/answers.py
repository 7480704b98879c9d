"""What the hub's answers say, with every type looked at: a mirror, or whoever stands between, may send anything.

What is not told, or makes no sense and can be done without, is None. Knows nothing of how the hub is asked.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator, Mapping
from typing import Any

from huggingface_hub import constants

from engine.errors import DownloadError
from engine.hub.selection import choices
from engine.messages import Gate, HubModel, ModelKind, RepositoryFacts, RepositoryFile

_KINDS: tuple[ModelKind, ...] = ("gguf", "safetensors")
_LICENSE_TAG, _BASE_MODEL_TAG = "license:", "base_model:"
_SHA256_LENGTH, _OBJECT_ID_LENGTH = 64, 40
_MAX_COUNT = 1 << 62


def read_models(content: bytes) -> tuple[HubModel, ...]:
    """The results of a search. Raises `DownloadError`."""
    found = _read(content, "the search")
    if not isinstance(found, list):
        raise _nonsense("the search", "no list")
    return tuple(_hub_model(item) for item in found if isinstance(item, Mapping) and _text(item.get("id")))


def read_facts(content: bytes, repo_id: str, page_url: str) -> RepositoryFacts:
    """Those of a repository; a gated one counts as not accessible. Raises `DownloadError`."""
    answer = read_object(content, repo_id)
    gguf, config, safetensors = (_section(answer, key) for key in ("gguf", "config", "safetensors"))
    gate, files = _gate(answer), _files(repo_id, answer)
    num_parameters = _count(safetensors.get("total"))
    return RepositoryFacts(
        repo_id=repo_id,
        commit=_digest(answer.get("sha"), _OBJECT_ID_LENGTH) or constants.DEFAULT_REVISION,
        page_url=page_url,
        license=_license(answer),
        gate=gate,
        is_accessible=gate is None,
        base_models=_base_models(answer),
        architecture=_text(gguf.get("architecture")) or _text(config.get("model_type")),
        num_parameters=_count(gguf.get("total")) if num_parameters is None else num_parameters,
        files=files,
        choices=choices(files),
    )


def read_object(content: bytes, about: str) -> Mapping[str, Any]:
    """Raises `DownloadError` unless it is a JSON object."""
    answer = _read(content, about)
    if not isinstance(answer, dict):
        raise _nonsense(about, "no JSON object")
    return answer


def _read(content: bytes, about: str) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise _nonsense(about, error) from error


def _nonsense(about: str, why: object) -> DownloadError:
    return DownloadError(
        f"The hub's answer about {about} makes no sense ({why}): choose another one, or check HF_ENDPOINT"
    )


def _hub_model(answer: Mapping[str, Any]) -> HubModel:
    tags = tuple(_tags(answer))
    return HubModel(
        repo_id=str(answer["id"]),
        downloads=_count(answer.get("downloads")),
        likes=_count(answer.get("likes")),
        gate=_gate(answer),
        license=_license(answer),
        updated=_date(answer.get("lastModified")),
        kinds=tuple(kind for kind in _KINDS if kind in tags),
    )


def _files(repo_id: str, answer: Mapping[str, Any]) -> tuple[RepositoryFile, ...]:
    """Those whose name and size are told. Raises `DownloadError` if there are files, but no such ones."""
    siblings = answer.get("siblings") or []
    if not isinstance(siblings, list):
        raise _nonsense(repo_id, "no list of files")
    files = tuple(_repository_files(siblings))
    if siblings and not files:
        raise DownloadError(f"The hub tells no sizes of the files of {repo_id}: unset HF_ENDPOINT if it names a mirror")
    return files


def _repository_files(siblings: list[Any]) -> Iterator[RepositoryFile]:
    for sibling in siblings:
        if not isinstance(sibling, Mapping):
            continue
        path, size_bytes = _text(sibling.get("rfilename")), _count(sibling.get("size"))
        if path is not None and size_bytes is not None:
            sha256 = _digest(_section(sibling, "lfs").get("sha256"), _SHA256_LENGTH)
            yield RepositoryFile(path, size_bytes, sha256, _digest(sibling.get("blobId"), _OBJECT_ID_LENGTH))


def _gate(answer: Mapping[str, Any]) -> Gate | None:
    """Whatever is neither known nor plainly no gate counts as one that somebody opens by hand."""
    gated = answer.get("gated")
    if gated == "auto":
        return "auto"
    return "manual" if gated else None


def _license(answer: Mapping[str, Any]) -> str | None:
    return next((tag.removeprefix(_LICENSE_TAG) for tag in _tags(answer) if tag.startswith(_LICENSE_TAG)), None)


def _base_models(answer: Mapping[str, Any]) -> tuple[str, ...]:
    """Of "base_model:owner/name"; the same follow once more, with what was done to them in between."""
    names = (tag.removeprefix(_BASE_MODEL_TAG) for tag in _tags(answer) if tag.startswith(_BASE_MODEL_TAG))
    return tuple(name for name in names if ":" not in name)


def _tags(answer: Mapping[str, Any]) -> Iterator[str]:
    tags = answer.get("tags")
    return (tag for tag in tags if _text(tag)) if isinstance(tags, list) else iter(())


def _section(answer: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = answer.get(key)
    return value if isinstance(value, Mapping) else {}


def _text(value: object) -> str | None:
    """Text that can be shown and written; lone halves of characters cannot."""
    return value if isinstance(value, str) and value and value.isprintable() else None


def _count(value: object) -> int | None:
    return value if type(value) is int and 0 <= value < _MAX_COUNT else None


def _digest(value: object, length: int) -> str | None:
    """Hexadecimal digits."""
    text = _text(value)
    if text is None or len(text) != length or set(text) - set("0123456789abcdef"):
        return None
    return text


def _date(value: object) -> str | None:
    try:
        return datetime.datetime.fromisoformat(value).date().isoformat() if isinstance(value, str) else None
    except ValueError:
        return None
