"""Windows refuses to rename what somebody has open: that is waited for, and told as what it is."""

import errno
import os
from pathlib import Path

import pytest

from engine.errors import StorageError
from engine.store import files
from engine.store.files import write_file


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses made, instead of making them."""
    made: list[float] = []
    monkeypatch.setattr(files.time, "sleep", made.append)
    return made


def refuse_renaming(monkeypatch: pytest.MonkeyPatch, num_refusals: int) -> None:
    refusals = iter(range(num_refusals))
    real_replace = os.replace

    def replace(source: Path, target: Path) -> None:
        if next(refusals, None) is not None:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        real_replace(source, target)

    monkeypatch.setattr(files.os, "replace", replace)


def test_a_file_held_for_a_moment_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pauses: list[float]
) -> None:
    monkeypatch.setattr(files, "IS_WINDOWS", True)
    refuse_renaming(monkeypatch, 3)
    write_file(tmp_path / "x", [b"abc"])
    assert (tmp_path / "x").read_bytes() == b"abc"
    assert pauses == list(files.REPLACE_PAUSES_S[:3])


def test_a_file_held_for_good_is_told_without_calling_the_folder_read_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pauses: list[float]
) -> None:
    monkeypatch.setattr(files, "IS_WINDOWS", True)
    refuse_renaming(monkeypatch, 100)
    with pytest.raises(StorageError, match=r"another program may hold it.*Start again") as raised:
        write_file(tmp_path / "x", [b"abc"])
    assert "read-only" not in str(raised.value)
    assert list(tmp_path.iterdir()) == []
    assert pauses == list(files.REPLACE_PAUSES_S)


def test_elsewhere_a_refusal_is_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pauses: list[float]
) -> None:
    monkeypatch.setattr(files, "IS_WINDOWS", False)
    refuse_renaming(monkeypatch, 1)
    with pytest.raises(StorageError, match="read-only"):
        write_file(tmp_path / "x", [b"abc"])
    assert pauses == []
