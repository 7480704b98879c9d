"""What a person is told to do fits the cause."""

from __future__ import annotations

import errno
import sqlite3
from pathlib import Path

import pytest

from app.state.advice import database_advice, file_advice


@pytest.mark.parametrize(
    ("number", "step"),
    [
        (errno.ENOSPC, "Free some space"),
        (errno.EACCES, "Check that you may"),
        (errno.EISDIR, "A folder stands"),
        (errno.EIO, "Check the disk"),
        (None, "Check the disk"),
    ],
)
def test_each_cause_of_a_failed_write_has_its_step(number: int | None, step: str) -> None:
    error = OSError() if number is None else OSError(number, "no")
    assert file_advice(error).startswith(step)


def test_a_full_disk_asks_for_space() -> None:
    db = sqlite3.connect(":memory:")
    db.execute("PRAGMA max_page_count = 1")
    with pytest.raises(sqlite3.OperationalError) as caught:
        db.execute("CREATE TABLE t (a)")
    assert database_advice(caught.value).startswith("Free some space")


def test_a_damaged_file_asks_for_a_new_start(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite3"
    path.write_bytes(b"no database" * 500)
    with pytest.raises(sqlite3.DatabaseError) as caught:
        sqlite3.connect(path).execute("SELECT * FROM sqlite_schema")
    assert "sets a damaged file aside" in database_advice(caught.value)


def test_an_error_without_a_code_has_a_step_too() -> None:
    db = sqlite3.connect(":memory:")
    db.close()
    with pytest.raises(sqlite3.ProgrammingError) as caught:
        db.execute("SELECT 1")
    assert database_advice(caught.value).startswith("Start DeepInfer again")
