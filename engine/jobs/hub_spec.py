"""What a repository's model is, before anything of it is downloaded. Knows nothing of threads and events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from engine.convert.sources.quantization_config import config_section, quantization_of
from engine.errors import DownloadError, SourceError
from engine.hub.client import CONFIG_FILE, HubClient
from engine.messages import ModelChoice, RepositoryFacts
from engine.models.adapters import adapter_for_gguf, spec_from_config
from engine.planning.known_models import find_known, known_models
from engine.spec import ModelSpec

_MAX_CONFIG_BYTES = 1 << 20


def with_spec(client: HubClient, facts: RepositoryFacts) -> RepositoryFacts:
    """The facts with `spec` or `refusal`: from the repository's own config.json, or from the model it was made from.

    A repository that cannot be read yet, and one whose origin is not told, keep what the hub says.
    """
    if not facts.is_accessible or not facts.choices:
        return facts
    is_gguf_alone = all(choice.kind == "gguf" for choice in facts.choices)
    try:
        if is_gguf_alone:
            _require_gguf_architecture(facts)
        return replace(facts, spec=_own(client, facts) or next(_origins(client, facts), None))
    except SourceError as error:
        return replace(facts, refusal=str(error))
    except DownloadError:
        # The plan is then left out; the download itself needs nothing of it.
        return facts


def require_runnable(client: HubClient, facts: RepositoryFacts, choice: ModelChoice) -> None:
    """Read what says whether the choice can run, a few KiB, before all of it is downloaded.

    Raises `SourceError` naming the architecture, the quantisation or whatever else cannot run, `DownloadError`.
    """
    if choice.kind == "gguf":
        _require_gguf_architecture(facts)
    elif _has_readable_config(facts):
        _checked_spec(facts, client.config(facts.repo_id, facts.commit))


def _require_gguf_architecture(facts: RepositoryFacts) -> None:
    if facts.architecture is not None and adapter_for_gguf(facts.architecture) is None:
        what = f"the architecture {facts.architecture!r}"
        raise SourceError(f"{facts.repo_id} has {what}, which does not run here: choose another model")


def _checked_spec(facts: RepositoryFacts, config: Mapping[str, Any]) -> ModelSpec:
    spec = spec_from_config(config)
    quantization_of(facts.repo_id, config_section(config))
    return spec


def _has_readable_config(facts: RepositoryFacts) -> bool:
    return any(file.path == CONFIG_FILE and file.size_bytes <= _MAX_CONFIG_BYTES for file in facts.files)


def _own(client: HubClient, facts: RepositoryFacts) -> ModelSpec | None:
    """Raises `SourceError` for a model that cannot run, `DownloadError`."""
    if not _has_readable_config(facts):
        return None
    config = client.config(facts.repo_id, facts.commit)
    # Beside GGUF files it may be a stub that names nothing but a type.
    if "hidden_size" not in config and "text_config" not in config:
        return None
    return _checked_spec(facts, config)


def _origins(client: HubClient, facts: RepositoryFacts) -> Iterator[ModelSpec]:
    """The well-known model of the name comes first, as it costs no question."""
    sources = {model.source: model.spec for model in known_models()}
    for repo_id in facts.base_models:
        if repo_id in sources:
            yield sources[repo_id]
    name = PurePosixPath(facts.repo_id).name.casefold().removesuffix("-gguf").removesuffix("-instruct")
    if (known := find_known(name)) is not None:
        yield known.spec
    for repo_id in facts.base_models[:1]:
        try:
            yield spec_from_config(client.config(repo_id))
        except SourceError:
            # What was made of it may run all the same.
            continue
