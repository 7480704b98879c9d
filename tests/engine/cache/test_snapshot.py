"""The file of a saved prefix: what was written is read again, and whatever is wrong with it is said."""

import hashlib
import json
import os
from dataclasses import fields, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cache.snapshot import read_snapshot, write_snapshot
from engine.errors import JobCancelledError, SnapshotError
from tests.engine.cache.snapshots import IDENTITY, first_blocks, make_prefix

SCOPE = IDENTITY.scope("app")
UNCHANGED = [("format_version", 1), ("num_passed_blocks", 0)]


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "chat.prefix"
    write_snapshot(path, make_prefix())
    return path


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "chat.prefix"
    write_snapshot(path, make_prefix())
    return path.read_bytes()


@pytest.fixture(scope="module")
def damaged(tmp_path_factory):
    return tmp_path_factory.mktemp("damaged") / "chat.prefix"


def read(path, identity=IDENTITY, domain="app", max_blocks=100):
    return read_snapshot(path, identity, identity.scope(domain), max_blocks)


def refusal(path, **options):
    with pytest.raises(SnapshotError) as caught:
        read(path, **options)
    return str(caught.value)


def with_header(content, change):
    """The file with another descriptor, and checksums that fit it."""
    length = int.from_bytes(content[8:16], "little")
    text = change(json.loads(content[16 : 16 + length]))
    header = text if isinstance(text, bytes) else json.dumps(text).encode()
    start = content[:8] + len(header).to_bytes(8, "little") + header
    start += hashlib.sha256(start).digest()
    rest = start + content[16 + length + 32 : -32]
    return rest + hashlib.sha256(rest).digest()


def test_what_was_written_is_read_again(saved):
    assert read(saved) == make_prefix()


def test_blocks_that_a_window_has_passed_are_not_held(tmp_path):
    prefix = make_prefix(5, num_passed=3)
    write_snapshot(tmp_path / "a", prefix)
    assert read(tmp_path / "a") == prefix
    assert read(tmp_path / "a", max_blocks=1).contents.num_blocks == 1


def test_size_is_told(tmp_path):
    assert write_snapshot(tmp_path / "a", make_prefix()) == (tmp_path / "a").stat().st_size


@pytest.mark.parametrize("max_blocks", [1, 2, 3, 4])
def test_beginning_is_kept_if_there_is_no_more_room(saved, max_blocks):
    whole, part = make_prefix(), read(saved, max_blocks=max_blocks)
    num_kept = min(3, max_blocks)
    assert (part.token_ids, part.digests) == (whole.token_ids, whole.digests)
    assert part.contents.num_blocks == num_kept
    assert bytes(part.contents.keys) == first_blocks(whole.contents.keys, num_kept, 3)
    assert bytes(part.contents.values) == first_blocks(whole.contents.values, num_kept, 3)


@pytest.mark.parametrize("max_blocks", [1, 100])
def test_damage_anywhere_is_found_even_in_what_is_not_kept(content, damaged, max_blocks):
    for index in range(len(content)):
        damaged.write_bytes(content[:index] + bytes([content[index] ^ 1 << index % 8]) + content[index + 1 :])
        assert "chat.prefix is not used" in refusal(damaged, max_blocks=max_blocks), index


def test_file_that_is_cut_off_anywhere_is_refused(content, damaged):
    for length in range(len(content)):
        damaged.write_bytes(content[:length])
        assert "Nothing is lost" in refusal(damaged), length


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_file_with_bytes_missing_or_replaced_or_too_many_is_refused(content, damaged, data):
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, len(content)))
    changed = content[:start] + data.draw(st.binary(max_size=40)) + content[end:]
    damaged.write_bytes(changed)
    if changed != content:
        refusal(damaged)


@pytest.mark.parametrize("field", [f.name for f in fields(IDENTITY) if f.name != "model_name"])
def test_file_of_another_model_or_cache_is_refused(saved, field):
    value = getattr(IDENTITY, field)
    other = replace(IDENTITY, **{field: value + " 2" if isinstance(value, str) else (value or 0) + 1})
    message = refusal(saved, identity=other)
    assert "it was saved" in message
    assert IDENTITY.scope("app") != other.scope("app")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"model_name": "Huge", "weights_digest": "cc"}, "from Tiny, loaded is Huge"),
        ({"weights_digest": "cc"}, "from other weights of Tiny"),
        ({"tokenizer_digest": "cc"}, "another tokenizer"),
        ({"block_size": 32}, "with a block size of 4, here it is 32"),
        ({"dtype": "torch.float16"}, "with keys and values in the precision bfloat16, here it is float16"),
        ({"backend": "cpu"}, "with the backend reference, here it is cpu"),
        ({"rope": "x" * 200}, "other values of rope"),
    ],
)
def test_refusal_says_what_differs(saved, change, said):
    assert said in refusal(saved, identity=replace(IDENTITY, **change))


