"""Vocabularies of GGUF files become tokenizers that split, merge and decode as the originals do."""

from itertools import pairwise
from pathlib import Path

import pytest
from gguf import TokenType
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from engine.convert.sources.byte_level_bpe import build_byte_level
from engine.convert.sources.gguf_tokenizer import TokenizerFiles, read_tokenizer
from engine.convert.sources.pre_tokenizers import PRE_TOKENIZERS
from engine.convert.sources.sentencepiece_bpe import SPACE, build_sentencepiece
from engine.errors import SourceError
from engine.models.metadata import Metadata
from tests.engine.tiny_models import MERGES, byte_characters, vocabulary

PATH = Path("model.gguf")
ONE_NAME_OF_EACH = sorted({way: name for name, way in PRE_TOKENIZERS.items()}.values())


def tiny_keys(**changes: object) -> dict[str, object]:
    tokens, kinds = vocabulary()
    keys: dict[str, object] = {
        "model": "gpt2",
        "pre": "smollm",
        "tokens": tokens,
        "token_type": [int(kind) for kind in kinds],
        "merges": [" ".join(merge) for merge in MERGES],
        "eos_token_id": 2,
    }
    return {f"tokenizer.ggml.{key}": value for key, value in (keys | changes).items() if value is not None}


def read(**changes: object) -> TokenizerFiles:
    return read_tokenizer(Metadata(PATH, tiny_keys(**changes)))


def tokenizer(**changes: object) -> Tokenizer:
    return Tokenizer.from_str(read(**changes).tokenizer_json)


@pytest.mark.parametrize(
    ("pre", "text", "pieces"),
    [
        ("smollm", "a 123's\n\n b", ["a", "Ġ", "1", "2", "3", "'s", "ĊĊ", "Ġb"]),
        ("gpt-2", "a 123's\n\n b", ["a", "Ġ123", "'s", "ĊĊ", "Ġb"]),
        ("llama-bpe", "a 12345'S x\n\n b", ["a", "Ġ", "123", "45", "'S", "Ġx", "ĊĊ", "Ġb"]),
        ("qwen2", "a 123'S (x)\n\n b", ["a", "Ġ", "1", "2", "3", "'S", "Ġ(", "x", ")ĊĊ", "Ġb"]),
        ("tekken", "aB 12/\n", ["a", "B", "Ġ", "1", "2", "/Ċ"]),
        ("default", "a+b 1234", ["a", "+", "b", "Ġ", "123", "4"]),
        ("falcon", "a`b 1234", ["a", "`", "b", "Ġ", "123", "4"]),
        ("gpt-4o", "don't helloWorld 1234/\n", ["don't", "Ġhello", "World", "Ġ", "123", "4", "/Ċ"]),
        ("deepseek-v3", "a.bc 1234 d", ["a", ".bc", "Ġ", "123", "4", "Ġd"]),
        ("deepseek-coder", "ab,1 2", ["ab", ",", "1", "Ġ", "2"]),
        ("deepseek-llm", "ab c12\n", ["ab", "Ġc", "12", "Ċ"]),
        ("qwen35", "e\u0301a 12", ["eÌģa", "Ġ", "1", "2"]),
        ("tiny_aya", "1234567", ["1", "234", "567"]),
        ("superbpe", "a 1234567", ["aĠ", "1", "234", "567"]),
        ("bloom", "ab, cd 12", ["ab", ",", "Ġcd", "Ġ12"]),
        ("viking", "ab 12", ["ab", "Ġ", "1", "2"]),
        ("chameleon", "a  12", ["a", "ĠĠ", "1", "2"]),
        ("seed-coder", "a!\n12", ["a", "!", "Ċ", "1", "2"]),
        ("minicpm5", "a 12345", ["a", "Ġ", "123", "45"]),
        ("laguna", "a 1\nb", ["a", "Ġ", "1", "Ċ", "b"]),
    ],
)
def test_text_is_split_as_the_family_does(pre: str, text: str, pieces: list[str]) -> None:
    splitter = build_byte_level(PATH, byte_characters(), [], pre).pre_tokenizer
    assert splitter is not None
    assert [piece for piece, _ in splitter.pre_tokenize_str(text)] == pieces


def test_merges_are_applied_in_their_order() -> None:
    assert tokenizer().encode("hello the cat").tokens == ["hello", "Ġthe", "Ġcat"]


def test_control_tokens_are_found_in_text_and_skipped_in_answers() -> None:
    built = tokenizer()
    ids = built.encode("<|im_start|>the<|im_end|>").ids
    assert ids[0] == 1
    assert ids[-1] == 2
    assert built.decode(ids) == "the"
    assert built.decode(ids, skip_special_tokens=False) == "<|im_start|>the<|im_end|>"


