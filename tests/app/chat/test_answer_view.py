"""An answer on the screen: what it shows, and that a long one stays cheap."""

from __future__ import annotations

from collections.abc import Sequence
from unittest.mock import patch

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication, QTextDocument
from PySide6.QtWidgets import QPlainTextEdit, QScrollArea
from pytestqt.qtbot import QtBot

from app.chat.answer_view import AnswerView
from app.chat.code_view import CodeView
from app.chat.document_writer import RULE_PROPERTY, Prose
from app.chat.highlight import lex
from app.chat.links import open_link
from app.chat.markdown import CodeBlock, Paragraph, Span
from app.chat.text_view import ProseView, TableView, added_spans


@pytest.fixture
def view(qtbot: QtBot) -> AnswerView:
    result = AnswerView(560)
    area = QScrollArea(widgetResizable=True)
    area.setWidget(result)
    area.resize(580, 400)
    qtbot.addWidget(area)
    area.show()
    # The area owns the view and must live as long as the test.
    result.area = area  # type: ignore[attr-defined]
    return result


def stream(view: AnswerView, text: str, step: int = 3) -> None:
    for start in range(0, len(text), step):
        view.append(text[start : start + step])
    view.finish()


def shown(view: AnswerView) -> str:
    parts = []
    for part in view.views:
        parts.append(part.text if isinstance(part, CodeView) else part.toPlainText())
    return "\n".join(parts)


MIXED = (
    "# Title\n\nSome *text* with `code`.\n\n1. one\n2. two\n\n```python\nx = 1\n```\n\n"
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n> said\n\n---\n\nThe end."
)


def test_a_streamed_answer_looks_like_one_shown_at_once(qtbot: QtBot, view: AnswerView) -> None:
    whole = AnswerView(560)
    qtbot.addWidget(whole)
    stream(whole, MIXED, len(MIXED))
    stream(view, MIXED, 1)
    assert [type(part) for part in view.views] == [ProseView, CodeView, TableView, ProseView]
    assert [type(part) for part in view.views] == [type(part) for part in whole.views]
    for part, other in zip(view.views, whole.views, strict=True):
        if not isinstance(part, CodeView) and not isinstance(other, CodeView):
            assert part.document().toHtml() == other.document().toHtml()
    assert shown(view) == shown(whole)


@pytest.mark.parametrize("every", [2, 7, 1_000])
def test_what_is_read_several_times_before_it_is_shown_looks_like_what_is_shown_at_once(
    qtbot: QtBot, view: AnswerView, every: int
) -> None:
    for number, start in enumerate(range(0, len(MIXED), 5)):
        view.read(MIXED[start : start + 5])
        if number % every == 0:
            view.show_read()
    view.finish()
    other = AnswerView(560)
    qtbot.addWidget(other)
    other.append(MIXED)
    other.finish()
    assert shown(view) == shown(other)
    assert [type(part) for part in view.views] == [type(part) for part in other.views]


