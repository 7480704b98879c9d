"""Tiny GGUF models for tests: two layers, a byte-level vocabulary, random weights, written in milliseconds.

Knows nothing of the engine; what it writes is an ordinary file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import gguf
import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType, TokenType

CHAT_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
CONTROL_TOKENS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
MERGES = (
    ("t", "h"), ("th", "e"), ("Ġ", "the"), ("i", "n"), ("e", "r"), ("a", "n"), ("Ġ", "a"), ("o", "n"), ("h", "e"),
    ("r", "e"), ("Ġ", "w"), ("l", "l"), ("he", "ll"), ("hell", "o"), ("Ġ", "hell"), ("u", "s"), ("us", "er"),
    ("Ġ", "c"), ("a", "t"), ("Ġc", "at"), ("a", "s"), ("s", "t"), ("as", "s"), ("i", "s"), ("t", "an"), ("Ġw", "or"),
    ("o", "r"), ("w", "or"), ("l", "d"), ("wor", "ld"), ("Ġwor", "ld"), ("an", "d"), ("Ġ", "s"), ("e", "d"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class TinyShape:
    """Sizes of the model; every row's length is a multiple of 32."""

    num_layers: int = 2
    hidden_size: int = 64
    num_heads: int = 4
    num_kv_heads: int = 2
    intermediate_size: int = 96
    max_context: int = 256


@dataclass(slots=True)
class TinyGguf:
    """What goes into the file. Change `metadata` (None leaves a key out) or `tensors` to make a file that is wrong."""

    family: str
    shape: TinyShape
    metadata: dict[str, object] = field(default_factory=dict)
    tensors: dict[str, npt.NDArray[np.float32]] = field(default_factory=dict)
    types: dict[str, GGMLQuantizationType] = field(default_factory=dict)
    """Types of single tensors; the rest of the matrices take the type given to `write`."""

    def write(self, path: Path, matrix_type: GGMLQuantizationType = GGMLQuantizationType.Q8_0) -> Path:
        metadata = dict(self.metadata)
        writer = gguf.GGUFWriter(path, metadata.pop("general.architecture", self.family))
        tokens, token_types = vocabulary()
        writer.add_token_list(tokens)
        writer.add_token_types(token_types)
        writer.add_token_merges([" ".join(merge) for merge in MERGES])
        for key, value in metadata.items():
            _add(writer, key, value)
        for name, values in self.tensors.items():
            default = matrix_type if values.ndim == 2 else GGMLQuantizationType.F32
            kind = self.types.get(name, default)
            writer.add_tensor(name, gguf.quants.quantize(values, kind), raw_dtype=kind)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        return path


def tiny_gguf(
    family: str = "llama",
    *,
    shape: TinyShape | None = None,
    is_tied: bool = True,
    seed: int = 0,
    metadata: Mapping[str, object] | None = None,
) -> TinyGguf:
    """A model of family `llama` or `qwen2` (which has biases on q, k and v), ready to be changed and written."""
    shape = shape or TinyShape()
    values: dict[str, object] = {
        "general.name": f"Tiny {family}",
        "general.license": "apache-2.0",
        f"{family}.block_count": shape.num_layers,
        f"{family}.context_length": shape.max_context,
        f"{family}.embedding_length": shape.hidden_size,
        f"{family}.feed_forward_length": shape.intermediate_size,
        f"{family}.attention.head_count": shape.num_heads,
        f"{family}.attention.head_count_kv": shape.num_kv_heads,
        f"{family}.attention.layer_norm_rms_epsilon": 1e-5,
        f"{family}.rope.freq_base": 10000.0,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "smollm" if family == "llama" else "qwen2",
        "tokenizer.ggml.bos_token_id": 0,
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.ggml.add_bos_token": False,
        "tokenizer.chat_template": CHAT_TEMPLATE,
    }
    return TinyGguf(family, shape, values | dict(metadata or {}), _tensors(family, shape, is_tied, seed))


