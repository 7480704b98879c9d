"""The texts beside safetensors: whichever of them there are, the same tokenizer, template and end tokens come out."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer, processors

from engine.convert.sources.hf_tokenizer import read_tokenizer
from engine.convert.sources.tokenizer_files import TokenizerFiles
from engine.errors import SourceError
from tests.engine.convert.hf_folders import tokenizer_json
from tests.engine.convert.test_tokenizers import SP_KINDS, SP_SCORES, SP_TOKENS, sentencepiece
from tests.engine.tiny_models import CONTROL_TOKENS, MERGES, vocabulary

TEXT = "hello the cat 12 <|im_end|>é"


def read(folder: Path, config: dict[str, Any] | None = None, vocab_size: int = 1000, **texts: Any) -> TokenizerFiles:
    for name, content in texts.items():
        stem, _, suffix = name.rpartition("_")
        path = folder / f"{stem}.{suffix}"
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return read_tokenizer(folder, config or {}, vocab_size)


def ids(files: TokenizerFiles, text: str = TEXT) -> list[int]:
    return Tokenizer.from_str(files.tokenizer_json).encode(text, add_special_tokens=False).ids


def test_tokenizer_json_is_taken_as_it_is(tmp_path: Path) -> None:
    files = read(tmp_path, tokenizer_json=tokenizer_json())
    assert ids(files) == Tokenizer.from_str(tokenizer_json()).encode(TEXT).ids
    assert files.chat_template is None


@pytest.mark.parametrize("is_in_vocabulary", [False, True])
def test_added_tokens_that_the_weights_have_no_row_for_are_letters(tmp_path: Path, is_in_vocabulary: bool) -> None:
    whole = Tokenizer.from_str(tokenizer_json())
    size, described = whole.get_vocab_size(), json.loads(tokenizer_json())
    described["added_tokens"].append(described["added_tokens"][0] | {"id": size, "content": "<image>"})
    if is_in_vocabulary:
        described["model"]["vocab"]["<image>"] = size
    assert Tokenizer.from_str(json.dumps(described)).encode("<image>").ids == [size]
    files = read(tmp_path, vocab_size=size, tokenizer_json=described)
    assert ids(files) == whole.encode(TEXT).ids
    assert ids(files, "<image>") == whole.encode("<image>").ids


def test_words_that_the_weights_have_no_row_for_are_refused(tmp_path: Path) -> None:
    size = Tokenizer.from_str(tokenizer_json()).get_vocab_size()
    with pytest.raises(SourceError, match=f"a tokenizer of {size} tokens and weights for {size - 1}"):
        read(tmp_path, vocab_size=size - 1, tokenizer_json=tokenizer_json())


def test_vocabulary_and_merges_make_the_same_tokenizer(tmp_path: Path) -> None:
    tokens = vocabulary()[0]
    decoder = {str(index): {"content": token, "special": True} for index, token in enumerate(CONTROL_TOKENS)}
    decoder[str(len(tokens))] = {"content": "<more>", "special": False}
    files = read(
        tmp_path,
        vocab_json={token: index for index, token in enumerate(tokens)},
        merges_txt="#version: 0.2\n" + "\n".join(" ".join(pair) for pair in MERGES) + "\n",
        tokenizer_config_json={"tokenizer_class": "GPT2TokenizerFast", "added_tokens_decoder": decoder},
    )
    assert ids(files) == Tokenizer.from_str(tokenizer_json()).encode(TEXT).ids
    assert ids(files, "<more>") == [len(tokens)]


def field(number: int, value: bytes | int | float) -> bytes:
    """One field of a protobuf message."""
    if isinstance(value, float):
        return bytes([number << 3 | 5]) + struct.pack("<f", value)
    if isinstance(value, int):
        return bytes([number << 3]) + varint(value)
    return bytes([number << 3 | 2]) + varint(len(value)) + value


def varint(value: int) -> bytes:
    data = b""
    while value > 127:
        data, value = data + bytes([value & 127 | 128]), value >> 7
    return data + bytes([value])


def sentencepiece_file(algorithm: int = 2) -> bytes:
    pieces = (
        field(1, field(1, token.encode()) + field(2, score) + field(3, kind))
        for token, score, kind in zip(SP_TOKENS, SP_SCORES, SP_KINDS, strict=True)
    )
    return b"".join(pieces) + field(2, field(3, algorithm)) + field(3, field(3, 1))


@pytest.mark.parametrize("text", ["ab c", "abab cc é", " a  b"])
def test_a_sentencepiece_file_makes_its_own_algorithm(tmp_path: Path, text: str) -> None:
    (tmp_path / "tokenizer.model").write_bytes(sentencepiece_file())
    added = {"<|im_end|>": len(SP_TOKENS)}
    files = read(tmp_path, added_tokens_json=added, tokenizer_config_json={"bos_token": "<unk>"})
    tokenizer = Tokenizer.from_str(files.tokenizer_json)
    assert tokenizer.encode(text).tokens == sentencepiece(text)
    assert tokenizer.decode(tokenizer.encode(text).ids) == text
    assert files.generation.end_token_ids == (len(SP_TOKENS),)
    assert (files.generation.bos_token_id, files.generation.adds_bos) == (0, True)


@pytest.mark.parametrize(
    "content", [b"", b"\x0a", b"\x0a\xff\xff\xff\xff\x0f", b"\xff" * 20, sentencepiece_file()[:-1]]
)
def test_a_damaged_sentencepiece_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "tokenizer.model").write_bytes(content)
    with pytest.raises(SourceError, match=r"SentencePiece model|unigram model"):
        read(tmp_path)


def test_another_algorithm_is_named(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.model").write_bytes(sentencepiece_file(1))
    with pytest.raises(SourceError, match=r"is a unigram model, only BPE can be read: get tokenizer\.json too"):
        read(tmp_path)


def test_end_tokens_are_the_union_of_all_that_say_so(tmp_path: Path) -> None:
    files = read(
        tmp_path,
        {"eos_token_id": 7, "bos_token_id": 1},
        tokenizer_json=tokenizer_json(),
        generation_config_json={"eos_token_id": [8, 9]},
        tokenizer_config_json={"eos_token": {"content": "the"}},
    )
    the = vocabulary()[0].index("the")
    # Besides the named ones, those of the control tokens that end a turn or a document.
    assert files.generation.end_token_ids == tuple(sorted({0, 2, 7, 8, 9, the}))
    assert (files.generation.bos_token_id, files.generation.adds_bos) == (1, False)


@pytest.mark.parametrize("said", [True, False, None])
@pytest.mark.parametrize("is_processed", [True, False])
def test_whether_a_prompt_begins_with_bos_is_what_the_tokenizer_does_unless_it_is_said(
    tmp_path: Path, said: bool | None, is_processed: bool
) -> None:
    tokenizer = Tokenizer.from_str(tokenizer_json())
    if is_processed:
        tokenizer.post_processor = processors.TemplateProcessing("<|im_start|> $A", None, [("<|im_start|>", 1)])
    settings = {"bos_token": "<|im_start|>"} | ({} if said is None else {"add_bos_token": said})
    files = read(tmp_path, tokenizer_json=tokenizer.to_str(), tokenizer_config_json=settings)
    assert files.generation.bos_token_id == 1
    assert files.generation.adds_bos == (is_processed if said is None else said)


def test_a_tokenizer_that_lacks_the_token_it_names_is_refused(tmp_path: Path) -> None:
    model = {"type": "BPE", "vocab": {"<s>": 0}, "merges": [], "unk_token": "<unk>"}
    data = {"version": "1.0", "added_tokens": [], "model": model}
    with pytest.raises(SourceError, match="is no tokenizer"):
        read(tmp_path, tokenizer_json=json.dumps(data), tokenizer_config_json={"bos_token": "<s>"})


@pytest.mark.parametrize(
    ("texts", "template"),
    [
        ({"tokenizer_config_json": {"chat_template": "one"}}, "one"),
        ({"chat_template_json": {"chat_template": "two"}, "tokenizer_config_json": {"chat_template": "one"}}, "two"),
        ({"chat_template_jinja": "three", "chat_template_json": {"chat_template": "two"}}, "three"),
        (
            {
                "tokenizer_config_json": {
                    "chat_template": [{"name": "rag", "template": "r"}, {"name": "default", "template": "d"}]
                }
            },
            "d",
        ),
        ({"tokenizer_config_json": {"chat_template": 5}}, None),
    ],
)
def test_the_chat_template_is_found_where_it_is(tmp_path: Path, texts: dict[str, Any], template: str | None) -> None:
    assert read(tmp_path, tokenizer_json=tokenizer_json(), **texts).chat_template == template


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ({}, "has no tokenizer: get tokenizer.json, or tokenizer.model"),
        ({"tokenizer_json": "{"}, "tokenizer.json is no tokenizer"),
        ({"tokenizer_json": tokenizer_json(), "vocab_size": 100}, "a tokenizer of 293 tokens and weights for 100"),
        ({"vocab_json": {"a": 0}, "merges_txt": ""}, "for '', supported are GPT2Tokenizer"),
        (
            {"vocab_json": {"a": 7}, "merges_txt": "", "tokenizer_config_json": {"tokenizer_class": "GPT2Tokenizer"}},
            "does not number its tokens",
        ),
    ],
)
def test_what_makes_no_tokenizer_says_why(tmp_path: Path, texts: dict[str, Any], words: str) -> None:
    with pytest.raises(SourceError, match=words):
        read(tmp_path, **texts)
