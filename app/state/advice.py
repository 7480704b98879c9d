"""Owns the step that fits a file or a database that could not be read or written.

Does not know what was in it.
"""

from __future__ import annotations

import errno
import sqlite3

from app.i18n import QT_TRANSLATE_NOOP, translate

_FREE_SPACE = QT_TRANSLATE_NOOP("app", "Free some space on this disk.")
_PERMISSIONS = QT_TRANSLATE_NOOP("app", "Check that you may read and write this file and its folder.")
_BY_ERRNO = {
    errno.ENOSPC: _FREE_SPACE,
    errno.EDQUOT: _FREE_SPACE,
    errno.EACCES: _PERMISSIONS,
    errno.EPERM: _PERMISSIONS,
    errno.EROFS: QT_TRANSLATE_NOOP("app", "The disk can only be read: choose another data folder at the next start."),
    errno.EISDIR: QT_TRANSLATE_NOOP("app", "A folder stands in the file's place: move it away."),
    errno.ENOTDIR: QT_TRANSLATE_NOOP("app", "A file stands in the folder's place: move it away."),
}
_BY_CODE = {
    sqlite3.SQLITE_FULL: _FREE_SPACE,
    sqlite3.SQLITE_READONLY: _PERMISSIONS,
    sqlite3.SQLITE_PERM: _PERMISSIONS,
    sqlite3.SQLITE_CANTOPEN: _PERMISSIONS,
    sqlite3.SQLITE_BUSY: QT_TRANSLATE_NOOP("app", "Another program has the file open: end that one."),
    sqlite3.SQLITE_LOCKED: QT_TRANSLATE_NOOP("app", "Another program has the file open: end that one."),
    sqlite3.SQLITE_CORRUPT: QT_TRANSLATE_NOOP("app", "Start DeepInfer again: it sets a damaged file aside."),
    sqlite3.SQLITE_NOTADB: QT_TRANSLATE_NOOP("app", "Start DeepInfer again: it sets a damaged file aside."),
}
# The low byte of an extended code is the plain one.
_CODE_MASK = 0xFF


def file_advice(error: OSError) -> str:
    """What to do after an `OSError`, as a sentence."""
    words = _BY_ERRNO.get(
        error.errno or 0, QT_TRANSLATE_NOOP("app", "Check the disk, or choose another data folder at the next start.")
    )
    return translate("app", words)


def is_busy(error: sqlite3.Error) -> bool:
    """Whether another program, or another connection of this one, has the database locked."""
    return getattr(error, "sqlite_errorcode", 0) & _CODE_MASK in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def database_advice(error: sqlite3.Error) -> str:
    """What to do after an error of SQLite, as a sentence."""
    # An error of the module itself, such as a closed connection, has no code.
    code = getattr(error, "sqlite_errorcode", 0) & _CODE_MASK
    words = _BY_CODE.get(
        code, QT_TRANSLATE_NOOP("app", "Start DeepInfer again; if it goes on, with another data folder.")
    )
    return translate("app", words)
