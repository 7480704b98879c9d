"""Bytes that a step needs beside weights and cache, as the native kernels lay them out.

Standard library only; knows nothing of what is allocated when.
"""

from __future__ import annotations

from engine.config import EngineConfig
from engine.planning.sizes import rope_bytes, row_lengths, vector_bytes
from engine.spec import ExpertSpec, ModelSpec

_USUAL_THREADS = 4
"""Where the number is left to the machine."""
_CODE_BYTES = 40 / 32
"""Of a number in eight bits, with what 32 of them share (rows.h)."""
_PLACE_BYTES = 24
"""Of a row: its token, position and slot."""
_BUSIEST_EXPERT = 1.25
"""Rows of the busiest expert, over the average; rows are never shared out quite evenly."""
_CHUNK_KEYS, _FOLDED_ROWS = 128, 192
"""What a worker attends to at once: keys, and query rows times the heads that read them (attention_plan.c)."""
_GROWTH = 1.5
"""A plan's memory is taken so much larger than it is needed."""
_CANDIDATE_BYTES = 8
"""Of a token that a worker draws from (sampling.h)."""


def workspace_bytes(spec: ModelSpec, config: EngineConfig) -> int:
    """What the largest batch takes: activations, logits, and what stands by for all, norms and rotation tables."""
    num_rows, num_threads = config.max_batched_tokens, config.num_threads or _USUAL_THREADS
    codes = _CODE_BYTES * max(row_lengths(spec))
    activations = num_rows * (_PLACE_BYTES + 4 * _row_floats(spec) + codes) + num_threads * _attention_bytes(spec)
    return round(activations) + _logit_bytes(spec, config, num_threads) + rope_bytes(spec) + vector_bytes(spec)


def _row_floats(spec: ModelSpec) -> int:
    """Numbers of a row that stand in memory at once."""
    if spec.experts is None and spec.latent is None:
        # One call for the whole decoder, which keeps all of a layer's, the stream, and a second one.
        return spec.qkv_size + 2 * spec.query_size + spec.intermediate_size + 2 * spec.hidden_size
    # Operation by operation: the stream before the layer, and what attention or feed forward hold.
    feed_forwards = {spec.layer_experts(index) for index in range(spec.num_layers)}
    inner = (
        spec.intermediate_size + 2 * spec.hidden_size if each is None else _expert_floats(spec, each)
        for each in feed_forwards
    )
    return spec.hidden_size + max(_attention_floats(spec), *inner)


def _attention_floats(spec: ModelSpec) -> int:
    latent = spec.latent
    if latent is None:
        return spec.qkv_size + 2 * spec.query_size + spec.hidden_size
    # What goes down, its two parts, queries before and after the rotation, what is attended to, and what comes of it.
    queries = spec.num_heads * latent.query_head_dim
    values = spec.num_heads * latent.kv_lora_rank + spec.attended_size
    return spec.qkv_size + latent.row_size + queries + 2 * spec.query_size + values


def _expert_floats(spec: ModelSpec, experts: ExpertSpec) -> int:
    """The rows, normed and mixed, and what one expert, or the shared one, makes of its rows beside the one before."""
    hidden, share = spec.hidden_size, min(1.0, _BUSIEST_EXPERT * experts.num_active / experts.num_experts)
    routed = max(3 * hidden + experts.intermediate_size, 4 * hidden) * share
    shared = 0 if experts.shared_size is None else 2 * hidden + max(experts.shared_size, hidden)
    # Which experts a row takes, in what measure, and where the rows of one lie.
    routing = 3 * experts.num_active + 4 * share
    return 3 * hidden + round(max(routed, shared) + hidden * share + routing)


def _attention_bytes(spec: ModelSpec) -> float:
    """Of a worker, for each length of window among the layers: a chunk's keys and values, scores, queries, results."""
    num_windows = len({spec.layer_window(index) for index in range(spec.num_layers)})
    group = spec.num_heads // spec.num_kv_heads
    folded = max(1, _FOLDED_ROWS // group) * group
    head_dim = -(-spec.head_dim // 8) * 8
    floats = 2 * _CHUNK_KEYS * (head_dim + 1) + folded * _CHUNK_KEYS + folded * (3 * head_dim + 4)
    return _GROWTH * num_windows * (4 * floats + 16 * _CHUNK_KEYS)


def _logit_bytes(spec: ModelSpec, config: EngineConfig, num_threads: int) -> int:
    """Of one row for each running sequence, and what workers draw from; capped ones stand thrice for a moment."""
    num_copies = 1 if spec.final_softcap is None else 3
    logits = 4 * config.max_running_sequences * spec.vocab_size * num_copies
    return logits + _CANDIDATE_BYTES * num_threads * spec.vocab_size
