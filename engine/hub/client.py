"""Questions to the hub: search, a repository's facts, an account. Knows nothing of downloads and of threads."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import huggingface_hub
from huggingface_hub import ModelInfo
from huggingface_hub.errors import HFValidationError
from huggingface_hub.utils import build_hf_headers, validate_repo_id

from engine import __version__
from engine.errors import DownloadError, GatedError, InvalidRequestError, RepositoryError, TokenError
from engine.hub.address import ENDPOINT_VARIABLE, hub_address
from engine.hub.faults import HTTP_ERRORS, explain
from engine.hub.partial_file import ExpectedFile
from engine.hub.selection import choices
from engine.hub.transfer import Origin
from engine.messages import Gate, HubModel, ModelKind, RepositoryFacts, RepositoryFile

REQUEST_TIMEOUT_S = 20.0
MAX_ATTEMPTS = 5
CONFIG_FILE = "config.json"
_KINDS: tuple[ModelKind, ...] = ("gguf", "safetensors")
_LICENSE_TAG, _BASE_MODEL_TAG = "license:", "base_model:"
Patience = Callable[[str, float], None]
"""Told why and for how long to wait before the next try."""


class HubClient:
    """Asks as the owner of `token`, or as anybody. `endpoint` None is `hub_address`'s.

    With `patience` a question that fails for a passing reason is asked again, without it at once an error.
    """

    def __init__(self, token: str | None = None, patience: Patience | None = None, endpoint: str | None = None) -> None:
        self.endpoint = hub_address(endpoint)
        if urlsplit(self.endpoint).scheme not in ("http", "https"):
            whose = "The hub's address" if endpoint else ENDPOINT_VARIABLE
            raise InvalidRequestError(f"{whose} is {self.endpoint!r}: it must begin with https://")
        self._patience = patience
        self._has_token = token is not None
        self.headers: Mapping[str, str] = build_hf_headers(
            token=token or False, library_name="deepinfer", library_version=__version__
        )

    def search(self, words: str, limit: int) -> tuple[HubModel, ...]:
        """Models whose names have the words, most downloaded first. Raises `DownloadError`."""
        params = {
            "search": words,
            "limit": limit,
            "sort": "downloads",
            "expand": ["downloads", "likes", "gated", "tags", "lastModified"],
        }
        found = self._ask("/api/models", "models", params).json()
        return tuple(_hub_model(_model_info(item)) for item in found)

    def inspect(self, repo_id: str, revision: str | None = None) -> RepositoryFacts:
        """Raises `InvalidRequestError` for what cannot be a repository's name, `DownloadError`."""
        try:
            validate_repo_id(repo_id)
        except HFValidationError as error:
            raise InvalidRequestError(
                f"{repo_id!r} is no repository of the hub: write it as owner/name, as on its page"
            ) from error
        at = "" if revision is None else f"/revision/{quote(revision, safe='')}"
        info = _model_info(self._ask(f"/api/models/{repo_id}{at}", repo_id, {"blobs": "true"}).json())
        return self._facts(repo_id, info)

    def config(self, repo_id: str, revision: str | None = None) -> Mapping[str, Any]:
        """The repository's config.json. Raises `DownloadError` if there is none or it is no JSON object."""
        at = huggingface_hub.constants.DEFAULT_REVISION if revision is None else quote(revision, safe="")
        response = self._ask(f"/{repo_id}/resolve/{at}/{CONFIG_FILE}", repo_id)
        try:
            data = json.loads(response.content)
        except (ValueError, RecursionError) as error:
            raise DownloadError(f"{CONFIG_FILE} of {repo_id} is damaged ({error}): choose another one") from error
        if not isinstance(data, dict):
            raise DownloadError(f"{CONFIG_FILE} of {repo_id} is no JSON object: choose another one")
        return data

    def account(self) -> str:
        """The name of the token's owner. Raises `DownloadError`."""
        return str(self._ask("/api/whoami-v2", "your account").json().get("name", "somebody"))

    def origin(self, facts: RepositoryFacts) -> Origin:
        return Origin(facts.repo_id, facts.page_url, self.headers)

    def expected_file(self, facts: RepositoryFacts, path: str, folder: Path) -> ExpectedFile:
        """Where a file of the repository, whose path is safe, comes from and goes to."""
        file = next(file for file in facts.files if file.path == path)
        url = huggingface_hub.hf_hub_url(facts.repo_id, path, revision=facts.commit, endpoint=self.endpoint)
        return ExpectedFile(url, folder / path, file.size_bytes, file.sha256, file.blob_id)

    def _ask(self, path: str, about: str, params: Mapping[str, Any] | None = None) -> Any:
        """The hub's answer, after as many tries as there is patience for. Raises `DownloadError`."""
        num_attempts = 0
        while True:
            try:
                response = huggingface_hub.get_session().get(
                    self.endpoint + path, params=params, headers=self.headers, timeout=REQUEST_TIMEOUT_S
                )
                huggingface_hub.hf_raise_for_status(response)
                return response
            except HTTP_ERRORS as error:
                num_attempts += 1
                fault = explain(error, about, self._page_url(about), self._has_token)
                if self._patience is None or not fault.is_passing or num_attempts == MAX_ATTEMPTS:
                    raise fault.error from error
                self._patience(str(fault.error), fault.wait_s(num_attempts))

    def _facts(self, repo_id: str, info: ModelInfo) -> RepositoryFacts:
        files = _files(repo_id, info)
        gate = _gate(info)
        gguf, config = info.gguf or {}, info.config or {}
        return RepositoryFacts(
            repo_id=repo_id,
            commit=info.sha or huggingface_hub.constants.DEFAULT_REVISION,
            page_url=self._page_url(repo_id),
            license=_license(info),
            gate=gate,
            is_accessible=gate is None or self._may_read(repo_id),
            base_models=_base_models(info.tags or ()),
            architecture=gguf.get("architecture") or config.get("model_type"),
            num_parameters=info.safetensors.total if info.safetensors is not None else gguf.get("total"),
            files=files,
            choices=choices(files),
        )

    def _may_read(self, repo_id: str) -> bool:
        """Whether a gated repository is open to us."""
        try:
            self._ask(f"/api/models/{repo_id}/auth-check", repo_id)
        except (GatedError, TokenError, RepositoryError):
            return False
        return True

    def _page_url(self, repo_id: str) -> str:
        return f"{self.endpoint}/{repo_id}"


