"""Owns the file of the chats as a database: opening it, its transactions, and what to do when it cannot be used.

Does not know its tables; see `schema`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from app.i18n import QT_TRANSLATE_NOOP, translate
from app.state.advice import database_advice, is_busy
from app.state.schema import SCHEMA_VERSION, bring_up_to_date, schema_version
from app.state.set_aside import set_aside

_WAIT_MS = 500
"""For a lock that another program has on the file: the window stands still meanwhile."""
_PATIENT_WAIT_MS = 5000


class HistoryError(Exception):
    """The chats could not be written or read; the message says why and what to do."""


class Database:
    """One connection. What is written in one `writing` is there whole or not at all, also after a kill."""

    def __init__(self, path: Path | None) -> None:
        """Opens or makes the file; without a path, a database in memory. Raises `HistoryError`."""
        self.path = path
        self.notice: str | None = None
        """What a person should know about how the file was opened; None if all is well."""
        self.write_problems: set[str] = set()
        """Why it could not be written; whoever sees that it can again takes them out."""
        try:
            self._db = self._open()
        except sqlite3.OperationalError as error:  # no permission, locked, no space: the file itself may be sound
            words = translate("app", "Cannot open {path}: {error}. {advice}")
            raise HistoryError(words.format(path=path, error=error, advice=database_advice(error))) from error
        except (sqlite3.DatabaseError, UnicodeDecodeError):  # a schema of broken bytes is no text
            self._start_anew("damaged", translate("app", "The chat history is damaged."))
        else:
            version = schema_version(self._db)
            if version > SCHEMA_VERSION:
                self._db.close()
                words = translate(
                    "app", "The chat history was written by a newer DeepInfer (schema {version}, known {known})."
                )
                self._start_anew("newer", words.format(version=version, known=SCHEMA_VERSION))

    def _open(self) -> sqlite3.Connection:
        """Raises sqlite3.DatabaseError if the file is no sound database."""
        db = sqlite3.connect(self.path or ":memory:", isolation_level=None)
        try:
            db.execute("PRAGMA journal_mode = WAL")
            # With WAL this survives a killed process; a power cut may take the newest commits, never the file.
            db.execute("PRAGMA synchronous = NORMAL")
            (verdict,) = db.execute("PRAGMA quick_check(1)").fetchone()
            if verdict != "ok":
                raise sqlite3.DatabaseError(verdict)
            # Foreign keys are off until then, as the steps need it.
            bring_up_to_date(db)
            db.execute("PRAGMA foreign_keys = ON")
            db.execute(f"PRAGMA busy_timeout = {_WAIT_MS}")
        except (sqlite3.Error, UnicodeDecodeError):
            db.close()
            raise
        return db

    def _start_anew(self, reason: str, why: str) -> None:
        assert self.path is not None, "a history in memory cannot be damaged"
        try:
            kept = set_aside(self.path, reason, companions=("-wal", "-shm"))
            self._db = self._open()
        except (OSError, sqlite3.Error) as error:
            words = translate("app", "{why} It cannot be set aside: {error}. Move {path} away.")
            raise HistoryError(words.format(why=why, error=error, path=self.path)) from error
        words = translate("app", "{why} It was kept as {name}, and a new history was started.")
        self.notice = words.format(why=why, name=kept.name)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Raises `HistoryError`."""
        words = QT_TRANSLATE_NOOP("app", "Chats cannot be read from {place}: {error}. {advice}")
        with self._transaction("BEGIN", words) as db:
            yield db

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Raises `HistoryError`; nothing was written then."""
        words = QT_TRANSLATE_NOOP("app", "Chats cannot be saved to {place}: {error}. {advice}")
        busy_words = QT_TRANSLATE_NOOP(
            "app",
            "Chats cannot be saved to {place} yet: another program has the file open. What is written in chats is kept "
            "here, and saved as soon as that has ended.",
        )
        try:
            with self._transaction("BEGIN IMMEDIATE", words, busy_words) as db:
                yield db
        except HistoryError as error:
            self.write_problems.add(str(error))
            raise

    @contextmanager
    def patient(self) -> Iterator[None]:
        """Waits longer for a lock, where there is no later try."""
        # A database that cannot be used says so to whoever writes to it.
        usual_ms = _WAIT_MS
        with suppress(sqlite3.Error):
            (usual_ms,) = self._db.execute("PRAGMA busy_timeout").fetchone()
            self._db.execute(f"PRAGMA busy_timeout = {_PATIENT_WAIT_MS}")
        try:
            yield
        finally:
            with suppress(sqlite3.Error):
                self._db.execute(f"PRAGMA busy_timeout = {usual_ms}")

    @contextmanager
    def elsewhere(self) -> Iterator[sqlite3.Connection]:
        """A connection for another thread, without a transaction; in memory there is only this one.

        Raises `HistoryError`.
        """
        if self.path is None:
            yield self._db
            return
        try:
            db = sqlite3.connect(self.path, isolation_level=None)
            try:
                db.execute("PRAGMA foreign_keys = ON")
                yield db
            finally:
                db.close()
        except sqlite3.Error as error:
            words = translate("app", "Chats cannot be used in {path}: {error}. {advice}")
            raise HistoryError(words.format(path=self.path, error=error, advice=database_advice(error))) from error

    @contextmanager
    def _transaction(self, begin: str, failed: str, busy: str = "") -> Iterator[sqlite3.Connection]:
        """`failed` are the words, not yet translated, for what could not be done, `busy` those for a file in use."""
        try:
            self._db.execute(begin)
            try:
                yield self._db
                self._db.execute("COMMIT")
            finally:
                # SQLite ends some failed transactions by itself.
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
        except sqlite3.Error as error:
            words = translate("app", busy if busy and is_busy(error) else failed)
            place = self.path or translate("app", "memory")
            raise HistoryError(words.format(place=place, error=error, advice=database_advice(error))) from error

    def close(self) -> None:
        self._db.close()
