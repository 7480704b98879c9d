"""Owns what a person changes in what was said: other versions, and what is taken away or put back.

Does not know the window nor the engine. Nothing is lost: what was changed stays as another version, what was deleted
stays until the trash is emptied.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from app.state.message import Attachment, Message, new_id
from app.state.session import Session, restored_phase, title_of


def ask_anew(
    session: Session, question: Message, text: str, attachments: tuple[Attachment, ...], model_name: str | None
) -> list[Message]:
    """Another version of a question, with an empty answer; what followed the old one is set aside with it."""
    _set_aside(session, question)
    new = Message("user", text, attachments=attachments, parent_id=question.parent_id)
    session.messages.append(new)
    return [new, session.begin_answer(model_name)]


def answer_anew(session: Session, answer: Message, model_name: str | None) -> tuple[list[Message], Message | None]:
    """Another version of an answer, empty; what followed the old one is set aside with it.

    Returns what is to be saved, and the old answer if it said nothing and nothing followed it: it is then no version,
    and gone.
    """
    _set_aside(session, answer)
    new = session.begin_answer(model_name, answer.parent_id)
    is_followed = any(message.parent_id == answer.id for message in session.aside)
    if answer.text or answer.reasoning or is_followed:
        return [new], None
    session.aside.remove(answer)
    return [new], answer


def edit_answer(session: Session, answer: Message, text: str) -> list[Message]:
    """Another version of an answer, with the person's text; what followed the old one follows the new one now."""
    _check_idle(session)
    tree = session.tree
    tree.note_parents()
    index = session.messages.index(answer)
    new = Message("assistant", text, answer.model_name, "edited", parent_id=answer.parent_id)
    changed = [new]
    for follower in [*session.messages, *session.aside]:
        if follower.parent_id == answer.id:
            follower.parent_id = new.id
            changed.append(follower)
    session.messages[index] = new
    session.aside.append(answer)
    session.phase = restored_phase(session.messages)
    return changed


def branch(session: Session, message: Message) -> Session:
    """A chat of its own with copies of what is shown up to and with this message."""
    path = session.messages[: session.messages.index(message) + 1]
    copies = [replace(old, id=new_id(), parent_id=None, attachments=copied(old.attachments)) for old in path]
    for before, behind in pairwise(copies):
        behind.parent_id = before.id
    first = next((old.text for old in path if old.role == "user"), session.title)
    return Session(
        title=title_of(first) if path[0] is not session.messages[0] else session.title,
        system_prompt=session.system_prompt,
        when_full=session.when_full,
        parameters=session.parameters,
        preset=session.preset,
        folder_id=session.folder_id,
        messages=copies,
    )


def turn_of(session: Session, message: Message) -> list[Message]:
    """A question with what answers it, of the turn that this message belongs to."""
    index = session.messages.index(message)
    start = next((at for at in range(index, -1, -1) if session.messages[at].role == "user"), 0)
    rest = range(start + 1, len(session.messages))
    end = next((at for at in rest if session.messages[at].role == "user"), len(session.messages))
    return session.messages[start:end]


def delete(session: Session, messages: Sequence[Message]) -> None:
    _check_idle(session)
    session.tree.delete(messages, time.time())
    session.phase = restored_phase(session.messages)


def deletions(session: Session) -> list[tuple[float, list[Message]]]:
    """The chat's deleted messages by the time, since 1970, at which they were deleted together; the first one first."""
    groups: dict[float, list[Message]] = {}
    for message in session.tree.everything():
        if message.deleted_at_s is not None:
            groups.setdefault(message.deleted_at_s, []).append(message)
    return sorted(groups.items())


def restore(session: Session, messages: Sequence[Message]) -> None:
    _check_idle(session)
    session.tree.restore(messages)
    session.phase = restored_phase(session.messages)


def show_version(session: Session, message: Message, step: int) -> None:
    """Leads the chat through the version before (-1) or behind (1) this one."""
    _check_idle(session)
    versions = session.tree.versions(message)
    index = versions.index(message) + step
    assert 0 <= index < len(versions), f"version {index} of {len(versions)}"
    session.tree.show(versions[index])
    session.phase = restored_phase(session.messages)


def show_message(session: Session, message: Message) -> None:
    """Leads the chat through this message of another version."""
    _check_idle(session)
    session.tree.show(message)
    session.phase = restored_phase(session.messages)


def _set_aside(session: Session, message: Message) -> None:
    _check_idle(session)
    session.tree.cut(session.messages.index(message))


def _check_idle(session: Session) -> None:
    assert not session.is_busy, f"the chat is {session.phase.value}"


def copied(attachments: tuple[Attachment, ...]) -> tuple[Attachment, ...]:
    """The same texts once more, for another message."""
    return tuple(replace(attachment, id=new_id()) for attachment in attachments)
