"""Whatever is wrong with a file, it ends in one clear `SourceError`."""

from pathlib import Path

import numpy as np
import pytest

from engine.convert.sources.gguf_source import GgufSource
from engine.errors import SourceError
from tests.engine.convert.packed_models import pack_model
from tests.engine.tiny_models import TinyGguf, tiny_gguf, write_tiny_gguf


def read_all(path: Path) -> None:
    with GgufSource(path) as source:
        pack_model(source)


def assert_refused(path: Path, words: str | None = None) -> None:
    with pytest.raises(SourceError, match=words) as raised:
        read_all(path)
    assert "\n" not in str(raised.value)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return write_tiny_gguf(tmp_path_factory.mktemp("gguf") / "tiny.gguf", "qwen2").read_bytes()


def test_a_file_cut_anywhere_is_refused(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "cut.gguf"
    for length in [*range(40), *np.linspace(40, len(whole) - 64, 60).astype(int)]:
        path.write_bytes(whole[:length])
        assert_refused(path)


@pytest.mark.parametrize("seed", range(8))
def test_changed_bytes_in_the_header_give_a_source_error_or_a_model(tmp_path: Path, whole: bytes, seed: int) -> None:
    random = np.random.default_rng(seed)
    header_bytes = whole.rindex(b"attn_v.bias")
    path = tmp_path / "changed.gguf"
    num_refused = 0
    for _ in range(40):
        data = bytearray(whole)
        for position in random.integers(0, header_bytes, random.integers(1, 4)):
            data[position] = random.integers(0, 256)
        path.write_bytes(data)
        try:
            read_all(path)
        except SourceError:
            num_refused += 1
    assert num_refused > 0


@pytest.mark.parametrize("seed", range(4))
def test_weights_that_are_not_finite_are_refused(tmp_path: Path, whole: bytes, seed: int) -> None:
    random = np.random.default_rng(seed)
    path = tmp_path / "changed.gguf"
    data = bytearray(whole)
    start = whole.rindex(b"attn_v.bias") + 100
    for position in random.integers(start, len(data), 3000):
        data[position] = 0xFF
    path.write_bytes(data)
    assert_refused(path, "not finite|too large")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not a GGUF file"),
        (b"hello, this is text\n" * 100, "not a GGUF file"),
        (b"GGUF\x00\x00\x00\x03" + bytes(100), "big-endian"),
        (b"GGUF\x01\x00\x00\x00" + bytes(100), "version 1, 2 and 3"),
        (b"GGUF\x03\x00\x00\x00" + b"\xff" * 100, "claims"),
        (b"GGUF\x03\x00\x00\x00" + bytes(16), "general.architecture"),
    ],
)
def test_another_kind_of_file_is_told_apart(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    assert_refused(path, words)


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path: Path) -> None:
    assert_refused(tmp_path / "none.gguf", "There is no file")
    assert_refused(tmp_path, "it is a folder")


def change_metadata(key: str, value: object):
    return lambda tiny: tiny.metadata.update({key: value})


def drop(name: str):
    return lambda tiny: tiny.tensors.pop(name)


def put(name: str, *shape: int):
    return lambda tiny: tiny.tensors.update({name: np.zeros(shape, np.float32)})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            change_metadata("general.architecture", "gpt-neo"),
            "architecture 'gpt-neo', supported are deepseek2, gemma, ",
        ),
        (change_metadata("general.architecture", "two\nlines"), "architecture 'two"),
        (put("blk.0.two\nlines", 8), "unprintable"),
        (change_metadata("llama.expert_count", 8), "lacks the key llama.expert_used_count"),
        (change_metadata("llama.rope.scaling.type", "su"), "by 'su', supported are none, linear"),
        (change_metadata("llama.rope.dimension_count", 32), "rotates 32 of 16"),
        (change_metadata("llama.attention.value_length", 32), "16 for keys and 32 for values"),
        (change_metadata("llama.attention.head_count_kv", 3), "4 heads cannot share 3"),
        (change_metadata("llama.block_count", 3), r"lacks the tensor blk\.2\."),
        (change_metadata("llama.block_count", 1), "9 tensors that no llama model uses"),
        (change_metadata("llama.block_count", 100000), "claims 100000 layers"),
        (change_metadata("llama.block_count", "two"), "must be a whole number"),
        (change_metadata("llama.context_length", 0), "must be above zero"),
        (change_metadata("llama.context_length", None), "lacks the key llama.context_length"),
        (change_metadata("llama.rope.freq_base", float("nan")), "must be a number above zero"),
        (change_metadata("llama.logit_scale", 0.5), "needs llama.logit_scale"),
        (change_metadata("llama.feed_forward_length", 64), r"ffn_gate.weight is \(96, 64\), must be \(64, 64\)"),
        (change_metadata("tokenizer.ggml.model", "bert"), "kind 'bert'"),
        (change_metadata("tokenizer.ggml.pre", "new-thing"), "unknown way 'new-thing'"),
        (change_metadata("tokenizer.ggml.eos_token_id", 1000), "eos token 1000 is outside"),
        (drop("blk.1.ffn_down.weight"), r"lacks the tensor blk\.1\.ffn_down\.weight"),
        (put("blk.0.attn_output.bias", 64), "1 tensors that no llama model uses, such as blk.0.attn_output.bias"),
        (put("blk.0.attn_norm.weight", 32), r"attn_norm.weight is \(32,\), must be \(64,\)"),
        (put("rope_freqs.weight", 8), "rope_freqs.weight must hold 8 numbers above zero"),
    ],
)
def test_a_model_that_cannot_run_says_why(tmp_path: Path, change, words: str) -> None:
    tiny: TinyGguf = tiny_gguf()
    change(tiny)
    assert_refused(tiny.write(tmp_path / "model.gguf"), words)


def test_the_opened_file_is_closed_after_a_refusal(tmp_path: Path) -> None:
    path = tiny_gguf(metadata={"llama.expert_count": 8}).write(tmp_path / "model.gguf")
    assert_refused(path)
    path.unlink()
