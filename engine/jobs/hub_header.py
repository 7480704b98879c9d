"""What the header of a GGUF file on the hub says of its model, read there instead of downloading the file.

Knows nothing of threads and events.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from engine.errors import DownloadError, SourceError
from engine.hub.client import HubClient
from engine.hub.partial_file import IsCancelled
from engine.hub.remote_file import FIRST_BYTES, RemoteFile
from engine.hub.selection import usual
from engine.messages import ModelChoice, RepositoryFacts
from engine.spec import ModelSpec

LARGE_BYTES = 256 << 20
"""From this size on a file's header is little beside the file."""
_FIRST_BYTES_OF_A_PART = 256 << 10
"""Behind the first part of a split file the headers have tensors and no vocabulary."""


def with_header(
    client: HubClient, facts: RepositoryFacts, choice: ModelChoice, is_cancelled: IsCancelled
) -> RepositoryFacts:
    """The facts with `spec` or `refusal` from a file; others of the same model have the same numbers in other codes.

    Facts that tell already stay as they are. Raises `DownloadError`, `JobCancelledError`, and `SourceError` for one
    of several models that cannot run: the others may.
    """
    if not facts.needs_header(choice):
        return facts
    same = [other for other in facts.choices if other.kind == "gguf" and other.model == choice.model]
    is_alone = len(same) == len(facts.choices)
    try:
        spec = header_spec(client, facts, _easiest(same), is_cancelled)
    except SourceError as error:
        if not is_alone:
            raise
        return replace(facts, refusal=str(error))
    return replace(facts, spec=spec, spec_model=None if is_alone else choice.model)


def _easiest(choices: Sequence[ModelChoice]) -> ModelChoice:
    """One file rather than many parts, each of which has a header."""
    num_parts = min(len(choice.paths) for choice in choices)
    found = usual([choice for choice in choices if len(choice.paths) == num_parts])
    assert found is not None, choices
    return found


def require_readable(client: HubClient, facts: RepositoryFacts, choice: ModelChoice, is_cancelled: IsCancelled) -> None:
    """Look at the header of a large GGUF before all of it is downloaded.

    Raises `SourceError` for what could not be converted, `JobCancelledError`. A header that cannot be had says
    nothing: the download tries longer, and tells what is in the way.
    """
    if choice.kind == "gguf" and choice.size_bytes >= LARGE_BYTES:
        with suppress(DownloadError):
            header_spec(client, facts, choice, is_cancelled)


def header_spec(client: HubClient, facts: RepositoryFacts, choice: ModelChoice, is_cancelled: IsCancelled) -> ModelSpec:
    """Held to all that the whole file will be held to, the weights aside.

    Raises `SourceError` for a file that is damaged or a model that cannot run, `DownloadError`, `JobCancelledError`.
    """
    # Imported where it is asked: the libraries of files take a while.
    from engine.convert.sources.gguf_container import GgufFile
    from engine.convert.sources.gguf_files import GgufFiles
    from engine.convert.sources.gguf_source import GgufSource

    files = {Path(path): client.expected_file(facts, path, Path()) for path in choice.paths}
    first = next(iter(files))

    def open_part(path: Path) -> GgufFile:
        first_bytes = FIRST_BYTES if path == first else _FIRST_BYTES_OF_A_PART
        file = RemoteFile(client.origin(facts), files[path], is_cancelled, first_bytes)
        return GgufFile(path, file, files[path].size_bytes)

    with GgufSource(first, GgufFiles(first, tuple(files), open_part), is_outline=True) as source:
        return source.spec