def test_user_defined_tokens_are_found_in_text_and_kept_in_answers() -> None:
    tokens, kinds = vocabulary()
    built = tokenizer(tokens=[*tokens, "<tool x>"], token_type=[*map(int, kinds), int(TokenType.USER_DEFINED)])
    ids = built.encode("a<tool x>b").ids
    assert len(tokens) in ids
    assert built.decode(ids) == "a<tool x>b"


@pytest.mark.parametrize("pre", ONE_NAME_OF_EACH)
@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_any_text_survives_encoding_and_decoding(pre: str, text: str) -> None:
    built = build_byte_level(PATH, byte_characters(), [], pre)
    # Some compose characters first, and of a few of them Unicode has two.
    kept = text if built.normalizer is None else built.normalizer.normalize_str(text)
    assert built.decode(built.encode(text).ids) == kept


def test_end_tokens_are_the_union_of_named_and_chat_ends() -> None:
    files = read(eos_token_id=5, eot_token_id=6, bos_token_id=1, add_bos_token=True)
    assert files.generation.end_token_ids == (0, 2, 5, 6)
    assert files.generation.bos_token_id == 1
    assert files.generation.adds_bos


def test_a_chat_end_that_is_an_ordinary_token_does_not_end() -> None:
    tokens, kinds = vocabulary()
    ordinary = [int(TokenType.NORMAL)] * len(kinds)
    assert read(tokens=tokens, token_type=ordinary, eos_token_id=None).generation.end_token_ids == ()


@pytest.mark.parametrize(("pre", "adds_bos"), [("llama-bpe", True), ("smollm", False)])
def test_whether_a_prompt_begins_with_bos_follows_the_family(pre: str, adds_bos: bool) -> None:
    assert read(pre=pre, bos_token_id=0).generation.adds_bos == adds_bos
    assert not read(pre=pre, bos_token_id=None).generation.adds_bos


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"merges": ["t zz"]}, "merge of 't' and 'zz'"),
        ({"merges": ["nospace"]}, "merge of 'nospace' and ''"),
        ({"token_type": [1]}, "1 token types"),
        ({"tokens": [1, 2]}, "must be a list of texts"),
        ({"merges": None}, "lacks the key tokenizer.ggml.merges"),
        ({"eos_token_id": -1}, "eos token -1"),
        ({"model": "llama", "scores": [0.0]}, "1 scores"),
    ],
)
def test_a_damaged_vocabulary_says_what_is_wrong(changes: dict[str, object], words: str) -> None:
    with pytest.raises(SourceError, match=words):
        read(**changes)


# A SentencePiece vocabulary: unknown, the bytes, characters, then unions with falling scores.
PIECES = ["ab", "bc", "abc", f"{SPACE}a", f"{SPACE}ab", "ca", "cc", f"c{SPACE}", "abab", "bb"]
SP_TOKENS = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), SPACE, "a", "b", "c", *PIECES]
SP_KINDS = [int(TokenType.UNKNOWN)] + [int(TokenType.BYTE)] * 256 + [int(TokenType.NORMAL)] * (4 + len(PIECES))
SP_SCORES = [0.0] * 261 + [-float(index) for index in range(len(PIECES))]


def sentencepiece(text: str) -> list[str]:
    """The algorithm itself: merge the neighbours whose union scores highest, leftmost first, until none is known."""
    scores = dict(zip(SP_TOKENS[257:], SP_SCORES[257:], strict=True))
    pieces = list(SPACE + text.replace(" ", SPACE))
    while True:
        unions = [
            (-scores[left + right], index)
            for index, (left, right) in enumerate(pairwise(pieces))
            if left + right in scores
        ]
        if not unions:
            break
        index = min(unions)[1]
        pieces[index : index + 2] = [pieces[index] + pieces[index + 1]]
    return [
        part
        for piece in pieces
        for part in ([piece] if piece in scores else [f"<0x{byte:02X}>" for byte in piece.encode()])
    ]


@given(text=st.text("abc é", min_size=1, max_size=24))
def test_sentencepiece_merges_the_best_neighbours_and_falls_back_to_bytes(text: str) -> None:
    built = build_sentencepiece(SP_TOKENS, SP_SCORES, SP_KINDS, has_space_prefix=True)
    encoding = built.encode(text)
    assert encoding.tokens == sentencepiece(text)
    assert built.decode(encoding.ids) == text


def test_a_sentencepiece_vocabulary_is_read() -> None:
    files = read(
        model="llama",
        tokens=SP_TOKENS,
        token_type=SP_KINDS,
        scores=SP_SCORES,
        merges=None,
        bos_token_id=0,
        eos_token_id=0,
    )
    assert files.generation.adds_bos
    assert Tokenizer.from_str(files.tokenizer_json).encode("ab").tokens == [f"{SPACE}ab"]
