"""The folders in which models lie: the data folder's own, and others, on other drives too, that a file of it names.

Knows nothing of what is in them.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import sys
from collections.abc import Collection, Sequence
from pathlib import Path

from engine.errors import StorageError
from engine.store.files import replace, storage_errors, write_file
from engine.store.layout import PARTIAL_SUFFIX

FOLDERS_FILE = "folders.json"
FOLDERS_VERSION = 1

REMOVED_PREFIX = ".removed-"
"""Of what is being deleted; no model's id begins so."""
MOVING_PREFIX = ".moving-"
"""Of the copy of a model that is being made."""
TRASH_FOLDER = ".trash"

_MAX_PLAIN_LENGTH = 150
"""Windows takes paths of 260 characters; what lies below a folder of ours needs some hundred of them."""
_VERBATIM = "\\\\?\\"

_log = logging.getLogger(__name__)


def reachable(folder: Path, platform: str = sys.platform) -> Path:
    r"""The folder, written so that Windows takes long paths below it: `\\?\D:\…`, `\\?\UNC\server\…`."""
    if platform != "win32":
        return folder
    text = str(folder.absolute())
    if len(text) <= _MAX_PLAIN_LENGTH or text.startswith(_VERBATIM):
        return folder
    return Path(f"{_VERBATIM}UNC{text[1:]}" if text.startswith("\\\\") else _VERBATIM + text)


def model_folders(models_dir: Path) -> list[Path]:
    """`models_dir`, then the others in the order in which they were added; some may not be there now."""
    try:
        return [models_dir, *_read(models_dir)]
    except StorageError as error:
        _log.warning("only the data folder is looked at: %s", error)
        return [models_dir]


def add_model_folder(models_dir: Path, folder: Path) -> None:
    """Look for models in `folder` from now on. Raises `StorageError`."""
    others = _read(models_dir)
    if folder in (models_dir, *others):
        return
    _write(models_dir, [*others, folder])


def forget_empty_folders(models_dir: Path, used: Collection[Path]) -> None:
    """Look no more into folders that are there and have nothing of this program's. `used` have models.

    A folder on a drive that is not there stays, as does one with something in its trash. Raises `StorageError`.
    """
    others = _read(models_dir)
    kept = [folder for folder in others if folder in used or not _is_empty(folder)]
    if kept != others:
        _write(models_dir, kept)


def _is_empty(folder: Path) -> bool:
    """Whether nothing in it is this program's; an empty trash goes."""
    try:
        names = os.listdir(folder)
        if TRASH_FOLDER in names:
            (folder / TRASH_FOLDER).rmdir()
    except OSError:
        return False
    return not any(name.startswith((REMOVED_PREFIX, MOVING_PREFIX)) or name.endswith(PARTIAL_SUFFIX) for name in names)


def _write(models_dir: Path, folders: Sequence[Path]) -> None:
    content = {"format_version": FOLDERS_VERSION, "folders": [str(folder) for folder in folders]}
    write_file(models_dir / FOLDERS_FILE, [json.dumps(content, ensure_ascii=False, indent=1).encode()])


def remove_whole(path: Path) -> None:
    """Delete a file, or a folder, renamed first: cut off, no half of it is taken for a whole. Raises `StorageError`."""
    with storage_errors(path):
        if path.is_dir() and not path.is_symlink():
            doomed = path.with_name(f"{REMOVED_PREFIX}{path.name.removeprefix(REMOVED_PREFIX)}")
            if doomed != path:
                if os.path.lexists(doomed):
                    shutil.rmtree(doomed)
                replace(path, doomed)
            shutil.rmtree(doomed)
        else:
            path.unlink()


def _read(models_dir: Path) -> list[Path]:
    """Raises `StorageError` for a file that is none of this program's, so that it is not written over."""
    path = models_dir / FOLDERS_FILE
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["format_version"] != FOLDERS_VERSION:
            raise ValueError(f"format version {content['format_version']}")
        folders = [Path(folder) for folder in content["folders"]]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise StorageError(f"Cannot read {path} ({error}): correct it, or remove it and move models again") from error
    return [folder for folder in folders if folder.is_absolute()]
