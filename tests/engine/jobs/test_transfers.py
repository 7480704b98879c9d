"""The thread that writes and reads saved prefixes: each transfer has one answer, and closing leaves no half file."""

import threading

import pytest

from engine.errors import SnapshotError
from engine.jobs import transfers
from engine.jobs.transfers import InstallPrefix, PrefixTransfers
from engine.messages import PrefixRefused, PrefixSaved, RestorePrefix, SavePrefix
from tests.engine.cache.snapshots import IDENTITY, make_prefix


class Answers:
    """Takes events and what is to be installed, and lets a test wait for so many of them."""

    def __init__(self):
        self._changed = threading.Condition()
        self._all = []

    def sink(self, events):
        for event in events:
            self.add(event)

    def add(self, answer):
        with self._changed:
            self._all.append(answer)
            self._changed.notify_all()

    def wait(self, count):
        with self._changed:
            assert self._changed.wait_for(lambda: len(self._all) >= count, timeout=60)
            return list(self._all)


@pytest.fixture
def answers():
    return Answers()


@pytest.fixture
def thread(answers):
    thread = PrefixTransfers(answers.sink, answers.add)
    yield thread
    assert thread.close(60)


def test_what_was_saved_is_restored_right_after(tmp_path, thread, answers):
    path = str(tmp_path / "file")
    save, restore = SavePrefix("chat", path), RestorePrefix("chat", path)
    thread.save(save, make_prefix())
    thread.restore(restore, IDENTITY, 100)
    saved, install = answers.wait(2)
    assert saved == PrefixSaved("chat", path, 12, (tmp_path / "file").stat().st_size)
    assert install == InstallPrefix(restore, make_prefix())


def test_refusal_is_told_and_the_next_transfer_goes_on(tmp_path, thread, answers):
    thread.restore(RestorePrefix("chat", str(tmp_path / "nothing")), IDENTITY, 100)
    thread.save(SavePrefix("chat", str(tmp_path / "file")), make_prefix())
    refused, saved = answers.wait(2)
    assert (refused.owner, refused.code) == ("chat", "snapshot")
    assert "There is no saved prefix" in refused.message
    assert isinstance(saved, PrefixSaved)


def test_file_of_another_security_domain_is_refused(tmp_path, thread, answers):
    thread.save(SavePrefix("chat", str(tmp_path / "file")), make_prefix())
    thread.restore(RestorePrefix("chat", str(tmp_path / "file"), "key 7"), IDENTITY, 100)
    assert "another security domain" in answers.wait(2)[1].message


def test_fault_of_the_program_is_told_too(tmp_path, thread, answers, monkeypatch):
    def broken(*arguments):
        raise ZeroDivisionError

    monkeypatch.setattr(transfers, "write_snapshot", broken)
    thread.save(SavePrefix("chat", str(tmp_path / "file")), make_prefix())
    assert isinstance(answers.wait(1)[0], PrefixRefused)


def test_closing_gives_up_what_is_not_done_and_leaves_no_file(tmp_path, thread, answers, monkeypatch):
    is_writing, may_go_on = threading.Event(), threading.Event()
    write = transfers.write_snapshot

    def slow(path, prefix, is_cancelled):
        is_writing.set()
        assert may_go_on.wait(60)
        return write(path, prefix, is_cancelled)

    monkeypatch.setattr(transfers, "write_snapshot", slow)
    for name in ("first", "second"):
        thread.save(SavePrefix(name, str(tmp_path / name)), make_prefix())
    assert is_writing.wait(60)
    assert not thread.close(timeout_s=0)
    may_go_on.set()
    assert thread.close(60)
    assert [(answer.owner, answer.code) for answer in answers.wait(2)] == [
        ("first", "cancelled"),
        ("second", "cancelled"),
    ]
    assert list(tmp_path.iterdir()) == []


def test_closing_what_never_ran_is_quick(answers):
    assert PrefixTransfers(answers.sink, answers.add).close(60)


def test_copies_do_not_pile_up(tmp_path, thread, answers, monkeypatch):
    may_go_on = threading.Event()
    monkeypatch.setattr(transfers, "write_snapshot", lambda *arguments: may_go_on.wait(60))
    for _ in range(10):
        thread.save(SavePrefix("chat", str(tmp_path / "file")), make_prefix())
    with pytest.raises(SnapshotError, match="8 chats wait to be saved already"):
        thread.require_room()
    may_go_on.set()
    assert len(answers.wait(10)) == 10
    thread.require_room()
