"""The line of a long paragraph is read as if it were read whole, piece by piece."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.chat import inline_stream
from app.chat.inline_stream import InlineStream
from app.chat.markdown import Span, inline_spans

PIECES = st.sampled_from(
    [
        "word", " two words", " a", " **bold** b", " *it* c", " `code` d", " **", "** e", " *", "* f", " ***", "`",
        " `",
        "``", " [", "](http://x.y) g", " ![", " [l](http://x.y) h", " ~~", "~~ i", " ~ j", " snake_case k", " _", "_ l",
        " __m__ n", " 2 * 3", " $", "$ o", " $x$ p", " $5 q", " $$", "$$ r", " \\", " \\(", "\\) s", " \\* t", " \\[",
        "\\]", " &amp; u", " &am", "p; v", " <", "> w", " <http://a.b> x", " http://c.d/e_f", " (y)", ", z.", "  ",
        "\n",
        "  \nb", "!", " é中", " a_ b", " *a", "b* c", " (**d** e)", " x*y*z w",
    ]
)  # fmt: skip


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """What can no longer change is looked for all the time."""
    monkeypatch.setattr(inline_stream, "MIN_CHARACTERS", 4)


@pytest.mark.usefixtures("eager")
@settings(max_examples=300)
@given(st.lists(PIECES, max_size=24))
def test_a_line_that_grows_is_read_as_if_it_came_at_once(pieces: list[str]) -> None:
    stream, line = InlineStream(), ""
    for piece in pieces:
        line += piece
        # As the parser gives it.
        assert stream.spans(line.strip()) == inline_spans(line.strip())


@pytest.mark.usefixtures("eager")
def test_what_is_settled_is_kept_until_another_paragraph_comes() -> None:
    stream = InlineStream()
    for line in ("one two three four five", "one two three four five six", "other words than before", "short"):
        assert stream.spans(line) == (Span(line),)


@pytest.mark.parametrize("piece", [" plain words", " **bold** and `code`, (so) 2 * 3 [link](http://a.b) *it*"])
def test_a_piece_of_a_long_paragraph_costs_no_more_than_one_of_a_short(
    monkeypatch: pytest.MonkeyPatch, piece: str
) -> None:
    lengths: list[int] = []

    def noted(line: str) -> tuple[Span, ...]:
        lengths.append(len(line))
        return inline_spans(line)

    monkeypatch.setattr(inline_stream, "inline_spans", noted)
    stream, line = InlineStream(), "It begins"
    while len(line) < 10_000:
        line += piece
        spans = stream.spans(line)
    assert max(lengths) < 4 * inline_stream.MIN_CHARACTERS
    assert spans == inline_spans(line)


def test_what_is_open_is_not_settled() -> None:
    stream, line = InlineStream(), "It is **bold" + " words" * 200
    assert stream.spans(line) == (Span(line),)
    line += "** here"
    assert stream.spans(line)[1].is_bold
