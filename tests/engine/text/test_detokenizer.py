"""Streamed text equals the text decoded at once, and holds no half characters."""

import pytest
from gguf.constants import TokenType
from hypothesis import given
from hypothesis import strategies as st

from engine.convert.sources.sentencepiece_bpe import build_sentencepiece
from engine.text.detokenizer import CONTEXT_TOKENS, IncrementalDetokenizer
from tests.engine.fakes import ByteTokenizer

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
decode_bytes = ByteTokenizer().decode


def stream(token_ids, context=(), decode=decode_bytes):
    detokenizer = IncrementalDetokenizer(decode, context)
    pieces = [detokenizer.add(token_id) for token_id in token_ids]
    return [*pieces, detokenizer.finish()]


@given(st.text())
def test_pieces_join_to_the_text_without_broken_characters(text):
    pieces = stream(text.encode())
    assert "".join(pieces) == text
    assert all(REPLACEMENT not in piece for piece in pieces) or REPLACEMENT in text


@given(st.text(), st.text(), st.integers(0, 8))
def test_a_context_changes_nothing_where_tokens_are_bytes(prompt, text, num_context):
    context = prompt.encode()[len(prompt.encode()) - num_context :]
    assert "".join(stream(text.encode(), context)) == text


def test_character_waits_for_its_last_byte():
    assert stream("é".encode()) == ["", "é", ""]
    assert stream("👍".encode()) == ["", "", "", "👍", ""]


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_a_character_begun_in_the_context_comes_whole(cut):
    data = "👍".encode()
    assert "".join(stream([*data[cut:], *b"!"], b"a" + data[:cut])) == "👍!"


def test_unfinished_bytes_come_at_the_end():
    assert stream("a👍".encode()[:-1]) == ["a", "", "", "", REPLACEMENT]


def test_bytes_that_are_no_text_do_not_hold_up_the_rest():
    pieces = stream(b"\xff\xff\xff\xff\xff\xffabc")
    assert "".join(pieces).endswith("abc")


WORDS = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁", "▁the", "▁river", "s", "▁is", "▁blue", "</s>"]
KINDS = [TokenType.UNKNOWN, *[TokenType.BYTE] * 256, *[TokenType.NORMAL] * (len(WORDS) - 258), TokenType.CONTROL]
SENTENCEPIECE = build_sentencepiece(WORDS, [0.0] * len(WORDS), KINDS, has_space_prefix=True)
SENTENCEPIECE.add_special_tokens(["</s>"])


def decode_sentencepiece(token_ids):
    """Drops the space before the first word, as every decoder of SentencePiece does."""
    return SENTENCEPIECE.decode(list(token_ids), skip_special_tokens=True)


def words(*texts):
    return [WORDS.index(text) for text in texts]


def test_the_first_space_of_a_continued_prompt_is_kept():
    prompt, answer = words("▁the", "▁river"), words("s", "▁is", "▁blue")
    assert stream(answer, prompt, decode_sentencepiece) == ["s", " is", " blue", ""]
    assert stream(answer[1:], prompt, decode_sentencepiece) == [" is", " blue", ""]


def test_an_answer_without_a_prompt_begins_without_the_space():
    assert stream(words("▁is", "▁blue"), (), decode_sentencepiece) == ["is", " blue", ""]


def test_a_token_without_text_leaves_the_next_space():
    answer = words("▁is", "</s>", "▁blue")
    assert stream(answer, words("▁the"), decode_sentencepiece) == [" is", "", " blue", ""]


readable = st.lists(st.sampled_from(words("▁the", "▁river", "s", "▁is", "▁blue", "▁", "</s>")), max_size=12)


@given(readable, readable)
def test_prompt_and_streamed_answer_join_to_the_whole_text(prompt, answer):
    prompt = words("▁the", "▁river") + prompt + words("s")
    text = "".join(stream(answer, prompt[-CONTEXT_TOKENS:], decode_sentencepiece))
    assert decode_sentencepiece(prompt) + text == decode_sentencepiece(prompt + answer)
