"""A file in pieces survives every end of its writer: it becomes the right file, or none."""

import hashlib
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import DownloadError, JobCancelledError
from engine.hub.partial_file import ExpectedFile, PartialFile

DATA = random.Random(2).randbytes(500)


def expected(folder: Path, data: bytes = DATA) -> ExpectedFile:
    return ExpectedFile("", folder / "x.gguf", len(data), hashlib.sha256(data).hexdigest(), None)


spans = st.tuples(st.integers(0, 500), st.integers(0, 500)).map(lambda pair: (min(pair), max(pair)))
steps = st.one_of(
    spans.map(lambda span: ("write", span)),
    st.sampled_from([("save", (0, 0)), ("killed", (0, 0)), ("closed", (0, 0)), ("lost", (0, 0))]),
)


@settings(max_examples=100, deadline=None)
@given(st.lists(steps, max_size=20))
def test_whatever_ends_the_writer_a_later_one_completes_the_right_file(
    tmp_path_factory: pytest.TempPathFactory, todo: list[tuple[str, tuple[int, int]]]
) -> None:
    folder = tmp_path_factory.mktemp("partial")
    file = PartialFile(expected(folder))
    for step, (start, stop) in todo:
        match step:
            case "write":
                file.write(start, DATA[start:stop])
            case "save":
                file.save()
            case "killed":
                # What was written is with the system, what was recorded may be older.
                file = PartialFile(expected(folder))
            case "closed":
                file.close()
                file = PartialFile(expected(folder))
            case "lost":
                file.discard()
        # What counts as there is there.
        for low, high in file.ranges:
            assert file.path.read_bytes()[low:high] == DATA[low:high]
        assert not file.expected.target.exists()
    for start, stop in file.gaps():
        file.write(start, DATA[start:stop])
    file.finish()
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {"x.gguf": DATA}


def test_bytes_that_were_lost_with_the_power_are_noticed_at_the_end(tmp_path: Path) -> None:
    file = PartialFile(expected(tmp_path))
    file.write(0, DATA)
    file.close()
    file.path.write_bytes(bytes(len(DATA)))
    again = PartialFile(expected(tmp_path))
    assert again.is_complete
    with pytest.raises(DownloadError, match="checksum"):
        again.finish()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "ranges",
    ["[[0, 1.5]]", "[[false, true]]", "[[-4, 8]]", "[[8, 4]]", '[["0", "9"]]', "[[0]]", "7", "[" * 9000],
)
def test_a_record_that_makes_no_sense_counts_as_none(tmp_path: Path, ranges: str) -> None:
    file = PartialFile(expected(tmp_path))
    file.write(0, DATA)
    file.close()
    record = tmp_path / "x.gguf.partial.json"
    written = record.read_text()
    assert "[[0, 500]]" in written
    record.write_text(written.replace("[[0, 500]]", ranges))
    assert PartialFile(expected(tmp_path)).gaps() == [(0, 500)]


def test_a_shorter_file_than_recorded_counts_only_what_it_has(tmp_path: Path) -> None:
    file = PartialFile(expected(tmp_path))
    file.write(0, DATA)
    file.close()
    file.path.write_bytes(DATA[:100])
    assert PartialFile(expected(tmp_path)).gaps() == [(100, 500)]


def test_what_was_begun_of_another_content_is_started_anew(tmp_path: Path) -> None:
    file = PartialFile(expected(tmp_path))
    file.write(0, DATA)
    file.close()
    other = bytes(300)
    again = PartialFile(expected(tmp_path, other))
    assert again.gaps() == [(0, 300)]
    again.write(0, other)
    again.finish()
    assert (tmp_path / "x.gguf").read_bytes() == other


def test_cancelled_while_it_is_read_back_it_keeps_everything(tmp_path: Path) -> None:
    file = PartialFile(expected(tmp_path))
    file.write(0, DATA)
    with pytest.raises(JobCancelledError):
        file.finish(is_cancelled=lambda: True)
    again = PartialFile(expected(tmp_path))
    assert again.is_complete
    again.finish()
    assert (tmp_path / "x.gguf").read_bytes() == DATA


def test_a_file_without_a_checksum_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DownloadError, match="no checksum"):
        _ = ExpectedFile("", tmp_path / "x.gguf", 3, None, None).digest
