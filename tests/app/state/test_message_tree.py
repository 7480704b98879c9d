"""Which message follows which, through versions, deletions and restorings, and that all of it comes back from disk."""

from __future__ import annotations

from pathlib import Path

from app.state.history import History
from app.state.message import Attachment, Message
from app.state.parameters import ChatParameters, Preset
from app.state.session import Session


def said(session: Session, text: str) -> Message:
    role = "assistant" if session.messages and session.messages[-1].role == "user" else "user"
    message = Message(role, text, end="stop" if role == "assistant" else None)  # type: ignore[arg-type]
    session.messages.append(message)
    session.tree.note_parents()
    return message


def shown(session: Session) -> str:
    return " ".join(message.text for message in session.messages)


def chat(*texts: str) -> Session:
    session = Session()
    for text in texts:
        said(session, text)
    return session


def comes_back(session: Session, path: Path) -> Session:
    history = History(path)
    history.save(session, session.tree.everything())
    loaded = history.load(session.id)
    history.close()
    assert loaded is not None
    return loaded


def test_a_new_version_stands_beside_the_one_it_follows(tmp_path: Path) -> None:
    session = chat("q1", "a1", "q2", "a2")
    session.tree.cut(2)
    said(session, "q2'")
    said(session, "a2'")
    assert shown(session) == "q1 a1 q2' a2'"
    assert [message.text for message in session.tree.versions(session.messages[2])] == ["q2", "q2'"]
    session.tree.show(session.tree.versions(session.messages[2])[0])
    assert shown(session) == "q1 a1 q2 a2"
    assert comes_back(session, tmp_path / "db") == session


def test_the_first_question_has_versions_too() -> None:
    session = chat("q1", "a1")
    session.tree.cut(0)
    said(session, "q1'")
    assert [message.text for message in session.tree.versions(session.messages[0])] == ["q1", "q1'"]


def test_to_show_a_version_leads_on_along_the_newest() -> None:
    session = chat("q1", "a1", "q2", "a2")
    session.tree.cut(1)
    said(session, "a1'")
    session.tree.show(session.tree.versions(session.messages[1])[0])
    session.tree.cut(3)
    said(session, "a2'")
    session.tree.show(session.tree.versions(session.messages[1])[1])
    assert shown(session) == "q1 a1'"
    session.tree.show(session.tree.versions(session.messages[1])[0])
    assert shown(session) == "q1 a1 q2 a2'"


def test_a_deleted_message_comes_back_to_its_place(tmp_path: Path) -> None:
    session = chat("q1", "a1", "q2", "a2")
    gone = session.messages[1:3]
    session.tree.delete(gone, 9.0)
    assert shown(session) == "q1 a2"
    loaded = comes_back(session, tmp_path / "db")
    assert shown(loaded) == "q1 a2"
    assert [message.text for message in loaded.aside] == ["a1", "q2"]
    loaded.tree.restore(loaded.aside[:])
    assert shown(loaded) == "q1 a1 q2 a2"


def test_the_newest_message_comes_back_after_others_took_its_place() -> None:
    session = chat("q1", "a1")
    gone = [session.messages[1]]
    session.tree.delete(gone, 9.0)
    said(session, "a1'")
    session.tree.restore(gone)
    assert shown(session) == "q1 a1"
    assert len(session.tree.versions(session.messages[1])) == 2


def test_an_emptied_trash_leaves_the_order_of_what_stays(tmp_path: Path) -> None:
    session = chat("q1", "a1", "q2", "a2")
    session.tree.delete([session.messages[1], session.messages[2]], 9.0)
    history = History(tmp_path / "db")
    history.save(session, session.tree.everything())
    history.trash.empty()
    session.tree.forget_deleted()
    loaded = history.load(session.id)
    assert loaded is not None
    assert shown(loaded) == "q1 a2"
    assert loaded == session


def test_what_could_not_be_saved_is_saved_with_what_follows_it(tmp_path: Path) -> None:
    session = chat("q1", "a1", "q2", "a2")
    history = History(tmp_path / "db")
    history.save(session, session.messages[-1:])
    loaded = history.load(session.id)
    assert loaded is not None
    assert shown(loaded) == "q1 a1 q2 a2"


def test_all_that_a_chat_has_comes_back(tmp_path: Path) -> None:
    session = chat("q1", "a1")
    session.preset = Preset("Terse", "Be brief.", ChatParameters(temperature=0.2))
    session.parameters = ChatParameters("tiny", 0.2, 0.9, 40, 0.05, 1.1, 7, 100, ("END", "\n\n"))
    session.messages[0].attachments = (Attachment("a.py", "print()", 3), Attachment("b.txt", "b"))
    answer = session.messages[1]
    answer.reasoning, answer.reasoning_s, answer.seed = "hm", 12.0, 2**63 - 1
    assert comes_back(session, tmp_path / "db") == session


def test_without_one_version_the_other_is_shown() -> None:
    session = chat("q1", "a1")
    session.tree.cut(0)
    for text in ("q1'", "a1'"):
        said(session, text)
    session.tree.show(session.tree.versions(session.messages[0])[0])
    gone = list(session.messages)
    session.tree.delete(gone, 9.0)
    assert shown(session) == "q1' a1'"
    assert session.tree.places() == {}
    session.tree.restore(gone)
    assert shown(session) == "q1 a1"
