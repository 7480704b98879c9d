"""What was exported comes back exactly: JSON with all versions, Markdown and HTML with what is shown."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.state.archive import ChatCopy
from app.state.history import History
from app.state.message import AnswerStats, Attachment, ForgottenTurns, Message
from app.state.parameters import ChatParameters, Preset
from app.state.session import Session
from app.transfer.errors import TransferError
from app.transfer.files import WRITERS, read_chats, write_chats
from app.transfer.html_format import read_html, write_html
from app.transfer.json_format import read_data, write_json
from app.transfer.markdown_format import read_markdown, write_markdown

_NASTY = (
    "", "\n", "a\n\n\nb\r", "\r\n x \r\n", "</script><!-- x -->", "<!-- end of a0 -->\n\n<!-- end of a1 -->",
    '<!-- deepinfer-chats 99 {"id": 1} -->\n# T\n', '<!-- message {"id": "a1"} -->\n## You\n\n', "旅行 🚢 \u2028",
    "a --> b",
)  # fmt: skip
TEXTS = st.one_of(st.text(st.characters(exclude_categories=["Cs"]), max_size=40), st.sampled_from(_NASTY))
STATS = st.builds(
    AnswerStats,
    st.integers(0, 9), st.integers(0, 9), st.integers(0, 9), st.none() | st.floats(0, 9), st.none() | st.floats(0, 9),
    num_drafted_tokens=st.none() | st.integers(0, 9),
)  # fmt: skip


@st.composite
def copies(draw: st.DrawFn) -> ChatCopy:
    """A chat with versions, and all that a chat can have."""
    session = Session(title=draw(TEXTS), system_prompt=draw(TEXTS), is_pinned=draw(st.booleans()))
    session.parameters = ChatParameters(temperature=draw(st.none() | st.floats(0, 2)), stop=("a", draw(TEXTS)))
    session.preset = draw(st.none() | st.builds(Preset, TEXTS, TEXTS, st.just(ChatParameters(seed=3)), TEXTS))
    for number in range(draw(st.integers(0, 6))):
        if session.messages and draw(st.booleans()):
            session.tree.cut(draw(st.integers(0, len(session.messages) - 1)))
        is_question = len(session.messages) % 2 == 0
        message = Message("user" if is_question else "assistant", draw(TEXTS), created_at_s=number)
        if is_question:
            message.attachments = tuple(draw(st.lists(st.builds(Attachment, TEXTS, TEXTS), max_size=2)))
        else:
            message.model_name, message.end = draw(st.none() | TEXTS), draw(st.sampled_from(["stop", "interrupted"]))
            message.stats, message.reasoning = draw(st.none() | STATS), draw(TEXTS)
            message.forgotten = draw(st.none() | st.just(ForgottenTurns(1, 20)))
            message.seed = draw(st.none() | st.integers(0, 2**62))
        session.messages.append(message)
        session.tree.note_parents()
    # As they come back: in the order in which they were made.
    session.aside.sort(key=lambda message: message.created_at_s)
    return ChatCopy(session, 12.5, draw(st.none() | TEXTS))


def shown(copy: ChatCopy) -> ChatCopy:
    """The chat as if it never had other versions."""
    messages = list(copy.session.messages)
    if messages:
        messages[0] = replace(messages[0], parent_id=None)
    return replace(copy, session=replace(copy.session, messages=messages, aside=[]))


@settings(max_examples=25, deadline=None)
@given(st.lists(copies(), max_size=3))
def test_json_keeps_the_whole_tree(chats: list[ChatCopy]) -> None:
    assert read_data(json.loads(write_json(chats))) == chats


@settings(max_examples=25, deadline=None)
@given(st.lists(copies(), min_size=1, max_size=3))
def test_markdown_keeps_what_is_shown(chats: list[ChatCopy]) -> None:
    assert read_markdown(write_markdown(chats)) == [shown(copy) for copy in chats]


@settings(max_examples=25, deadline=None)
@given(st.lists(copies(), min_size=1, max_size=3))
def test_html_keeps_what_is_shown(chats: list[ChatCopy]) -> None:
    page = write_html(chats)
    assert page.count("<script") == 1
    assert read_html(page) == [shown(copy) for copy in chats]


def example() -> ChatCopy:
    session = Session(title="Trip")
    session.messages += [Message("user", "where\r\nto\n"), Message("assistant", "to sea\n\n", "Tiny", "stop")]
    session.tree.cut(1)
    session.messages.append(Message("assistant", "to the hills", "Tiny", "stop"))
    session.tree.note_parents()
    return ChatCopy(session, 12.5, "Travel")


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_chat_goes_through_a_file_into_another_history(tmp_path: Path, suffix: str) -> None:
    first, second = History(tmp_path / "1"), History(tmp_path / "2")
    copy = example()
    first.archive.add([copy])
    write_chats(tmp_path / f"chats{suffix}", first.archive.read())
    (chat_id,) = second.archive.add(read_chats(tmp_path / f"chats{suffix}"))
    (back,) = second.archive.read()
    assert chat_id == copy.session.id
    assert back.session.messages == copy.session.messages
    assert len(back.session.aside) == (1 if suffix == ".json" else 0)
    assert (back.folder_name, back.updated_at_s) == ("Travel", 12.5)
    assert [folder.name for folder in second.folders.all()] == ["Travel"]


def test_a_chat_that_is_there_comes_in_once_more_beside_it(tmp_path: Path) -> None:
    history = History(tmp_path / "db")
    history.archive.add([example()])
    (copy,) = history.archive.read()
    (chat_id,) = history.archive.add([copy])
    assert chat_id != copy.session.id
    first, second = (history.load(one) for one in (copy.session.id, chat_id))
    assert first is not None
    assert second is not None
    assert [message.text for message in first.messages] == [message.text for message in second.messages]
    assert not {message.id for message in first.tree.everything()} & {m.id for m in second.tree.everything()}


def test_what_lies_in_the_trash_is_not_exported(tmp_path: Path) -> None:
    history = History(tmp_path / "db")
    copy = example()
    copy.session.tree.delete([copy.session.messages[0]], 9.0)
    (chat_id,) = history.archive.add([copy])
    history.save(copy.session, copy.session.tree.everything())
    (back,) = history.archive.read([chat_id])
    assert [message.text for message in back.session.tree.everything()] == ["to sea\n\n", "to the hills"]
    history.trash.put_chat(chat_id)
    assert history.archive.read() == []


def test_a_failure_in_the_middle_leaves_nothing(tmp_path: Path) -> None:
    history = History(tmp_path / "db")

    def fail(num_chats: int) -> None:
        if num_chats == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        history.archive.add([example(), example(), example()], fail)
    assert history.chats() == []
    assert history.trash.chats() == []
    assert history.search.find("where") == []


def test_a_markdown_file_from_an_editor_with_other_line_ends_is_read(tmp_path: Path) -> None:
    text = write_markdown([example()]).replace("\r\n", "\n").replace("\n", "\r\n")
    (copy,) = read_markdown(text)
    assert [message.text for message in copy.session.messages] == ["where\nto\n", "to the hills"]


def test_a_message_cut_out_of_a_markdown_file_leaves_the_rest() -> None:
    session = Session(title="Trip")
    session.messages += [Message("user", text) for text in ("one", "two", "three")]
    text = write_markdown([ChatCopy(session, 1.0)])
    start, end = (text.index(f"<!-- message {json.dumps({'id': m.id})[:-1]}") for m in session.messages[1:])
    (copy,) = read_markdown(text[:start] + text[end:])
    assert [message.text for message in copy.session.messages] == ["one", "three"]


def test_a_markdown_file_that_is_cut_off_is_refused() -> None:
    text = write_markdown([example()])
    with pytest.raises(TransferError, match="cut off"):
        read_markdown(text[: text.rindex("<!-- end")])


def test_a_write_that_fails_says_why_and_keeps_the_former_file(tmp_path: Path) -> None:
    with pytest.raises(TransferError, match="missing"):
        write_chats(tmp_path / "missing" / "chats.json", [example()])
