"""The structs of attention, sampling and the decoder as ctypes sees them, and the functions that take them.

Field for field as in the header that each names. Knows nothing of tensors.
"""

from __future__ import annotations

import ctypes
from ctypes import c_double, c_float, c_int, c_int32, c_int64, c_void_p
from typing import Any


def _fields(kind: type[ctypes._SimpleCData[Any]], names: str) -> tuple[tuple[str, type[ctypes._SimpleCData[Any]]], ...]:
    return tuple((name, kind) for name in names.split())


class AttentionShape(ctypes.Structure):
    """`di_attention_shape` of src/attention.h."""

    _fields_ = _fields(c_int32, "num_heads num_kv_heads head_dim block_size format window")


class RaggedBatch(ctypes.Structure):
    """`di_ragged_batch` of src/attention.h."""

    _fields_ = (
        ("num_sequences", c_int64),
        ("query_starts", c_void_p),
        ("context_lengths", c_void_p),
        ("block_tables", c_void_p),
    )


class Attention(ctypes.Structure):
    """`di_attention` of src/attention.h."""

    _fields_ = (*_fields(c_void_p, "plan q keys values out"), ("scale", c_float), ("softcap", c_float))


class RopeAppend(ctypes.Structure):
    """`di_rope_append` of src/rope_append.h."""

    _fields_ = (
        ("num_rows", c_int64),
        *_fields(c_int32, "num_heads num_kv_heads head_dim block_size format"),
        *_fields(c_int32, "query_norm_dim key_norm_dim"),
        *_fields(c_float, "query_eps key_eps"),
        *_fields(c_void_p, "qkv positions slots rope_table query_norm key_norm q keys values"),
    )


class LatentAppend(ctypes.Structure):
    """`di_latent_append` of src/rope_append.h."""

    _fields_ = (
        ("num_rows", c_int64),
        *_fields(c_int32, "num_heads row_size rotated_size block_size format"),
        ("eps", c_float),
        *_fields(c_void_p, "q latent positions slots rope_table norm rotated pool"),
    )


class Dense(ctypes.Structure):
    """`di_dense` of src/dense.h."""

    _fields_ = (*_fields(c_int32, "num_rows num_columns num_outputs"), *_fields(c_void_p, "x weight y"))


class Sampling(ctypes.Structure):
    """`di_sampling` of src/sampling.h."""

    _fields_ = (
        *_fields(c_int64, "num_rows vocab_size"),
        *_fields(c_void_p, "logits temperature top_k top_p min_p uniform candidates token_ids"),
    )


class Candidate(ctypes.Structure):
    """`di_candidate` of src/sampling.h."""

    _fields_ = (("logit", c_float), ("token_id", c_int32))


class Layer(ctypes.Structure):
    """`di_layer` of src/decoder.h."""

    _fields_ = (
        *_fields(c_void_p, "qkv output gate_up down attention_norm feed_forward_norm"),
        *_fields(c_void_p, "attention_post_norm feed_forward_post_norm attention_norm_bias feed_forward_norm_bias"),
        *_fields(c_void_p, "qkv_bias output_bias down_bias up_bias query_norm key_norm rope_table"),
        *_fields(c_float, "norm_eps scale softcap"),
        *_fields(c_int32, "window activation query_norm_dim key_norm_dim is_gated is_parallel"),
    )


class DecoderShape(ctypes.Structure):
    """`di_decoder_shape` of src/decoder.h."""

    _fields_ = (
        *_fields(c_int32, "num_layers hidden_size num_heads num_kv_heads head_dim feed_forward_size"),
        ("max_positions", c_int64),
        ("embedding_scale", c_float),
    )


class DecoderCall(ctypes.Structure):
    """`di_decoder_call` of src/decoder.h."""

    _fields_ = (
        ("num_rows", c_int64),
        *_fields(c_void_p, "token_ids positions slots"),
        ("batch", RaggedBatch),
        *_fields(c_void_p, "keys values"),
        ("num_blocks", c_int64),
        *_fields(c_int32, "block_size format"),
        *_fields(c_void_p, "hidden wanted"),
        ("num_wanted", c_int64),
        ("wanted_batch", RaggedBatch),
    )


SIGNATURES: dict[str, tuple[object, tuple[object, ...]]] = {
    "di_attention_plan_create": (c_void_p, ()),
    "di_attention_plan_destroy": (None, (c_void_p,)),
    "di_attention_plan_for": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "di_attention_run": (None, (c_void_p, c_void_p)),
    "di_rope_append_run": (None, (c_void_p, c_void_p)),
    "di_latent_append_run": (None, (c_void_p, c_void_p)),
    "di_dense_run": (None, (c_void_p, c_void_p)),
    "di_sample": (None, (c_void_p, c_void_p)),
    "di_argmax": (None, (c_void_p, c_void_p, c_int64, c_int64, c_void_p)),
    "di_logprobs": (c_double, (c_void_p, c_int64, c_int64, c_int64, c_void_p, c_void_p)),
    "di_copy_blocks": (
        None,
        (c_void_p, c_void_p, c_int64, c_void_p, c_int64, c_int64, c_int64, c_int64, c_void_p, c_void_p),
    ),
    "di_decoder_create": (c_void_p, (c_void_p, c_void_p, c_void_p)),
    "di_decoder_destroy": (None, (c_void_p,)),
    "di_decoder_run": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
}