def _model_info(data: Mapping[str, Any]) -> ModelInfo:
    try:
        return ModelInfo(**data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DownloadError(f"The hub gave an answer that makes no sense ({error!r}): check HF_ENDPOINT") from error


def _hub_model(info: ModelInfo) -> HubModel:
    return HubModel(
        repo_id=info.id,
        downloads=info.downloads,
        likes=info.likes,
        gate=_gate(info),
        license=_license(info),
        updated=None if info.last_modified is None else info.last_modified.date().isoformat(),
        kinds=tuple(kind for kind in _KINDS if kind in (info.tags or ())),
    )


def _files(repo_id: str, info: ModelInfo) -> tuple[RepositoryFile, ...]:
    siblings = info.siblings or []
    files = tuple(
        RepositoryFile(
            sibling.rfilename, sibling.size, None if sibling.lfs is None else sibling.lfs.sha256, sibling.blob_id
        )
        for sibling in siblings
        if sibling.size is not None
    )
    if siblings and not files:
        raise DownloadError(f"The hub tells no sizes of the files of {repo_id}: unset HF_ENDPOINT if it names a mirror")
    return files


def _gate(info: ModelInfo) -> Gate | None:
    return info.gated or None


def _license(info: ModelInfo) -> str | None:
    tags = info.tags or ()
    return next((tag.removeprefix(_LICENSE_TAG) for tag in tags if tag.startswith(_LICENSE_TAG)), None)


def _base_models(tags: Iterable[str]) -> tuple[str, ...]:
    """Of "base_model:owner/name"; the same follow once more, with what was done to them in between."""
    names = (tag.removeprefix(_BASE_MODEL_TAG) for tag in tags if tag.startswith(_BASE_MODEL_TAG))
    return tuple(name for name in names if ":" not in name)
