"""From a repository of the hub to a listed model: facts, room, download, check, convert. Each step can be resumed.

Knows nothing of threads and events.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from engine.convert.options import QuantizeOptions
from engine.convert.pipeline import Conversion, Converted, IsCancelled, combined_digest, convert_file, has_model
from engine.convert.writing import OnProgress
from engine.errors import GatedError
from engine.hub.client import HubClient
from engine.hub.partial_file import ExpectedFile, PartialFile
from engine.hub.selection import choose, stem_of
from engine.hub.tokens import find_token
from engine.hub.transfer import Transfer, TransferLimits
from engine.jobs.hub_header import require_readable
from engine.jobs.hub_spec import require_runnable
from engine.jobs.pause import pause
from engine.messages import HubJob, ModelChoice, RepositoryFacts
from engine.store.files import storage_errors
from engine.store.lock import exclusive
from engine.store.names import model_id_of
from engine.store.reserve import DiskReserve, Hold

MARGIN_BYTES = 256 << 20
"""Room that stays free beside the download and the model made of it."""


@dataclass(frozen=True, slots=True)
class JobReport:
    """What a job tells on its way: counts of a stage, and why it waits."""

    on_progress: OnProgress
    on_wait: Callable[[str], None]
    is_cancelled: IsCancelled


def fetch_repository(
    job: HubJob, home: Path, report: JobReport, reserve: DiskReserve, limits: TransferLimits | None = None
) -> Converted:
    """Make the chosen files a listed model; does nothing if they are one already.

    A model that cannot run is refused before it is downloaded, as far as the hub, its config.json or a GGUF's header
    tell.
    Raises `DownloadError` and what derives from it, `SourceError` for such a model, `InvalidRequestError` for a choice
    that the repository has not, `StorageError`, `JobCancelledError`, and what `convert_file` raises.
    """

    def wait(why: str, duration_s: float) -> None:
        report.on_wait(f"{why}. Next try in {duration_s:.0f} s")
        pause(duration_s, report.is_cancelled)

    client = HubClient(find_token(), wait, job.endpoint)
    facts = client.inspect(job.repo_id, job.revision)
    choice = choose(facts, job.files)
    _require_access(facts)
    work = _work_folder(home, facts, choice)
    files = [client.expected_file(facts, path, work) for path in choice.paths]
    conversion = _conversion(job, facts, choice, files)
    busy = f"{job.repo_id} is being downloaded by another process or job: wait until it has ended"
    with exclusive(home / "locks" / f"{work.name}.lock", busy):
        if conversion.sha256 is not None and has_model(home, conversion, report.on_progress, report.is_cancelled):
            _remove(work)
            return Converted(conversion.target_id, was_there=True)
        partials = [PartialFile(file) for file in files if not _is_there(file, report)]
        if partials:
            require_runnable(client, facts, choice)
            if not any(partial.ranges.num_bytes for partial in partials):
                require_readable(client, facts, choice, report.is_cancelled)
        missing_bytes = sum(stop - start for partial in partials for start, stop in partial.gaps())
        with reserve.hold(work, missing_bytes + choice.size_bytes + MARGIN_BYTES) as hold:
            _download(client, facts, partials, hold, report, limits)
            converted = convert_file(home, conversion, report.on_progress, report.is_cancelled)
        _remove(work)
        return converted


def _require_access(facts: RepositoryFacts) -> None:
    if not facts.is_accessible:
        raise GatedError(
            f"{facts.repo_id} wants its terms accepted first: do so at {facts.page_url}, log in with `hub login` "
            "with the same account, then start again"
        )


def _download(
    client: HubClient,
    facts: RepositoryFacts,
    partials: list[PartialFile],
    hold: Hold,
    report: JobReport,
    limits: TransferLimits | None,
) -> None:
    total_bytes = sum(partial.expected.size_bytes for partial in partials)
    reserved_bytes, there_bytes = hold.left_bytes, sum(partial.ranges.num_bytes for partial in partials)

    def on_bytes(done_bytes: int) -> None:
        hold.left_bytes = reserved_bytes - (done_bytes - there_bytes)
        report.on_progress("download", done_bytes, total_bytes)

    if partials:
        on_bytes(there_bytes)
        Transfer(client.origin(facts), partials, on_bytes, report.on_wait, report.is_cancelled, limits).run()
    for partial in partials:
        partial.finish(_Count(partial.expected, report), report.is_cancelled)


def _is_there(file: ExpectedFile, report: JobReport) -> bool:
    """Whether an earlier run has brought the file, read through once more; another of its name is removed."""
    with storage_errors(file.target):
        if not file.target.is_file():
            return False
        if file.target.stat().st_size == file.size_bytes:
            found = file.digest_of(file.target, _Count(file, report), report.is_cancelled)
            if found == file.digest:
                return True
        file.target.unlink()
        return False


class _Count:
    """Adds up the bytes of a file that have been read, and reports them."""

    def __init__(self, file: ExpectedFile, report: JobReport) -> None:
        self._total_bytes = file.size_bytes
        self._report = report
        self._done_bytes = 0

    def __call__(self, num_bytes: int) -> None:
        self._done_bytes += num_bytes
        self._report.on_progress("verify", self._done_bytes, self._total_bytes)


def _conversion(job: HubJob, facts: RepositoryFacts, choice: ModelChoice, files: list[ExpectedFile]) -> Conversion:
    """What to make of the files, named after the model and identified by what the hub says of all of them."""
    source, name, sha256 = files[0].target, job.name, files[0].sha256
    if len(files) > 1:
        sha256 = combined_digest({file.target.name: file.digest for file in files})
    if choice.kind == "safetensors":
        source, name = source.parent, name or PurePosixPath(facts.repo_id).name
    elif len(files) > 1:
        name = name or stem_of(choice.paths[0])
    options = QuantizeOptions.of_quality(job.quality)
    return Conversion(source, name, options, license=facts.license, sha256=sha256)


def _work_folder(home: Path, facts: RepositoryFacts, choice: ModelChoice) -> Path:
    """The same for the same files of the same commit, so that a later start finds what is there; short for Windows."""
    key = "\n".join((facts.repo_id, facts.commit, *choice.paths))
    name = model_id_of(f"hub {PurePosixPath(facts.repo_id).name}")[:40].rstrip("-_.")
    return home / "downloads" / f"{name}-{hashlib.sha256(key.encode()).hexdigest()[:12]}"


def _remove(work: Path) -> None:
    with suppress(OSError):
        shutil.rmtree(work)
