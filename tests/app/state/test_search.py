"""Any piece of a title, a message or an attachment is found, in any script, while it is there."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from app.state import search
from app.state.drafts import Draft
from app.state.history import History
from app.state.message import Attachment
from app.state.schema import STEPS
from app.state.search import excerpt
from tests.app.state.chats import chat, stored


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "chats.sqlite3"


def test_short_pieces_are_found_anywhere_in_a_text(path: Path) -> None:
    history = History(path)
    trip = stored(history, chat("旅行", "我想去海边", "好的，坐船"))
    found = {
        text: [hit.chat_id for hit in history.search.find(text)] for text in ("旅行", "海边", "坐船", "船", "想", "飞")
    }
    assert found == {
        "旅行": [trip.id],
        "海边": [trip.id],
        "坐船": [trip.id],
        "船": [trip.id],
        "想": [trip.id],
        "飞": [],
    }


def test_a_hit_tells_the_newest_message_and_the_text_around(path: Path) -> None:
    history = History(path)
    session = stored(history, chat("Sea", "a ferry", "no", "again", f"{'long ' * 20}the\nFerry leaves"))
    (hit,) = history.search.find("ferry")
    assert (hit.message_id, hit.num_messages) == (session.messages[3].id, 2)
    assert hit.excerpt == "…long long long long the Ferry leaves"


@pytest.mark.parametrize(
    ("text", "piece", "expected"),
    [
        ("# The **big**\n- `go` to sea", "sea", "The big go to sea"),
        (
            "We said that afterwards extraordinarily tired ferries leave",
            "ferries",
            "…extraordinarily tired ferries leave",
        ),
        ("一二三四五六七八九十" * 5 + "旅行", "旅行", "…" + ("一二三四五六七八九十" * 5)[-24:] + "旅行"),
        ("what does **kwargs mean", "**kw", "what does **kwargs mean"),
        ("2 * 3 and snake_case_name", "snake", "2 * 3 and snake_case_name"),
    ],
)
def test_an_excerpt_begins_with_a_word_and_has_no_marks(text: str, piece: str, expected: str) -> None:
    assert excerpt(text, (piece,)) == expected


@pytest.mark.parametrize(
    ("searched", "is_found"),
    [
        ("scientists jewelry", True),
        ("JEWELRY scientists", True),
        ("scientists submarine", False),
        ('"scientists jewelry"', False),
        ('"stole the jewelry" sci', True),
        ("jewelry at", True),
        ("jewelry 灯塔", True),
        ("at 灯", True),
        ("at 飞", False),
        ('say "', False),
        ("ferry jewelry", False),
    ],
)
@pytest.mark.parametrize("max_terms", [20_000, 0], ids=["by terms", "by texts"])
def test_words_are_found_in_one_message_in_any_order(
    path: Path, searched: str, is_found: bool, max_terms: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "_MAX_TERMS", max_terms)
    history = History(path)
    trip = stored(history, chat("Sea", "a ferry", "Two scientists stole the jewelry at the 灯塔"))
    assert [hit.chat_id for hit in history.search.find(searched)] == ([trip.id] if is_found else [])


def test_words_are_found_in_titles_and_attachments(path: Path) -> None:
    history = History(path)
    session = chat("Trip to the sea", "look", "yes")
    session.messages[0].attachments = (Attachment("log.txt", "a storm, then a kraken"),)
    stored(history, session)
    for searched in ("sea trip", "to sea", "kraken storm", "log kraken", "kraken 'a", "storm a"):
        assert len(history.search.find(searched)) == (searched != "kraken 'a"), searched


def test_an_excerpt_shows_where_most_of_the_words_stand() -> None:
    text = f"The king. {'long ' * 50}There the king rode a ferry."
    assert excerpt(text, ("ferry", "king")) == "…long long There the king rode a ferry."


def test_an_answer_is_found_once_it_has_ended(path: Path) -> None:
    history = History(path)
    session = stored(history, chat("Sea", "when", "the ferry lea"))
    session.answer.end = None
    history.save(session, [session.answer])
    assert history.search.find("ferry") == []
    session.answer.text, session.answer.end = "the ferry leaves", "stop"
    history.save(session, [session.answer])
    assert len(history.search.find("ferry leaves")) == 1
    history.trash.put_chat(session.id)
    assert history.search.find("ferry") == []


def test_a_file_of_the_third_version_finds_what_was_attached_before(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.executescript(f"{''.join(STEPS[:3])} PRAGMA user_version = 3;")
        db.execute(
            "INSERT INTO chats (id, title, system_prompt, is_pinned, created_at_s, updated_at_s, when_full)"
            " VALUES ('one', 'Trip', '', 0, 10.0, 20.0, 'stop')"
        )
        db.execute("INSERT INTO messages (id, chat_id, created_at_s, role, text) VALUES ('q', 'one', 1, 'user', '?')")
        rows = [("a", "q", None, 0, "map.txt", "a lighthouse 灯塔"), ("b", None, "one", 0, "draft.txt", "a kraken")]
        db.executemany("INSERT INTO attachments VALUES (?, ?, ?, ?, ?, ?, NULL)", rows)
    db.close()
    history = History(path)
    session = history.load("one")
    assert session is not None
    assert [one.id for one in session.messages[0].attachments] == ["a"]
    assert [one.id for one in history.drafts.load("one").attachments] == ["b"]
    assert [hit.excerpt for hit in history.search.find("LIGHTH")] == ["map.txt · a lighthouse 灯塔"]
    assert history.search.find("kraken") == []


@pytest.mark.parametrize("piece", ["kraken", "灯塔", "k", "notes"])
def test_what_is_attached_is_found_from_sending_to_deleting(path: Path, piece: str) -> None:
    history = History(path)
    session = chat("Sea", "loo", "yes")
    attachment = Attachment("notes.md", "a Kraken at the 灯塔")
    history.save(session, session.messages)
    history.drafts.save(session.id, Draft("", (attachment,)))
    assert history.search.find(piece) == []
    session.messages[0].attachments = (attachment,)
    history.save(session, session.messages)
    (hit,) = history.search.find(piece)
    assert (hit.message_id, hit.num_messages) == (session.messages[0].id, 1)
    assert hit.excerpt == "notes.md · a Kraken at the 灯塔"
    history.save(session, session.messages)
    assert len(history.search.find(piece)) == 1
    history.delete(session.id)
    assert history.search.find(piece) == []
    with closing(sqlite3.connect(path)) as db:
        db.execute("INSERT INTO attachment_index (attachment_index, rank) VALUES ('integrity-check', 1)")


def test_a_message_found_by_its_own_text_shows_that(path: Path) -> None:
    history = History(path)
    session = chat("Sea", "the storm is near")
    session.messages[0].attachments = (Attachment("log.txt", "storm"), Attachment("log2.txt", "storm"))
    stored(history, session)
    (hit,) = history.search.find("storm")
    assert (hit.excerpt, hit.num_messages) == ("the storm is near", 1)
