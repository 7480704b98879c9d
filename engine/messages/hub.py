"""What is asked of the hub and what it says of its repositories. Knows nothing of how the hub is reached."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.spec import ModelSpec

Gate = Literal["auto", "manual"]
ModelKind = Literal["gguf", "safetensors"]


@dataclass(frozen=True, slots=True)
class SearchHub:
    """Search the hub's models by name, most downloaded first. `HubResults` or `HubFailed` answers.

    `endpoint` is the address of a mirror; None is `hub_address`'s.
    """

    words: str
    limit: int = 30
    endpoint: str | None = None


@dataclass(frozen=True, slots=True)
class InspectRepository:
    """Ask for a repository's facts, nothing is downloaded. `RepositoryFacts` or `HubFailed` answers."""

    repo_id: str
    revision: str | None = None
    endpoint: str | None = None


@dataclass(frozen=True, slots=True)
class ReadHeader:
    """Read the header of a GGUF file, some MiB, where nothing else tells of the model. `facts` are the repository's.

    `choice` is one of its choices: those of the same `model` need no question of their own. `RepositoryFacts` answers,
    with `spec` or `refusal`, or `HubFailed`; after `StopReading` that has the code "cancelled".
    """

    facts: RepositoryFacts
    choice: ModelChoice
    endpoint: str | None = None


@dataclass(frozen=True, slots=True)
class StopReading:
    """Give up reading the header of a repository's file; nothing happens if none is being read."""

    repo_id: str


@dataclass(frozen=True, slots=True)
class HubModel:
    """A repository as search shows it. `updated` is an ISO date; None is what the hub does not tell."""

    repo_id: str
    downloads: int | None
    likes: int | None
    gate: Gate | None
    license: str | None
    updated: str | None
    kinds: tuple[ModelKind, ...]


@dataclass(frozen=True, slots=True)
class HubResults:
    """What a search for `words` has found."""

    words: str
    models: tuple[HubModel, ...]


@dataclass(frozen=True, slots=True)
class RepositoryFile:
    """A file of a repository. Large files have a `sha256`, all have the `blob_id` by which git knows them."""

    path: str
    size_bytes: int
    sha256: str | None
    blob_id: str | None


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """Files that make one model together, called by its quantisation ("Q4_K_M") or its kind.

    `model` is the same for the quantisations of one model: its files' name without them.
    """

    label: str
    kind: ModelKind
    paths: tuple[str, ...]
    size_bytes: int
    model: str = ""


@dataclass(frozen=True, slots=True)
class RepositoryFacts:
    """What a repository holds, at the commit that its files are downloaded from.

    `gate` says whether terms must be accepted, at `page_url`, and `is_accessible` whether they have been.
    `architecture` and `num_parameters` are as the hub has read them from the model, None if it has not.
    `spec` is what its config.json says, or that of the model it was made from, or what a GGUF file's header says; None
    where none of them can be had. It is that of all choices, unless `spec_model` names the one of several models.
    `refusal` says why it cannot run here, None if nothing speaks against it.
    """

    repo_id: str
    commit: str
    page_url: str
    license: str | None
    gate: Gate | None
    is_accessible: bool
    base_models: tuple[str, ...]
    architecture: str | None
    num_parameters: int | None
    files: tuple[RepositoryFile, ...]
    choices: tuple[ModelChoice, ...]
    spec: ModelSpec | None = None
    refusal: str | None = None
    spec_model: str | None = None

    def spec_of(self, choice: ModelChoice) -> ModelSpec | None:
        """The numbers of the model that the choice is, None if they are not known."""
        return self.spec if self.spec_model in (None, choice.model) else None

    def needs_header(self, choice: ModelChoice) -> bool:
        """Whether only the header of the file can tell of the model, and can be read."""
        can_be_read = choice.kind == "gguf" and self.is_accessible and self.refusal is None
        return can_be_read and self.spec_of(choice) is None


@dataclass(frozen=True, slots=True)
class HubFailed:
    """The hub gave no answer. `about` is the words or the repository that was asked for, `code` an error's."""

    about: str
    code: str
    message: str