def count_written_blocks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list that gains the number of blocks of each writing into a view."""
    written: list[int] = []
    show_blocks, show_code = ProseView.show_blocks, CodeView.show_code

    def count_prose(view: ProseView, blocks: Sequence[Prose], num_finished: int) -> None:
        written.append(len(blocks))
        show_blocks(view, blocks, num_finished)

    def count_code(view: CodeView, code: CodeBlock) -> None:
        written.append(1)
        show_code(view, code)

    monkeypatch.setattr(ProseView, "show_blocks", count_prose)
    monkeypatch.setattr(CodeView, "show_code", count_code)
    return written


def test_each_flush_of_a_long_answer_writes_a_bounded_number_of_blocks(
    view: AnswerView, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = count_written_blocks(monkeypatch)
    paragraph = "A paragraph of an answer that goes on and on, as answers do. " * 5
    part = f"{paragraph}\n\n{paragraph}\n\n- one\n- two\n\n```py\nx = 1\ny = 2\n```\n\n"
    text = part * (200_000 // len(part) + 1)
    flushes = [text[start : start + 400] for start in range(0, len(text), 400)]
    most = 0
    for flush in flushes:
        written.clear()
        view.append(flush)
        most = max(most, sum(written))
    assert len(text) >= 200_000
    # 400 characters are less than one part of five blocks, and the open block is written again.
    assert 0 < most < 10
    finished = view.views[len(view.views) // 2]
    with patch.object(type(finished), "show_blocks" if isinstance(finished, ProseView) else "show_code") as rewritten:
        view.append("more")
        assert all(call.args[0] is not finished for call in rewritten.call_args_list)


def test_finished_text_is_not_written_again(view: AnswerView) -> None:
    view.append("first\n\nsecond\n\nthi")
    (prose,) = view.views
    assert isinstance(prose, ProseView)
    changes: list[int] = []
    prose.document().contentsChange.connect(lambda position, removed, added: changes.append(position))
    view.append("rd\n\nfourth")
    assert changes
    assert min(changes) >= len("first")
    assert prose.toPlainText().split("\n") == ["first", "second", "third", "fourth"]


def test_a_long_stretch_of_text_is_divided(view: AnswerView) -> None:
    stream(view, "\n\n".join(f"paragraph {number}" for number in range(100)), 50)
    assert len(view.views) == 3
    assert shown(view) == "\n".join(f"paragraph {number}" for number in range(100))


def test_a_paragraph_that_becomes_a_table_or_code_changes_its_view(view: AnswerView) -> None:
    view.append("| a | b |\n")
    assert isinstance(view.views[0], ProseView)
    view.append("|---|---|\n| 1 | 2 |\n")
    assert [type(part) for part in view.views] == [TableView]
    view.append("\n``")
    view.append("`\nx")
    assert [type(part) for part in view.views] == [TableView, CodeView]


def test_a_rule_keeps_its_line_when_text_follows(view: AnswerView) -> None:
    stream(view, "a\n\n---\n\nb and more", 1)
    (prose,) = view.views
    assert isinstance(prose, ProseView)
    block = prose.document().findBlockByNumber(1)
    assert block.blockFormat().property(RULE_PROPERTY)


def test_the_copy_button_copies_the_code_alone(view: AnswerView) -> None:
    stream(view, "text\n\n```py\nx = 1\n\ny = 2\n```\n")
    code = view.views[1]
    assert isinstance(code, CodeView)
    code.copy_button.click()
    assert QGuiApplication.clipboard().text() == "x = 1\n\ny = 2"


def test_html_is_shown_as_text_and_nothing_is_loaded(view: AnswerView) -> None:
    source = '<img src="http://127.0.0.1:9/x.png"><b>bold</b> ![alt](http://127.0.0.1:9/y.png)'
    with patch.object(ProseView, "loadResource", side_effect=AssertionError("something was loaded")):
        stream(view, source)
        view.grab()
    assert shown(view) == '<img src="http://127.0.0.1:9/x.png"><b>bold</b> alt'
    (prose,) = view.views
    assert isinstance(prose, ProseView)
    kind = QTextDocument.ResourceType.ImageResource.value
    assert prose.loadResource(kind, QUrl("http://127.0.0.1:9/y.png")) is None


@pytest.mark.parametrize("address", ["http://example.org", "https://example.org/a?b=c"])
def test_web_addresses_open_in_the_browser(address: str) -> None:
    with patch.object(QDesktopServices, "openUrl", return_value=True) as opened:
        assert open_link(QUrl(address))
    assert opened.call_args.args == (QUrl(address),)


@pytest.mark.parametrize("address", ["file:///etc/passwd", "javascript:alert(1)", "data:text/html,x", "relative", ""])
def test_other_addresses_do_not_open(address: str) -> None:
    with patch.object(QDesktopServices, "openUrl", return_value=True) as opened:
        assert not open_link(QUrl(address))
    assert not opened.called


def test_code_has_colours_by_line_and_an_unknown_language_none() -> None:
    lines = lex('def f():\n    return "a"  # b\n', "python")
    assert (0, 3, "code_keyword") in lines[0]
    assert (4, 1, "code_name") in lines[0]
    assert {role for _, _, role in lines[1]} == {"code_keyword", "code_string", "code_comment"}
    assert lex("a\nb", "no-such-language") == [[], []]


def test_a_comment_in_the_last_line_is_one() -> None:
    assert lex("int f() {\n} // end", "c")[1] == [(2, 6, "code_comment")]
    assert len(lex("int f() {\n} // end", "c")) == 2


def test_code_that_streams_is_coloured_line_by_line(view: AnswerView) -> None:
    view.append("```python\n")
    for number in range(20):
        view.append(f"x{number} = 'text'\n")
    (code,) = view.views
    assert isinstance(code, CodeView)
    editor = code.findChild(QPlainTextEdit)
    assert editor is not None
    blocks = [editor.document().findBlockByNumber(number) for number in range(20)]
    # The newest line may go on.
    assert [bool(block.layout().formats()) for block in blocks] == [True] * 19 + [False]


def test_the_first_line_is_coloured_though_its_fence_came_in_pieces(view: AnswerView) -> None:
    for piece in ("```", "py", "thon", "\n", "def f():\n", "    return 1\n", "    x"):
        view.append(piece)
    (code,) = view.views
    assert isinstance(code, CodeView)
    editor = code.findChild(QPlainTextEdit)
    assert editor is not None
    assert editor.document().firstBlock().layout().formats()


def test_a_growing_paragraph_is_only_added_to():
    before = Paragraph((Span("one "), Span("two", is_bold=True)), marker="1.")
    after = Paragraph((Span("one "), Span("two and", is_bold=True), Span(" more")), marker="1.")
    assert added_spans(before, after) == (Span(" and", is_bold=True), Span(" more"))
    assert added_spans(after, before) is None
    assert added_spans(before, Paragraph(after.spans, marker="2.")) is None
    assert added_spans(before, Paragraph((Span("one two and"),), marker="1.")) is None
    assert added_spans(Paragraph(), Paragraph((Span("x"),))) == (Span("x"),)
