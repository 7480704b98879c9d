"""Streamed text equals the text decoded at once, and holds no half characters."""

from hypothesis import given
from hypothesis import strategies as st

from engine.text.detokenizer import IncrementalDetokenizer
from tests.engine.fakes import ByteTokenizer


def stream(token_ids):
    detokenizer = IncrementalDetokenizer(ByteTokenizer().decode)
    pieces = [detokenizer.add(token_id) for token_id in token_ids]
    return [*pieces, detokenizer.finish()]


@given(st.text())
def test_pieces_join_to_the_text_without_broken_characters(text):
    pieces = stream(text.encode())
    assert "".join(pieces) == text
    assert all("\N{REPLACEMENT CHARACTER}" not in piece for piece in pieces) or "\N{REPLACEMENT CHARACTER}" in text


def test_character_waits_for_its_last_byte():
    assert stream("é".encode()) == ["", "é", ""]
    assert stream("👍".encode()) == ["", "", "", "👍", ""]


def test_unfinished_bytes_come_at_the_end():
    assert stream("a👍".encode()[:-1]) == ["a", "", "", "", "\N{REPLACEMENT CHARACTER}"]


def test_bytes_that_are_no_text_do_not_hold_up_the_rest():
    pieces = stream(b"\xff\xff\xff\xff\xff\xffabc")
    assert "".join(pieces).endswith("abc")
