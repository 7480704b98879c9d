"""Owns the names of jobs: what a job is about can be read from its id.

Knows nothing of how jobs run.
"""

from __future__ import annotations

_FETCH = "fetch:"
_CONVERT = "convert:"
_HUB = "hub:"
_MOVE = "move:"
_VERIFY = "verify:"


def fetch_job_id(catalog_id: str) -> str:
    return _FETCH + catalog_id


def convert_job_id(path: str) -> str:
    return _CONVERT + path


def converted_path(job_id: str) -> str | None:
    """The path that a job converts, None for another kind of job."""
    return job_id.removeprefix(_CONVERT) if job_id.startswith(_CONVERT) else None


def hub_job_id(repo_id: str, choice: str, quality: str) -> str:
    return f"{_HUB}{repo_id}:{choice}:{quality}"


def move_job_id(model_id: str) -> str:
    return _MOVE + model_id


def verify_job_id(model_id: str) -> str:
    return _VERIFY + model_id


def is_verification(job_id: str) -> bool:
    return job_id.startswith(_VERIFY)


def is_download(job_id: str) -> bool:
    """Whether the job fetches what it then converts."""
    return job_id.startswith((_FETCH, _HUB))


def brings_model(job_id: str) -> bool:
    """Whether the job makes a model that was not there before."""
    return not job_id.startswith((_MOVE, _VERIFY))
