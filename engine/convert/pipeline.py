"""One model into the library: checks first, then layer by layer into a partial checkpoint, verified and renamed.

Knows nothing of threads, of downloads and of the command line.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from engine.convert.heap import large_blocks_returned
from engine.convert.opening import open_source, source_name
from engine.convert.options import QuantizeOptions
from engine.convert.packing import planned_format
from engine.convert.source import Source, matrices
from engine.convert.writing import OnProgress, Writer, settled_options
from engine.errors import DamagedCheckpointError, InvalidRequestError, SourceError
from engine.store import layout
from engine.store.files import hash_file, require_free_space
from engine.store.folders import remove_whole
from engine.store.library import Library
from engine.store.lock import exclusive
from engine.store.manifest import Manifest, SourceRecord, digests
from engine.store.names import model_id_of, readable_name
from engine.store.partial import PartialCheckpoint, partial_folder
from engine.store.verification import verify_files

IsCancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Conversion:
    """What to convert: a file, or a folder of files. The id follows from the name, the name from the source's, unless
    they are given.

    `license` counts where the source names none. `sha256` is the source's if it is known already; that of a model of
    several files is over their names and digests.
    """

    source: Path
    name: str | None = None
    options: QuantizeOptions = field(default_factory=QuantizeOptions)
    model_id: str | None = None
    license: str | None = None
    sha256: str | None = None

    @property
    def display_name(self) -> str:
        return self.name or source_name(self.source)

    @property
    def target_id(self) -> str:
        """Raises `InvalidRequestError` if the name makes no id."""
        return self.model_id or model_id_of(self.display_name)

    def record(self, sha256: str) -> SourceRecord:
        return SourceRecord(readable_name(self.source.name), sha256, **asdict(self.options))


@dataclass(frozen=True, slots=True)
class Converted:
    """`was_there`: the model had been made before from the same source with the same options."""

    model_id: str
    was_there: bool


def convert_file(home: Path, conversion: Conversion, on_progress: OnProgress, is_cancelled: IsCancelled) -> Converted:
    """Make a listed model of a file or folder; resumes what an earlier call with the same source and options has done.

    A model that is damaged is made again; nothing else that has the folder is ever removed. Raises `SourceError`,
    `StorageError`, `InvalidRequestError` for a name that is taken, `CheckpointError` if what has the folder cannot be
    told or read, or if the disk gives back other bytes than were written, `JobCancelledError`.
    """
    name, model_id = conversion.display_name, conversion.target_id
    busy = f"{name} is being converted by another process or job: wait until it has ended"
    with (
        large_blocks_returned(),
        open_source(conversion.source) as source,
        exclusive(home / "locks" / f"{model_id}.lock", busy),
    ):
        options = settled_options(source, conversion.options)
        size_bytes = checkpoint_bytes(source, options)
        folder = Library(home / "models").folder(model_id)
        if not folder.exists() and not partial_folder(folder).exists():
            # Known before the source is read through, which takes long for a large one.
            require_free_space(folder, size_bytes)
        sha256 = conversion.sha256 or _source_digest(source.paths, on_progress, is_cancelled)
        if has_model(home, replace(conversion, sha256=sha256), on_progress, is_cancelled):
            return Converted(model_id, True)
        record = conversion.record(sha256)
        if folder.exists():
            # What is still there is this very model, damaged.
            remove_whole(folder)
        partial = PartialCheckpoint(folder, {"format_version": layout.FORMAT_VERSION, **asdict(record)})
        partial.begin(is_cancelled)
        require_free_space(partial.folder, size_bytes - partial.finished_bytes)
        manifest = functools.partial(_manifest, partial, source, model_id, name, record, conversion.license)
        writer = Writer(partial, source, options, manifest, on_progress, is_cancelled)
        try:
            writer.write()
            fidelity = writer.measure()
        except SourceError:
            # No later run can go on from here.
            partial.discard()
            raise
        partial.finish(
            replace(manifest(), fidelity=fidelity), lambda done, total: on_progress("verify", done, total), is_cancelled
        )
        return Converted(model_id, False)


def has_model(home: Path, conversion: Conversion, on_progress: OnProgress, is_cancelled: IsCancelled) -> bool:
    """Whether this conversion, whose source's sha256 is known, has been made before and is still whole.

    False if there is no folder, or one with files that are missing or differ from their record: only such a model may
    be removed. Raises `InvalidRequestError` if another model has the id, `CheckpointError` if what has the folder
    cannot be told or read, `JobCancelledError`.
    """
    assert conversion.sha256 is not None
    library = Library(home / "models")
    try:
        manifest = library.manifest(conversion.target_id)
        if manifest is None:
            return False
        _require_same(manifest, conversion.display_name, conversion.record(conversion.sha256))
        folder = library.folder(conversion.target_id)
        verify_files(folder, manifest.files, lambda done, total: on_progress("verify", done, total), is_cancelled)
    except DamagedCheckpointError:
        return False
    return True


def _source_digest(paths: Sequence[Path], on_progress: OnProgress, is_cancelled: IsCancelled) -> str:
    done_bytes = 0

    def on_bytes(count: int) -> None:
        nonlocal done_bytes
        done_bytes += count
        on_progress("verify", min(done_bytes, total_bytes), total_bytes)

    digests_by_name = {}
    try:
        total_bytes = sum(path.stat().st_size for path in paths)
        for path in paths:
            digests_by_name[path.name] = hash_file(path, on_bytes, is_cancelled).sha256
    except OSError as error:
        raise SourceError(f"Cannot read {error.filename}: {error.strerror}") from error
    return combined_digest(digests_by_name)


def combined_digest(digests_by_name: Mapping[str, str]) -> str:
    """What identifies a source: the digest of its only file, or one over the names and digests of all."""
    if len(digests_by_name) == 1:
        return next(iter(digests_by_name.values()))
    lines = "".join(f"{name} {digest}\n" for name, digest in sorted(digests_by_name.items()))
    return hashlib.sha256(lines.encode()).hexdigest()


def _require_same(manifest: Manifest, name: str, record: SourceRecord) -> None:
    """Raises `InvalidRequestError` if the model came from another source or with other options."""
    found = manifest.source
    if replace(found, file_name=record.file_name) == record:
        return
    if found.sha256 != record.sha256:
        difference = f"made from another file ({found.file_name})"
    else:
        difference = f"made with other options ({found.options_text})"
    raise InvalidRequestError(
        f"There is already a model {manifest.model_id}, {difference}: choose another name than {name!r} with --name"
    )


def checkpoint_bytes(source: Source, options: QuantizeOptions) -> int:
    """What the checkpoint takes on disk with settled options, small files and norms left out."""
    sizes = (
        planned_format(matrix, options.of_matrix(name.rpartition(".")[2])).size_bytes(
            matrix.num_rows, matrix.num_columns
        )
        for name, matrix in matrices(source)
    )
    return sum(sizes) + len(source.tokenizer.tokenizer_json)


def _manifest(
    partial: PartialCheckpoint,
    source: Source,
    model_id: str,
    name: str,
    record: SourceRecord,
    fallback_license: str | None,
) -> Manifest:
    weights_digest, tokenizer_digest = digests(partial.files)
    return Manifest(
        model_id=model_id,
        name=name,
        spec=source.spec,
        quantization=partial.formats,
        source=record,
        license=source.license or fallback_license,
        generation=source.tokenizer.generation,
        files=partial.files,
        weights_digest=weights_digest,
        tokenizer_digest=tokenizer_digest,
    )
