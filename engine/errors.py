"""Errors that a user sees: each message names the thing, the numbers and the next step."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

PART_IS_MISSING = "a part of this program is missing or damaged. Install the program again"
"""In place of a library's name, which tells a person nothing; the log has it."""


class EngineError(Exception):
    """A failure that a person can act on. `code` is stable and crosses the bridge; the message is for reading."""

    code: ClassVar[str] = "engine_error"


class InvalidRequestError(EngineError):
    """The request's own content is wrong: an empty prompt, a bad sampling parameter."""

    code = "invalid_request"


class RequestTooLongError(EngineError):
    """The request could never fit the model's context or the whole block pool."""

    code = "request_too_long"


class TextError(EngineError):
    """The tokenizer could not turn text into tokens, or an answer's tokens into text."""

    code = "text_failed"


class QueueFullError(EngineError):
    """The waiting queue is at its bound."""

    code = "queue_full"


class DeadlineError(EngineError):
    """A request had not ended when its time was over."""

    code = "deadline"


class NoModelError(EngineError):
    """A request came while no model was loaded."""

    code = "no_model"


class ModelNotFoundError(EngineError):
    """No listed model has this name."""

    code = "model_not_found"


class DraftModelError(EngineError):
    """The draft model is missing, or its tokens are not those of the model it should guess for."""

    code = "draft_model"


class ModelBusyError(EngineError):
    """The loaded model still has live requests."""

    code = "model_busy"


class OutOfMemoryError(EngineError):
    """The model and a useful pool do not fit the memory that is free."""

    code = "out_of_memory"


class ForwardError(EngineError):
    """The model's arithmetic failed for one request."""

    code = "forward_failed"


class CheckpointError(EngineError):
    """A model's folder is incomplete, damaged, or of another format version."""

    code = "checkpoint"


class DamagedCheckpointError(CheckpointError):
    """Files of a model are missing or differ from its manifest's record: making the model anew mends it."""


class SourceError(EngineError):
    """A file that was to be converted is truncated, of another kind, or of an unsupported architecture."""

    code = "source"


class StorageError(EngineError):
    """The disk is full, or the folder cannot be written."""

    code = "storage"


class BusyError(StorageError):
    """Another process or job works on the same model or download."""


class SnapshotError(EngineError):
    """A saved prefix cannot be written, or cannot be installed in the running model."""

    code = "snapshot"


class NoRoomError(StorageError):
    """The disk of `folder` has too little room. `needed_bytes` None: it was found full while writing."""

    def __init__(self, message: str, folder: Path, needed_bytes: int | None = None) -> None:
        super().__init__(message)
        self.folder = folder
        self.needed_bytes = needed_bytes


class DownloadError(EngineError):
    """A download could not be completed or failed its checksum."""

    code = "download"


class OfflineError(DownloadError):
    """The hub cannot be reached, or answers that it is out of order."""

    code = "offline"


class RateLimitError(DownloadError):
    """The hub has been asked too often."""

    code = "rate_limit"


class RepositoryError(DownloadError):
    """The hub has no such repository, revision or file, or shows it to others only."""

    code = "repository"


class GatedError(DownloadError):
    """A repository's terms must be accepted first, on its page."""

    code = "gated"


class TokenError(DownloadError):
    """The hub refuses the access token, or the keyring that should keep it does not work."""

    code = "token"


class BackendError(EngineError):
    """The asked-for backend cannot run on this machine."""

    code = "backend"


class JobCancelledError(EngineError):
    """Raised inside a job at its next safe point after it was cancelled."""

    code = "cancelled"