def test_another_name_of_the_same_model_changes_nothing(saved):
    assert read(saved, identity=replace(IDENTITY, model_name="Renamed")).token_ids == make_prefix().token_ids


def test_another_security_domain_gets_nothing(saved):
    assert "another security domain" in refusal(saved, domain="key 7")


def test_security_domain_is_not_written_in_clear(tmp_path):
    write_snapshot(tmp_path / "a", make_prefix(domain="a secret key"))
    assert b"a secret key" not in (tmp_path / "a").read_bytes()


@pytest.mark.parametrize(
    "field", ["format_version", "identity", "scope", "num_blocks", "num_passed_blocks", "tokens_digest"]
)
@pytest.mark.parametrize("value", [None, 0, -1, 1.0, True, "x", [], {}, 10**30])
def test_descriptor_with_another_value_is_refused(content, damaged, field, value):
    damaged.write_bytes(with_header(content, lambda header: {**header, field: value}))
    if (field, value) not in UNCHANGED:
        refusal(damaged)


@pytest.mark.parametrize(
    "field", ["format_version", "identity", "scope", "num_blocks", "num_passed_blocks", "tokens_digest"]
)
def test_descriptor_without_a_field_is_refused(content, damaged, field):
    damaged.write_bytes(with_header(content, lambda header: {k: v for k, v in header.items() if k != field}))
    refusal(damaged)


@pytest.mark.parametrize("text", [b"", b"[]", b"7", b"{", b"\xff", b"[" * 60000, b'{"format_version": 1}'])
def test_descriptor_that_is_none_is_refused(content, damaged, text):
    damaged.write_bytes(with_header(content, lambda header: text))
    assert "descriptor" in refusal(damaged)


def test_format_to_come_is_named(content, damaged):
    damaged.write_bytes(with_header(content, lambda header: {**header, "format_version": 2}))
    assert "it has format 2, this program reads format 1" in refusal(damaged)


def test_other_tokens_under_a_right_checksum_are_refused(content, damaged):
    length = int.from_bytes(content[8:16], "little")
    first = 16 + length + 32
    forged = content[:first] + (9).to_bytes(8, "little") + content[first + 8 : -32]
    damaged.write_bytes(forged + hashlib.sha256(forged).digest())
    assert "its tokens are not those it names" in refusal(damaged)


def test_other_files_are_named_as_such(tmp_path):
    (tmp_path / "notes.txt").write_text("a file of another kind, longer than the magic")
    assert "another kind of file" in refusal(tmp_path / "notes.txt")
    assert "There is no saved prefix" in refusal(tmp_path / "nothing")
    assert "There is no saved prefix" in refusal(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert "There is no saved prefix" in refusal(tmp_path / "pipe")


@pytest.mark.parametrize("num_checks", [1, 3, 5])
def test_cancelled_writing_leaves_nothing_and_keeps_what_was_there(saved, num_checks):
    before, answers = saved.read_bytes(), iter([False] * (num_checks - 1))
    with pytest.raises(JobCancelledError):
        write_snapshot(saved, make_prefix(2), lambda: next(answers, True))
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]
    assert saved.read_bytes() == before


def test_cancelled_reading_ends(saved):
    answers = iter([False] * 4)
    with pytest.raises(JobCancelledError):
        read_snapshot(saved, IDENTITY, SCOPE, 100, lambda: next(answers, True))


def test_disk_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(SnapshotError, match="Cannot save to"):
        write_snapshot(tmp_path / "file" / "chat.prefix", make_prefix())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_pipe_is_not_replaced_by_a_file(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(SnapshotError, match="no file: choose another name"):
        write_snapshot(pipe, make_prefix())
    assert pipe.is_fifo()
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


@pytest.mark.parametrize("name", ["a\0b", "ab\0"])
def test_a_path_that_no_system_has_is_refused_both_ways(tmp_path, name):
    with pytest.raises(SnapshotError, match="null"):
        write_snapshot(tmp_path / name, make_prefix())
