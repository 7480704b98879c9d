"""What was written is there after a kill; a file that cannot be used is kept and does not stop the program."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from app.state import schema
from app.state.history import History, HistoryError
from app.state.message import AnswerStats, ForgottenTurns, Message
from app.state.schema import SCHEMA_VERSION, STEPS, schema_version
from app.state.session import Phase
from tests.app.state.chats import chat, stored


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "chats.sqlite3"


def test_a_chat_comes_back_as_it_was(path: Path) -> None:
    session = chat()
    session.system_prompt = "Be brief."
    session.is_pinned = True
    session.when_full = "drop_oldest"
    answer = session.messages[-1]
    answer.stats = AnswerStats(100, 64, 20, 0.21, None, 0.01, 0.2, 1.5, 0.0)
    answer.forgotten = ForgottenTurns(3, 1204)
    answer.model_name = "Tiny 1M"
    answer.end = "length"
    history = History(path)
    history.save(session, session.messages)
    history.close()
    assert History(path).load(session.id) == session


def test_a_growing_answer_is_saved_in_place(path: Path) -> None:
    history = History(path)
    session = stored(history, chat("Trip", "question", "h"))
    session.messages[-1].text = "half an answer"
    history.save(session, [session.messages[-1]])
    loaded = history.load(session.id)
    assert loaded is not None
    assert [message.text for message in loaded.messages] == ["question", "half an answer"]


def test_an_answer_that_was_never_finished_comes_back_interrupted(path: Path) -> None:
    history = History(path)
    session = chat()
    session.messages[-1].end = None
    history.save(session, session.messages)
    loaded = history.load(session.id)
    assert loaded is not None
    assert loaded.messages[-1].end == "interrupted"
    assert loaded.phase is Phase.IDLE


def test_a_failed_answer_can_be_retried_after_a_restart(path: Path) -> None:
    history = History(path)
    session = chat()
    answer = session.messages[-1]
    answer.end, answer.error, answer.error_code = "failed", "No model is loaded", "no_model"
    history.save(session, session.messages)
    loaded = history.load(session.id)
    assert loaded is not None
    assert (loaded.phase, loaded.can_retry) == (Phase.FAILED, True)
    # By it the chat knows that it was a model that was missing.
    assert loaded.answer.error_code == "no_model"


def test_a_killed_process_keeps_what_it_had_saved(path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path\n"
        "from app.state.history import History; from app.state.session import Session\n"
        "history = History(Path(sys.argv[1])); session = Session(id='chat')\n"
        "history.save(session, session.ask('kept'))\n"
        "session.append_text('partial'); history.save(session, [session.answer])\n"
        "os.kill(os.getpid(), 9) if hasattr(os, 'kill') and os.name != 'nt' else os._exit(1)\n"
    )
    root = Path(__file__).resolve().parents[3]
    result = subprocess.run([sys.executable, "-c", code, str(path)], cwd=root, env=dict(os.environ), check=False)
    assert result.returncode != 0
    loaded = History(path).load("chat")
    assert loaded is not None
    assert [message.text for message in loaded.messages] == ["kept", "partial"]


def test_search_finds_titles_and_texts_and_takes_wildcards_as_they_are(path: Path) -> None:
    history = History(path)
    trip = stored(history, chat("Trip", "where to", "to the islands"))
    tax = stored(history, chat("Tax", "is 100% due", "yes_no"))

    def found(text: str) -> set[str]:
        return {hit.chat_id for hit in history.search.find(text)}

    assert found("") == set()
    assert found("ISLANDS") == {trip.id}
    assert found("tax") == {tax.id}
    assert found("0%") == {tax.id}
    assert found("s_n") == {tax.id}
    assert found("%") == {tax.id}
    assert found("nothing") == set()


def test_the_newest_chat_comes_first(path: Path) -> None:
    history = History(path)
    old, new = stored(history, chat("Old")), stored(history, chat("New"))
    assert [summary.title for summary in history.chats()] == ["New", "Old"]
    history.save(old, [], is_used=False)
    assert [summary.id for summary in history.chats()] == [new.id, old.id]
    history.save(old, [])
    assert [summary.id for summary in history.chats()] == [old.id, new.id]


def test_a_deleted_chat_leaves_no_message_and_no_tab(path: Path) -> None:
    history = History(path)
    session = stored(history, chat())
    history.save_tabs([session.id], session.id)
    history.delete(session.id)
    history.close()
    with sqlite3.connect(path) as db:
        for table in ("chats", "messages", "tabs"):
            assert db.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


def test_rename_and_pin_stay(path: Path) -> None:
    history = History(path)
    session = stored(history, chat())
    history.rename(session.id, "Islands")
    history.set_pinned(session.id, True)
    (summary,) = history.chats()
    assert (summary.title, summary.is_pinned) == ("Islands", True)


def test_open_tabs_come_back_in_order_without_chats_that_were_never_saved(path: Path) -> None:
    history = History(path)
    first, second = stored(history, chat("1")), stored(history, chat("2"))
    history.save_tabs([second.id, "never saved", first.id], first.id)
    assert history.load_tabs() == ([second.id, first.id], first.id)
    history.save_tabs([second.id, "never saved"], "never saved")
    assert history.load_tabs() == ([second.id], None)


@pytest.mark.parametrize("content", [b"this is no database at all" * 100, b"SQLite format 3\x00" + b"\xff" * 4000])
def test_a_damaged_file_is_set_aside(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    history = History(path)
    assert history.notice is not None
    assert "damaged" in history.notice
    (kept,) = path.parent.glob("chats.sqlite3.damaged-*")
    assert kept.read_bytes() == content
    assert kept.name in history.notice
    stored(history, chat())
    assert len(history.chats()) == 1


def test_a_schema_of_broken_bytes_is_set_aside(path: Path) -> None:
    stored(History(path), chat())
    database = sqlite3.connect(path)
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    content = path.read_bytes().replace(b"CREATE INDEX messages_of_chat", b"CREATE INDEX messages_of_cha\xff")
    path.write_bytes(content)
    history = History(path)
    assert history.notice is not None
    assert history.chats() == []


def test_a_file_of_a_newer_version_is_set_aside_whole(path: Path) -> None:
    old = History(path)
    session = stored(old, chat())
    old.close()
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    db.close()
    history = History(path)
    assert history.notice is not None
    assert "newer" in history.notice
    assert history.chats() == []
    (kept,) = [file for file in path.parent.glob("chats.sqlite3.newer-*") if not file.name.endswith(("-wal", "-shm"))]
    with sqlite3.connect(kept) as db:
        assert db.execute("SELECT id FROM chats").fetchall() == [(session.id,)]
    db.close()


def test_a_file_of_the_first_version_keeps_its_chats_and_learns_the_rest(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.executescript(f"{STEPS[0]} PRAGMA user_version = 1;")
        db.execute("INSERT INTO chats VALUES ('chat', 'Trip', 'Be brief.', 1, 10.0, 20.0)")
        rows = [
            ("q", "chat", 0, "user", "where to", *[None] * 8),
            ("a", "chat", 1, "assistant", "to sea", "Tiny", "stop", None, 9, 0, 3, 0.5, 3.4),
        ]
        db.executemany(f"INSERT INTO messages VALUES ({', '.join('?' * 13)})", rows)
    db.close()
    history = History(path)
    assert history.notice is None
    session = history.load("chat")
    assert session is not None
    assert (session.title, session.is_pinned, session.when_full) == ("Trip", True, "stop")
    assert [message.text for message in session.messages] == ["where to", "to sea"]
    assert session.answer.stats == AnswerStats(9, 0, 3, 0.5, 3.4)
    assert session.answer.forgotten is None
    history.set_when_full("chat", "drop_oldest")
    history.save(session, session.messages[:1])
    history.close()
    with sqlite3.connect(path) as db:
        assert schema_version(db) == SCHEMA_VERSION
    db.close()


def test_a_file_of_the_second_version_becomes_a_tree_and_can_be_searched(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.executescript(f"{STEPS[0]}{STEPS[1]} PRAGMA user_version = 2;")
        for chat_id in ("one", "two"):
            db.execute("INSERT INTO chats VALUES (?, 'Trip', '', 0, 10.0, 20.0, 'drop_oldest')", (chat_id,))
            for position, text in enumerate(("where to", "to the islands", "and then", "half an ans")):
                role = "assistant" if position % 2 else "user"
                end = "stop" if position == 1 else None
                values = (f"{chat_id}{position}", chat_id, position, role, text, end)
                db.execute(
                    "INSERT INTO messages (id, chat_id, position, role, text, end) VALUES (?, ?, ?, ?, ?, ?)", values
                )
        db.execute("INSERT INTO tabs VALUES (0, 'two', 1)")
    db.close()
    history = History(path)
    session = history.load("one")
    assert session is not None
    assert [message.text for message in session.messages] == ["where to", "to the islands", "and then", "half an ans"]
    assert [message.parent_id for message in session.messages] == [None, "one0", "one1", "one2"]
    assert (session.aside, session.answer.end, session.when_full) == ([], "interrupted", "drop_oldest")
    assert history.load_tabs() == (["two"], "two")
    assert {hit.chat_id for hit in history.search.find("ISLAND")} == {"one", "two"}
    assert {hit.chat_id for hit in history.search.find("half an ans")} == {"one", "two"}
    history.delete("one")
    assert {hit.chat_id for hit in history.search.find("trip")} == {"two"}


def test_a_step_that_fails_leaves_the_file_at_the_version_before(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored(History(path), chat())
    monkeypatch.setattr(schema, "STEPS", (*STEPS, "ALTER TABLE chats ADD COLUMN x; ALTER TABLE nothing ADD COLUMN y;"))
    monkeypatch.setattr(schema, "SCHEMA_VERSION", SCHEMA_VERSION + 1)
    with pytest.raises(HistoryError, match="Cannot open"):
        History(path)
    monkeypatch.undo()
    history = History(path)
    assert history.notice is None
    assert len(history.chats()) == 1


def test_what_a_full_chat_does_can_be_chosen_before_and_after_it_is_saved(path: Path) -> None:
    history = History(path)
    session = chat()
    history.set_when_full(session.id, "drop_oldest")
    assert history.load(session.id) is None
    stored(history, session)
    history.set_when_full(session.id, "drop_oldest")
    loaded = history.load(session.id)
    assert loaded is not None
    assert loaded.when_full == "drop_oldest"


def test_a_sound_file_gives_no_notice(path: Path) -> None:
    History(path).close()
    assert History(path).notice is None


def test_a_folder_that_is_not_there_is_a_history_error(tmp_path: Path) -> None:
    with pytest.raises(HistoryError, match="Cannot open"):
        History(tmp_path / "missing" / "chats.sqlite3")


def test_a_write_that_fails_is_a_history_error_and_leaves_the_chat_as_it_was(path: Path) -> None:
    history = History(path)
    session = stored(history, chat())
    with sqlite3.connect(path) as other:
        other.execute("CREATE TRIGGER refuse BEFORE INSERT ON messages BEGIN SELECT RAISE(ABORT, 'disk full'); END")
    other.close()
    session.title = "Changed"
    with pytest.raises(HistoryError, match="disk full"):
        history.save(session, session.messages)
    (summary,) = history.chats()
    assert summary.title == "Trip"


def test_a_read_that_fails_says_that_it_was_a_read(path: Path) -> None:
    history = History(path)
    history.close()
    with pytest.raises(HistoryError, match=r"cannot be read from .*chats\.sqlite3"):
        history.chats()
    with pytest.raises(HistoryError, match=r"cannot be saved to .*chats\.sqlite3"):
        history.rename("id", "title")


def test_a_history_in_memory_works_without_a_file() -> None:
    history = History(None)
    session = stored(history, chat())
    assert history.load(session.id) == session


def test_the_trash_counts_the_messages_that_are_shown(path: Path) -> None:
    history = History(path)
    session = stored(history, chat("Trip", "q1", "a1", "q2", "a2"))
    session.tree.cut(3)
    session.messages.append(Message("assistant", "a2, again", end="stop"))
    history.save(session, [session.messages[-1]])
    history.trash.put_chat(session.id)
    assert [(one.title, one.num_messages) for one in history.trash.chats()] == [("Trip", 4)]
