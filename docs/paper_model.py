"""A GGUF file as the hub has them, of the size of a real model: its header says all, its weights are zeros.

Of no use but to be looked at and downloaded; made in milliseconds, without a network.
"""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np
from gguf import GGMLQuantizationType
from gguf.quants import quant_shape_to_byte_shape

from tests.engine.tiny_models import CHAT_TEMPLATE, MERGES, vocabulary

_NUM_LAYERS, _MAX_CONTEXT = 30, 8192
_HIDDEN, _INNER, _KV = 576, 1536, 192
_NUM_HEADS, _NUM_KV_HEADS = 9, 3
_TYPE = GGMLQuantizationType.Q4_0


def write_paper_model(path: Path) -> Path:
    """Of the family `llama`, 106 million weights in four bits: 60 MB."""
    writer = gguf.GGUFWriter(path, "llama")
    _add_description(writer)
    size_bytes = 0
    for name, shape in _shapes().items():
        kind = _TYPE if len(shape) == 2 else GGMLQuantizationType.F32
        stored = quant_shape_to_byte_shape(shape, kind)
        writer.add_tensor_info(name, stored, np.dtype(np.uint8), int(np.prod(stored)), raw_dtype=kind)
        size_bytes += _aligned(int(np.prod(stored)))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    writer.close()
    header = path.read_bytes()
    path.write_bytes(header.ljust(_aligned(len(header)) + size_bytes, b"\0"))
    return path


def _aligned(size_bytes: int) -> int:
    return -(-size_bytes // gguf.GGUF_DEFAULT_ALIGNMENT) * gguf.GGUF_DEFAULT_ALIGNMENT


def _add_description(writer: gguf.GGUFWriter) -> None:
    writer.add_block_count(_NUM_LAYERS)
    writer.add_context_length(_MAX_CONTEXT)
    writer.add_embedding_length(_HIDDEN)
    writer.add_feed_forward_length(_INNER)
    writer.add_head_count(_NUM_HEADS)
    writer.add_head_count_kv(_NUM_KV_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10000.0)
    tokens, token_types = vocabulary()
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(tokens)
    writer.add_token_types(token_types)
    writer.add_token_merges([" ".join(merge) for merge in MERGES])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(2)
    writer.add_chat_template(CHAT_TEMPLATE)


def _shapes() -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {
        "token_embd.weight": (len(vocabulary()[0]), _HIDDEN),
        "output_norm.weight": (_HIDDEN,),
    }
    block: dict[str, tuple[int, ...]] = {
        "attn_norm": (_HIDDEN,),
        "attn_q": (_HIDDEN, _HIDDEN),
        "attn_k": (_KV, _HIDDEN),
        "attn_v": (_KV, _HIDDEN),
        "attn_output": (_HIDDEN, _HIDDEN),
        "ffn_norm": (_HIDDEN,),
        "ffn_gate": (_INNER, _HIDDEN),
        "ffn_up": (_INNER, _HIDDEN),
        "ffn_down": (_HIDDEN, _INNER),
    }
    for index in range(_NUM_LAYERS):
        shapes |= {f"blk.{index}.{name}.weight": shape for name, shape in block.items()}
    return shapes