def write_tiny_gguf(
    path: Path, family: str = "llama", matrix_type: GGMLQuantizationType = GGMLQuantizationType.Q8_0, seed: int = 0
) -> Path:
    """The usual tiny model in one call."""
    return tiny_gguf(family, seed=seed).write(path, matrix_type)


def split_gguf(folder: Path, num_parts: int) -> list[Path]:
    """The usual tiny model in parts, as llama.cpp's gguf-split writes them: each says which it is of how many."""
    tiny = tiny_gguf()
    names, tensors, paths = sorted(tiny.tensors), dict(tiny.tensors), []
    for number in range(num_parts):
        tiny.tensors = {name: tensors[name] for name in names[number::num_parts]}
        tiny.metadata |= {"split.no": number, "split.count": num_parts, "split.tensors.count": len(names)}
        paths.append(tiny.write(folder / f"tiny-{number + 1:05}-of-{num_parts:05}.gguf"))
    return paths


def vocabulary() -> tuple[list[str], list[TokenType]]:
    """Control tokens, the 256 bytes as printable characters, then the products of the merges in order."""
    merged = dict.fromkeys(left + right for left, right in MERGES)
    tokens = [*CONTROL_TOKENS, *byte_characters(), *merged]
    return tokens, [TokenType.CONTROL] * len(CONTROL_TOKENS) + [TokenType.NORMAL] * (256 + len(merged))


def byte_characters() -> list[str]:
    """GPT-2's printable stand-in of each byte."""
    printable = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = (byte for byte in range(256) if byte not in printable)
    stand_ins = {byte: chr(256 + index) for index, byte in enumerate(others)}
    return [stand_ins.get(byte, chr(byte)) for byte in range(256)]


def _tensors(family: str, shape: TinyShape, is_tied: bool, seed: int) -> dict[str, npt.NDArray[np.float32]]:
    random = np.random.default_rng(seed)
    hidden, inner, vocab = shape.hidden_size, shape.intermediate_size, len(vocabulary()[0])
    kv_size = hidden // shape.num_heads * shape.num_kv_heads

    def matrix(rows: int, columns: int) -> npt.NDArray[np.float32]:
        return (random.standard_normal((rows, columns)) / np.sqrt(columns)).astype(np.float32)

    def norm() -> npt.NDArray[np.float32]:
        return (1 + 0.1 * random.standard_normal(hidden)).astype(np.float32)

    tensors = {"token_embd.weight": matrix(vocab, hidden), "output_norm.weight": norm()}
    if not is_tied:
        tensors["output.weight"] = matrix(vocab, hidden)
    for index in range(shape.num_layers):
        block = {
            "attn_norm": norm(),
            "attn_q": matrix(hidden, hidden),
            "attn_k": matrix(kv_size, hidden),
            "attn_v": matrix(kv_size, hidden),
            "attn_output": matrix(hidden, hidden),
            "ffn_norm": norm(),
            "ffn_gate": matrix(inner, hidden),
            "ffn_up": matrix(inner, hidden),
            "ffn_down": matrix(hidden, inner),
        }
        tensors |= {f"blk.{index}.{name}.weight": values for name, values in block.items()}
        if family == "qwen2":
            for name, size in (("attn_q", hidden), ("attn_k", kv_size), ("attn_v", kv_size)):
                tensors[f"blk.{index}.{name}.bias"] = 0.1 * random.standard_normal(size).astype(np.float32)
    return tensors


def _add(writer: gguf.GGUFWriter, key: str, value: object) -> None:
    match value:
        case None:
            return
        case bool():
            writer.add_bool(key, value)
        case int():
            writer.add_uint32(key, value)
        case float():
            writer.add_float32(key, value)
        case str():
            writer.add_string(key, value)
        case list():
            writer.add_array(key, value)
        case _:
            raise TypeError(f"{key}: {value!r}")
