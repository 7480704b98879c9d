"""A streamed text must end as the same blocks as a whole one, and cost no more per piece when it is long."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.chat import markdown_stream
from app.chat.markdown import Block, CodeBlock, Paragraph, Span, Table, parse
from app.chat.markdown_stream import MarkdownStream

PIECES = st.sampled_from(
    ["a", "b c", "\n", "\n\n", "- ", "1. ", "2. ", "```", "```py\n", "~~~", "> ", "# ", "|", "|-|-|\n", "---", "*",
     "**", "`", "    ", "  ", "<b>", "===", "[x](http://y.z)", "\\", "é中",
     " more words", ", and so. On", "http", "://x.y/z", ")", "[x](", "1.", "2", "!", "&amp", ";", "~~",
     " - ", "_",
     "\r", "\r\n", "\t", "\f", "\v", "\0", "\u2028", "\u2029", "\x1c", "\x85", "\xa0", " ```", "", "``"]
)  # fmt: skip


def streamed(pieces: list[str]) -> list[Block]:
    stream = MarkdownStream()
    blocks: list[Block] = []
    for piece in pieces:
        blocks.extend(stream.feed(piece).finished)
    return [*blocks, *stream.finish().finished]


@given(st.lists(PIECES, max_size=30))
def test_streamed_text_ends_as_the_same_blocks_as_the_whole(pieces: list[str]) -> None:
    assert streamed(pieces) == parse("".join(pieces))


@given(st.lists(PIECES, max_size=20))
def test_finished_blocks_and_rest_show_all_text_so_far(pieces: list[str]) -> None:
    stream = MarkdownStream()
    blocks: list[Block] = []
    for count, piece in enumerate(pieces, 1):
        update = stream.feed(piece)
        blocks.extend(update.finished)
        shown = [*blocks, *update.rest]
        whole = parse("".join(pieces[:count]))
        assert shown == whole or any(isinstance(block, CodeBlock) for block in whole)


def test_each_piece_of_a_long_answer_parses_only_the_last_block(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed_lengths: list[int] = []
    parse_tokens = markdown_stream.parse_tokens
    monkeypatch.setattr(
        markdown_stream, "parse_tokens", lambda source: parsed_lengths.append(len(source)) or parse_tokens(source)
    )
    paragraph = "A paragraph of an answer that goes on and on.\n\n1. one\n2. two\n3. three\n\n```py\nx = 1\n```\n\n"
    text = paragraph * 2400
    stream = MarkdownStream()
    for start in range(0, len(text), 200):
        stream.feed(text[start : start + 200])
    assert len(text) > 200_000
    assert max(parsed_lengths) < 600


def test_an_open_code_block_is_not_parsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = MarkdownStream()
    stream.feed("```python\n")
    monkeypatch.setattr(markdown_stream, "parse_tokens", lambda source: pytest.fail(f"parsed {source!r}"))
    for number in range(1000):
        update = stream.feed(f"x = {number}\n")
    (code,) = update.rest
    assert isinstance(code, CodeBlock)
    assert code.is_open
    assert code.language == "python"
    assert code.text.count("\n") == 999


def test_code_does_not_show_a_fence_that_is_still_arriving() -> None:
    stream = MarkdownStream()
    (code,) = stream.feed("```\nx\n``").rest
    assert isinstance(code, CodeBlock)
    assert code.text == "x"


@pytest.mark.parametrize("pieces", [["a\r", "\nb\r\n\r", "\n```\r", "\nx\r\ny\r", "z\r\n```"], ["a\r", "", "\nb"]])
def test_line_ends_are_one_wherever_the_pieces_are_cut(pieces: list[str]) -> None:
    whole = "".join(pieces).replace("\r\n", "\n").replace("\r", "\n")
    assert streamed(pieces) == parse(whole)


def test_a_tab_in_indented_code_keeps_its_columns() -> None:
    pieces = ["  ```\n", "\tx\n", "```\n"]
    assert streamed(pieces) == parse("".join(pieces)) == [CodeBlock("  x")]


def test_items_of_a_numbered_list_keep_their_numbers_when_split() -> None:
    blocks = streamed(["1. a\n", "1. b\n", "1. c\n", "\ntext\n", "\n1. new\n"])
    assert [block.marker for block in blocks if isinstance(block, Paragraph)] == ["1.", "2.", "3.", "", "1."]


def test_html_stays_text() -> None:
    source = '<img src="http://x.y/z.png"> <b>bold</b> <script>alert(1)</script>'
    (block,) = parse(source)
    assert isinstance(block, Paragraph)
    assert "".join(span.text for span in block.spans) == source


def test_an_image_becomes_a_link_and_other_schemes_none() -> None:
    (image,) = parse("![a cat](https://x.y/cat.png)")
    assert image == Paragraph((Span("a cat", link="https://x.y/cat.png"),))
    for text in ("[a](file:///etc/passwd)", "[a](javascript:alert)", "[a](mailto:x@y.z)"):
        (block,) = parse(text)
        assert isinstance(block, Paragraph)
        assert all(span.link is None for span in block.spans)


def test_bare_addresses_are_links_without_the_punctuation_behind_them() -> None:
    (block,) = parse("see https://example.org/a_b, or not")
    assert isinstance(block, Paragraph)
    assert [span.link for span in block.spans] == [None, "https://example.org/a_b", None]


def test_a_table_keeps_rows_and_alignment() -> None:
    (table,) = parse("| a | b |\n|---|--:|\n| 1 | **2** |\n")
    assert isinstance(table, Table)
    assert table.alignments == ("left", "right")
    assert table.rows[1][1] == (Span("2", is_bold=True),)


def test_code_in_a_list_item_stands_behind_its_marker() -> None:
    blocks = parse("1. do\n   ```sh\n   ls\n   ```\n2.\n   ```\n   x\n   ```\n")
    assert blocks == [
        Paragraph((Span("do"),), indent=1, marker="1."),
        CodeBlock("ls", "sh", indent=1),
        Paragraph((), indent=1, marker="2."),
        CodeBlock("x", "", indent=1),
    ]


def test_the_tasks_of_a_list_have_boxes() -> None:
    source = "- [ ] todo\n- [x] **done**\n- [y] no task\n- [x](http://a.b)\n\n1. [X] first\n\n[ ] no list"
    shown = [
        (block.marker, "".join(span.text for span in block.spans))
        for block in parse(source)
        if isinstance(block, Paragraph)
    ]
    assert shown == [
        ("☐", "todo"),
        ("☑", "done"),
        ("•", "[y] no task"),
        ("•", "x"),
        ("1.", "☑ first"),
        ("", "[ ] no list"),
    ]
