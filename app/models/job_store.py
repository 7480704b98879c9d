"""Owns the list of jobs on disk, so that what was begun is still there at the next start.

Knows nothing of how jobs run; those that ran when the program ended count as paused.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from app.state.json_file import write_json
from engine.messages import ConvertJob, FetchJob, HubJob, Job

_log = logging.getLogger(__name__)

JobStanding = Literal["running", "paused", "failed"]
_KINDS: Mapping[str, type[FetchJob] | type[ConvertJob] | type[HubJob]] = {
    "fetch": FetchJob,
    "convert": ConvertJob,
    "hub": HubJob,
}


@dataclass(frozen=True, slots=True)
class JobRecord:
    """A job that is not done. `text` is its last progress in words, `code` and `message` an error's."""

    job_id: str
    title: str
    job: Job
    standing: JobStanding = "running"
    text: str = ""
    code: str | None = None
    message: str | None = None
    share: float = 0.0
    """How much of it was done, all its stages together, from 0 to 1."""


class JobStore:
    """Records in the order in which they were begun. Each change is written at once, to a file that takes its place."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._records = {record.job_id: record for record in self._read()}

    def __iter__(self) -> Iterator[JobRecord]:
        return iter(list(self._records.values()))

    def get(self, job_id: str) -> JobRecord | None:
        return self._records.get(job_id)

    def put(self, record: JobRecord) -> None:
        """Jobs of a kind that cannot be begun again are known only until the program ends."""
        if self._records.get(record.job_id) != record:
            self._records[record.job_id] = record
            self._write()

    def remove(self, job_id: str) -> None:
        if self._records.pop(job_id, None) is not None:
            self._write()

    def _read(self) -> list[JobRecord]:
        try:
            data = json.loads(self._path.read_text(encoding="utf-8"))
            return [_from_json(fields) for fields in data["jobs"]]
        except FileNotFoundError:
            return []
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            # What was downloaded is kept all the same, and found again when the model is asked for.
            _log.warning("the list of jobs %s cannot be read: %s", self._path, error)
            return []

    def _write(self) -> None:
        jobs = [_to_json(record) for record in self._records.values() if _kind(record.job) is not None]
        try:
            write_json(self._path, {"version": 1, "jobs": jobs})
        except OSError as error:
            # The jobs themselves go on; only the list would be gone at the next start.
            _log.warning("the list of jobs cannot be written: %s", error)


def _kind(job: Job) -> str | None:
    return next((kind for kind, known in _KINDS.items() if isinstance(job, known)), None)


def _to_json(record: JobRecord) -> dict[str, Any]:
    return {**asdict(record), "kind": _kind(record.job)}


def _from_json(fields: Mapping[str, Any]) -> JobRecord:
    job = dict(fields["job"])
    if "files" in job:
        job["files"] = tuple(job["files"])
    record = JobRecord(
        str(fields["job_id"]),
        str(fields["title"]),
        _KINDS[fields["kind"]](**job),
        fields["standing"],
        str(fields["text"]),
        fields["code"],
        fields["message"],
        # Lists of earlier versions have none.
        float(fields.get("share", 0.0)),
    )
    return replace(record, standing="paused") if record.standing == "running" else record
