"""Chats for tests of the history."""

from __future__ import annotations

from app.state.history import History
from app.state.message import Message
from app.state.session import Session


def chat(title: str = "Trip", *texts: str) -> Session:
    session = Session(title=title)
    for number, text in enumerate(texts or ("question", "answer")):
        role, end = ("user", None) if number % 2 == 0 else ("assistant", "stop")
        session.messages.append(Message(role, text, end=end))  # type: ignore[arg-type]
    return session


def stored(history: History, session: Session) -> Session:
    history.save(session, session.messages)
    return session
