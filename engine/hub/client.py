"""Questions to the hub: search, a repository's facts, an account. Knows nothing of downloads and of threads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import huggingface_hub
from huggingface_hub.errors import HFValidationError
from huggingface_hub.utils import build_hf_headers, validate_repo_id

from engine import __version__
from engine.errors import GatedError, InvalidRequestError, RepositoryError, TokenError
from engine.hub.address import ENDPOINT_VARIABLE, hub_address
from engine.hub.answers import read_facts, read_models, read_object
from engine.hub.faults import HTTP_ERRORS, explain
from engine.hub.partial_file import ExpectedFile
from engine.hub.transfer import Origin
from engine.messages import HubModel, RepositoryFacts

REQUEST_TIMEOUT_S = 20.0
MAX_ATTEMPTS = 5
CONFIG_FILE = "config.json"
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
        return read_models(self._ask("/api/models", "models", params).content)

    def inspect(self, repo_id: str, revision: str | None = None) -> RepositoryFacts:
        """Raises `InvalidRequestError` for what cannot be a repository's name, `DownloadError`."""
        try:
            validate_repo_id(repo_id)
        except HFValidationError as error:
            raise InvalidRequestError(
                f"{repo_id!r} is no repository of the hub: write it as owner/name, as on its page"
            ) from error
        at = "" if revision is None else f"/revision/{quote(revision, safe='')}"
        facts = read_facts(
            self._ask(f"/api/models/{repo_id}{at}", repo_id, {"blobs": "true"}).content,
            repo_id,
            self._page_url(repo_id),
        )
        return facts if facts.gate is None else replace(facts, is_accessible=self._may_read(repo_id))

    def config(self, repo_id: str, revision: str | None = None) -> Mapping[str, Any]:
        """The repository's config.json. Raises `DownloadError` if there is none or it is no JSON object."""
        at = huggingface_hub.constants.DEFAULT_REVISION if revision is None else quote(revision, safe="")
        response = self._ask(f"/{repo_id}/resolve/{at}/{CONFIG_FILE}", repo_id)
        return read_object(response.content, f"{CONFIG_FILE} of {repo_id}")

    def account(self) -> str:
        """The name of the token's owner. Raises `DownloadError`."""
        about = "your account"
        return str(read_object(self._ask("/api/whoami-v2", about).content, about).get("name", "somebody"))

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

    def _may_read(self, repo_id: str) -> bool:
        """Whether a gated repository is open to us."""
        try:
            self._ask(f"/api/models/{repo_id}/auth-check", repo_id)
        except (GatedError, TokenError, RepositoryError):
            return False
        return True

    def _page_url(self, repo_id: str) -> str:
        return f"{self.endpoint}/{repo_id}"
