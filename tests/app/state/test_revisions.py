"""What a person changes in what was said, and that it comes back from disk as it was shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.state import revisions
from app.state.history import History
from app.state.message import Attachment, Message
from app.state.session import Phase, Session, marked_title
from engine.messages import ChatMessage, RequestFinished, TextDelta


def chat(*texts: str) -> Session:
    session = Session()
    for question, answer in zip(texts[::2], texts[1::2], strict=True):
        session.ask(question)
        finish(session, answer)
    return session


def finish(session: Session, text: str) -> None:
    session.append_text(text)
    session.apply(RequestFinished("r", "stop", 10, 0, 5, 0.1, 50.0, seed=7))


def shown(session: Session) -> str:
    return " ".join(message.text for message in session.messages)


def comes_back(session: Session, path: Path) -> Session:
    history = History(path)
    history.save(session, session.tree.everything())
    loaded = history.load(session.id)
    history.close()
    assert loaded is not None
    return loaded


def test_a_question_asked_anew_keeps_the_old_way_as_a_version(tmp_path: Path) -> None:
    session = chat("q1", "a1", "q2", "a2")
    revisions.ask_anew(session, session.messages[2], "q2b", (), None)
    finish(session, "a2b")
    assert shown(session) == "q1 a1 q2b a2b"
    assert session.tree.places() == {session.messages[2].id: (2, 2)}
    session = comes_back(session, tmp_path / "chats")
    assert shown(session) == "q1 a1 q2b a2b"
    revisions.show_version(session, session.messages[2], -1)
    assert shown(session) == "q1 a1 q2 a2"


def test_an_answer_asked_for_again_is_a_version_and_an_empty_one_is_none() -> None:
    session = chat("q", "a1")
    new, gone = revisions.answer_anew(session, session.messages[1], "Tiny")
    assert gone is None
    session.append_text("")
    session.apply(RequestFinished("r", "cancelled", 10, 0, 0, None, None))
    empty = session.answer
    assert new == [empty]
    new, gone = revisions.answer_anew(session, empty, "Tiny")
    assert gone is empty
    finish(session, "a2")
    assert session.tree.places() == {session.answer.id: (2, 2)}


def test_an_empty_answer_that_something_follows_stays_in_its_place(tmp_path: Path) -> None:
    session = chat("q1", "", "q2", "a2")
    _, gone = revisions.answer_anew(session, session.messages[1], "Tiny")
    assert gone is None
    finish(session, "a1")
    session = comes_back(session, tmp_path / "chats")
    assert session.tree.places() == {session.answer.id: (2, 2)}
    revisions.show_version(session, session.answer, -1)
    assert shown(session) == "q1  q2 a2"


def test_an_edited_answer_keeps_what_followed_it(tmp_path: Path) -> None:
    session = chat("q1", "a1", "q2", "a2")
    revisions.edit_answer(session, session.messages[1], "a1b")
    assert shown(session) == "q1 a1b q2 a2"
    session = comes_back(session, tmp_path / "chats")
    assert shown(session) == "q1 a1b q2 a2"
    revisions.show_version(session, session.messages[1], -1)
    assert shown(session) == "q1 a1"


def test_an_answer_goes_on_behind_its_text() -> None:
    session = chat("q", "half an ans")
    session.go_on()
    assert session.continues_answer
    assert session.prompt() == (ChatMessage("user", "q"), ChatMessage("assistant", "half an ans"))
    finish(session, "wer")
    assert shown(session) == "q half an answer"
    session.ask("more")
    assert not session.continues_answer


def test_a_branch_is_a_chat_of_its_own(tmp_path: Path) -> None:
    session = chat("q1", "a1", "q2", "a2")
    made = revisions.branch(session, session.messages[1])
    assert shown(made) == "q1 a1"
    assert made.title == session.title
    assert {message.id for message in made.messages}.isdisjoint(message.id for message in session.messages)
    assert shown(comes_back(made, tmp_path / "chats")) == "q1 a1"


def test_a_deleted_turn_comes_back_where_it_was(tmp_path: Path) -> None:
    session = chat("q1", "a1", "q2", "a2", "q3", "a3")
    turn = revisions.turn_of(session, session.messages[3])
    assert [message.text for message in turn] == ["q2", "a2"]
    revisions.delete(session, turn)
    assert shown(session) == "q1 a1 q3 a3"
    session = comes_back(session, tmp_path / "chats")
    assert shown(session) == "q1 a1 q3 a3"
    revisions.restore(session, [message for message in session.aside if message.deleted_at_s is not None])
    assert shown(session) == "q1 a1 q2 a2 q3 a3"


def test_an_answer_asked_for_again_behind_a_deleted_question_stands_in_its_place(tmp_path: Path) -> None:
    session = chat("q1", "a1")
    revisions.delete(session, [session.messages[0]])
    revisions.answer_anew(session, session.messages[0], None)
    finish(session, "a1b")
    assert session.tree.places() == {session.answer.id: (2, 2)}
    assert shown(comes_back(session, tmp_path / "chats")) == "a1b"


def test_nothing_is_changed_while_an_answer_is_written() -> None:
    session = chat("q1", "a1")
    session.ask("q2")
    with pytest.raises(AssertionError):
        revisions.delete(session, [session.messages[0]])
    with pytest.raises(AssertionError):
        revisions.answer_anew(session, session.messages[1], None)


def test_a_chat_without_its_failed_answer_has_not_failed() -> None:
    session = Session(
        messages=[Message("user", "q"), Message("assistant", "", end="failed", error="no memory")], phase=Phase.FAILED
    )
    revisions.delete(session, [session.messages[1]])
    assert session.phase is Phase.IDLE


def test_files_stand_before_the_text_under_their_names() -> None:
    session = Session()
    session.ask("What is this?", attachments=(Attachment("a.py", "x = 1"), Attachment("b.md", "```\ncode\n```")))
    (message,) = session.prompt()
    assert message.content == ("File a.py:\n```\nx = 1\n```\n\nFile b.md:\n````\n```\ncode\n```\n````\n\nWhat is this?")


def test_a_chat_of_files_alone_is_called_by_them() -> None:
    session = Session()
    session.ask("", attachments=(Attachment("a.py", "x = 1"),))
    assert session.title == "a.py"
    assert session.prompt()


def test_thinking_is_kept_with_its_time_and_is_no_part_of_the_prompt(tmp_path: Path) -> None:
    session = Session()
    session.ask("q")
    session.apply(TextDelta("r", "", (1,), reasoning="hm"))
    session.append_reasoning("hm")
    session.apply(TextDelta("r", "a", (2,)))
    finish(session, "a")
    session = comes_back(session, tmp_path / "chats")
    assert session.answer.reasoning == "hm"
    assert session.answer.reasoning_s is not None
    assert session.answer.seed == 7
    session.ask("more")
    assert [message.content for message in session.prompt()] == ["q", "a", "more"]


def test_a_title_stays_when_the_first_question_is_edited() -> None:
    for title in ("q1", "Chosen"):
        session = chat("q1", "a1", "q2", "a2")
        session.title = title
        revisions.ask_anew(session, session.messages[0], "better", (), None)
        assert session.title == title


def test_a_marked_title_is_another_than_those_that_are_taken() -> None:
    assert marked_title("Sea", "branch", {"Sea"}) == "Sea (branch)"
    assert marked_title("Sea (branch)", "branch", {"Sea", "Sea (branch)"}) == "Sea (branch 2)"
    assert marked_title("Sea (branch 2)", "branch", ()) == "Sea (branch)"
    assert marked_title("The sea, as it was before the…", "branch", ()) == "The sea, as it was before the (branch)"
