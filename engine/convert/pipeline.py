"""One file into the library: checks first, then layer by layer into a partial checkpoint, verified and renamed.

Knows nothing of threads, of downloads and of the command line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from engine.convert.options import QuantizeOptions
from engine.convert.sources.gguf_source import GgufSource
from engine.errors import DamagedCheckpointError, InvalidRequestError, SourceError
from engine.messages import JobStage
from engine.store import layout
from engine.store.checkpoint import verify_files
from engine.store.files import check_cancelled, hash_file, require_free_space, storage_errors
from engine.store.library import Library
from engine.store.lock import exclusive
from engine.store.manifest import Manifest, SourceRecord, digests
from engine.store.names import model_id_of
from engine.store.partial import PartialCheckpoint, partial_folder, remove_model

OnProgress = Callable[[JobStage, int, int], None]
IsCancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Conversion:
    """What to convert. The id follows from the name, the name from the file's, unless they are given.

    `license` counts where the file names none. `sha256` is the source's if it is known already.
    """

    source: Path
    name: str | None = None
    options: QuantizeOptions = field(default_factory=QuantizeOptions)
    model_id: str | None = None
    license: str | None = None
    sha256: str | None = None

    @property
    def display_name(self) -> str:
        return self.name or self.source.stem

    @property
    def target_id(self) -> str:
        """Raises `InvalidRequestError` if the name makes no id."""
        return self.model_id or model_id_of(self.display_name)

    def record(self, sha256: str) -> SourceRecord:
        return SourceRecord(self.source.name, sha256, self.options.bits, self.options.group_size)


@dataclass(frozen=True, slots=True)
class Converted:
    """`was_there`: the model had been made before from the same source with the same options."""

    model_id: str
    was_there: bool


def convert_file(home: Path, conversion: Conversion, on_progress: OnProgress, is_cancelled: IsCancelled) -> Converted:
    """Make a listed model of a file. Resumes what an earlier call with the same source and options has finished.

    A model that is damaged is made again; nothing else that has the folder is ever removed. Raises `SourceError`,
    `StorageError`, `InvalidRequestError` for a name that is taken, `CheckpointError` if what has the folder cannot be
    told or read, or if the disk gives back other bytes than were written, `JobCancelledError`.
    """
    name, model_id = conversion.display_name, conversion.target_id
    busy = f"{name} is being converted by another process or job: wait until it has ended"
    with (
        GgufSource(conversion.source, conversion.options, is_cancelled) as source,
        exclusive(home / "locks" / f"{model_id}.lock", busy),
    ):
        folder = Library(home / "models").folder(model_id)
        if not folder.exists() and not partial_folder(folder).exists():
            # Known before the source is read through, which takes long for a large one.
            require_free_space(folder, _size_bytes(source))
        sha256 = conversion.sha256 or _source_digest(conversion.source, on_progress, is_cancelled)
        if has_model(home, replace(conversion, sha256=sha256), on_progress, is_cancelled):
            return Converted(model_id, True)
        record = conversion.record(sha256)
        with storage_errors(folder):
            # What may still be there is this very model, damaged.
            remove_model(folder)
        partial = PartialCheckpoint(folder, {"format_version": layout.FORMAT_VERSION, **asdict(record)})
        partial.begin(is_cancelled)
        require_free_space(partial.folder, _size_bytes(source) - partial.finished_bytes)
        try:
            _write_files(partial, source, on_progress, is_cancelled)
        except SourceError:
            # No later run can go on from here.
            partial.discard()
            raise
        manifest = _manifest(partial, source, model_id, name, record, conversion.license)
        partial.finish(manifest, lambda done, total: on_progress("verify", done, total), is_cancelled)
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


def _source_digest(path: Path, on_progress: OnProgress, is_cancelled: IsCancelled) -> str:
    done_bytes = 0

    def on_bytes(count: int) -> None:
        nonlocal done_bytes
        done_bytes += count
        on_progress("verify", min(done_bytes, total_bytes), total_bytes)

    try:
        total_bytes = path.stat().st_size
        return hash_file(path, on_bytes, is_cancelled).sha256
    except OSError as error:
        raise SourceError(f"Cannot read {path}: {error.strerror}") from error


def _require_same(manifest: Manifest, name: str, record: SourceRecord) -> None:
    """Raises `InvalidRequestError` if the model came from another source or with other options."""
    found = manifest.source
    if (found.sha256, found.bits, found.group_size) == (record.sha256, record.bits, record.group_size):
        return
    if found.sha256 != record.sha256:
        difference = f"made from another file ({found.file_name})"
    else:
        bits = "auto" if found.bits is None else found.bits
        difference = f"made with other options (bits {bits}, groups of {found.group_size})"
    raise InvalidRequestError(
        f"There is already a model {manifest.model_id}, {difference}: choose another name than {name!r} with --name"
    )


def _size_bytes(source: GgufSource) -> int:
    """What the checkpoint takes on disk, small files and norms left out."""
    shapes = layout.matrix_shapes(source.spec)
    matrices = sum(form.size_bytes(*shapes[name.rpartition(".")[2]]) for name, form in source.formats().items())
    return matrices + len(source.tokenizer.tokenizer_json)


def _write_files(
    partial: PartialCheckpoint, source: GgufSource, on_progress: OnProgress, is_cancelled: IsCancelled
) -> None:
    tokenizer, num_layers = source.tokenizer, source.spec.num_layers
    on_progress("convert", 0, num_layers)
    partial.write_text(layout.TOKENIZER_FILE, tokenizer.tokenizer_json)
    if tokenizer.chat_template is not None:
        partial.write_text(layout.TEMPLATE_FILE, tokenizer.chat_template)
    partial.write_text(layout.GENERATION_FILE, tokenizer.generation.to_text())
    if not partial.has(layout.EMBED_FILE):
        partial.write_embedding(source.read_embedding())
    for index in range(num_layers):
        check_cancelled(is_cancelled)
        if not partial.has(layout.layer_file(index)):
            partial.write_layer(index, source.read_layer(index))
        on_progress("convert", index + 1, num_layers)
    if not partial.has(layout.HEAD_FILE):
        partial.write_head(source.read_head())


def _manifest(
    partial: PartialCheckpoint,
    source: GgufSource,
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
        quantization=source.formats(),
        source=record,
        license=source.license or fallback_license,
        generation=source.tokenizer.generation,
        files=partial.files,
        weights_digest=weights_digest,
        tokenizer_digest=tokenizer_digest,
    )
