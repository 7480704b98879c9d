"""Streamed text of every script, by both kinds of tokenizer, token by token."""

import sys
import unicodedata

import pytest
from gguf.constants import TokenType
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.pre_tokenizers import ByteLevel

from engine.convert.sources.byte_level_bpe import build_byte_level
from engine.convert.sources.sentencepiece_bpe import build_sentencepiece
from engine.text.detokenizer import IncrementalDetokenizer

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def byte_level(*merges: bytes) -> Tokenizer:
    """All 256 bytes, and the given runs of bytes, each merged from its first bytes and its last one."""
    letters = sorted(ByteLevel.alphabet())
    of_byte = {}
    for code in (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)):
        of_byte[code] = chr(code)
    for index, code in enumerate(code for code in range(256) if code not in of_byte):
        of_byte[code] = chr(256 + index)
    assert sorted(of_byte.values()) == letters
    tokens, pairs = [of_byte[code] for code in range(256)], []
    for run in merges:
        for end in range(2, len(run) + 1):
            spelled = "".join(of_byte[code] for code in run[:end])
            if spelled not in tokens:
                tokens.append(spelled)
                pairs.append(f"{spelled[:-1]} {spelled[-1]}")
    return build_byte_level(None, tokens, pairs, "gpt-2")


def sentencepiece() -> Tokenizer:
    words = ["▁", "▁the", "t", "h", "e", "é", "▁é", "中", "a", "\u0301"]
    tokens = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), *words]
    kinds = [TokenType.UNKNOWN, *[TokenType.BYTE] * 256, *[TokenType.NORMAL] * len(words)]
    return build_sentencepiece(tokens, [0.0] * len(tokens), kinds, has_space_prefix=True)


# Tokens that end, begin, or both, inside characters of two, three and four bytes.
CROSSING = [
    "é".encode()[1:] + "é".encode()[:1],
    "中".encode()[2:] + "中".encode()[:1],
    "中".encode()[1:] + b"a",
    b"a" + "中".encode()[:2],
    "👍".encode()[3:] + "👍".encode()[:2],
    b" " + "👍".encode()[:1],
]
TOKENIZERS = {
    "bytes": byte_level(),
    "byte-level": byte_level(*CROSSING, "é".encode(), "中".encode(), b" the", "👍".encode()),
    "sentencepiece": sentencepiece(),
}


def decoder(tokenizer: Tokenizer):
    return lambda token_ids: tokenizer.decode(list(token_ids), skip_special_tokens=True)


def streamed(tokenizer: Tokenizer, token_ids, context=()) -> str:
    detokenizer = IncrementalDetokenizer(decoder(tokenizer), context)
    pieces = [*(detokenizer.add(token_id) for token_id in token_ids), detokenizer.finish()]
    return "".join(pieces)


def blocks() -> list[str]:
    """The first letters of each run of 128 code points that has any, the whole of Unicode through."""
    samples = []
    for start in range(0, sys.maxunicode, 128):
        code_points = map(chr, range(start, start + 128))
        letters = [letter for letter in code_points if unicodedata.category(letter) not in ("Cn", "Cs", "Co")]
        if letters:
            samples.append("".join(letters[::16]))
    return samples


SCRIPTS = blocks()
HARD = [
    "👩‍👩‍👧‍👦 👍🏽🏳️‍🌈 🇩🇪🇯🇵",
    "e\u0301 a\u0323\u0302 Z\u0351\u036b\u0343 n\u0303",
    "你好，世界！中中中中中中中中中中",
    "ééééééééééé中é中a中a 👍 👍👍👍👍👍👍",
    "नमस्ते ไทย العربية עברית ᠮᠣᠩᠭᠣᠯ 한국어",
    "  the  the\n\n\tthe ",
    "\u200b\ufeff\u202eabc\u0000",
    "𝕳𝖊𝖑𝖑𝖔 𐍈 𓀀 🜁",
]


@pytest.mark.parametrize("tokenizer", TOKENIZERS.values(), ids=TOKENIZERS)
def test_every_script_streams_as_it_is_decoded_at_once(tokenizer):
    for text in [*SCRIPTS, *HARD, "".join(SCRIPTS)]:
        token_ids = tokenizer.encode(text, add_special_tokens=False).ids
        assert decoder(tokenizer)(token_ids) == text
        assert streamed(tokenizer, token_ids) == text


@pytest.mark.parametrize("name", ["bytes", "byte-level"])
@given(data=st.binary(max_size=40))
def test_bytes_that_are_no_text_stream_as_they_are_decoded_at_once(name, data):
    token_ids = list(data)
    assert (
        streamed(TOKENIZERS[name], token_ids) == decoder(TOKENIZERS[name])(token_ids) == data.decode(errors="replace")
    )


@given(st.lists(st.integers(0, TOKENIZERS["byte-level"].get_vocab_size() - 1), max_size=200))
def test_any_tokens_stream_as_they_are_decoded_at_once(token_ids):
    tokenizer = TOKENIZERS["byte-level"]
    assert streamed(tokenizer, token_ids) == decoder(tokenizer)(token_ids)


@pytest.mark.parametrize("tokenizer", TOKENIZERS.values(), ids=TOKENIZERS)
@pytest.mark.parametrize("character", ["é", "中", "👍", "\u0301", "𓀀"])
def test_a_character_never_shows_before_its_last_byte(tokenizer, character):
    token_ids = tokenizer.encode(f"a{character}", add_special_tokens=False).ids
    detokenizer = IncrementalDetokenizer(decoder(tokenizer))
    shown = ""
    for token_id in token_ids:
        shown += detokenizer.add(token_id)
        assert shown in ("", "a", f"a{character}")
    assert shown == f"a{character}"


@pytest.mark.parametrize("tokenizer", TOKENIZERS.values(), ids=TOKENIZERS)
@settings(max_examples=50)
@given(prompt=st.text(min_size=1, max_size=20), answer=st.text("é中👍a \u0301the", max_size=20), size=st.integers(1, 8))
def test_an_answer_goes_on_from_the_last_tokens_of_any_prompt(tokenizer, prompt, answer, size):
    prompt_ids = tokenizer.encode(prompt, add_special_tokens=False).ids
    whole = decoder(tokenizer)
    answer_ids = tokenizer.encode(answer, add_special_tokens=False).ids
    assert whole(prompt_ids) + streamed(tokenizer, answer_ids, prompt_ids[-size:]) == whole(prompt_ids + answer_ids)


def test_a_wrong_byte_spoils_no_character_beside_it():
    tokenizer = TOKENIZERS["sentencepiece"]
    token_ids = [tokenizer.token_to_id(f"<0x{byte:02X}>") for byte in "👍".encode() + b"\xff"]
    assert streamed(tokenizer, [*token_ids, tokenizer.token_to_id("a")]) == f"👍{REPLACEMENT}a"
