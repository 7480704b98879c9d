"""From a GGUF file's keys to a `ModelSpec`, and the tensors that such a model must have.

Knows nothing of the tensors' content, except for the small one that scales the rotary frequencies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.convert.sources.gguf_container import TensorInfo
from engine.convert.sources.gguf_metadata import Metadata
from engine.errors import SourceError
from engine.models.adapters import ADAPTERS, FamilyAdapter, adapter_for_gguf
from engine.spec import ModelSpec, RopeSpec

ROPE_FACTORS = "rope_freqs.weight"
EMBEDDING = "token_embd.weight"
HEAD = "output.weight"
HEAD_NORM = "output_norm.weight"
MAX_LAYERS = 1024
MAX_CONTEXT = 1 << 24

# Keys that change the arithmetic in ways the decoder does not know.
_UNSUPPORTED_SCALES = ("logit_scale", "residual_scale", "embedding_scale", "attention.scale")


def find_adapter(metadata: Metadata) -> FamilyAdapter:
    architecture = metadata.text("general.architecture")
    adapter = adapter_for_gguf(architecture)
    if adapter is None:
        known = ", ".join(sorted(known.gguf_architecture for known in ADAPTERS))
        raise SourceError(f"{metadata.path} has the architecture {architecture!r}, supported are {known}")
    if metadata.integer(f"{architecture}.expert_count", 0):
        raise SourceError(f"{metadata.path} is a mixture of experts, only dense models are supported: choose another")
    return adapter


def read_spec(
    metadata: Metadata,
    adapter: FamilyAdapter,
    tensors: Mapping[str, TensorInfo],
    rope_factors: Sequence[float] | None,
) -> ModelSpec:
    """`rope_factors` is the content of rope_freqs.weight. Raises `SourceError` for what the decoder cannot run."""
    prefix = adapter.gguf_architecture
    hidden_size, num_heads = (
        metadata.size(f"{prefix}.embedding_length"),
        metadata.size(f"{prefix}.attention.head_count"),
    )
    num_kv_heads = metadata.size(f"{prefix}.attention.head_count_kv", num_heads)
    if num_heads % num_kv_heads:
        raise SourceError(f"{metadata.path}: {num_heads} heads cannot share {num_kv_heads} key-value heads")
    head_dim = read_head_dim(metadata, adapter)
    num_layers, max_context = metadata.size(f"{prefix}.block_count"), metadata.size(f"{prefix}.context_length")
    if num_layers > MAX_LAYERS or max_context > MAX_CONTEXT:
        raise SourceError(
            f"{metadata.path} claims {num_layers} layers and {max_context} tokens of context: get it again"
        )
    for key in _UNSUPPORTED_SCALES:
        if metadata.has(f"{prefix}.{key}"):
            raise SourceError(f"{metadata.path} needs {prefix}.{key}, which is not supported: choose another model")
    window = metadata.integer(f"{prefix}.attention.sliding_window", 0)
    if window < 0:
        raise SourceError(f"{metadata.path}: the sliding window is {window}: get the file again")
    return ModelSpec(
        family=adapter.family,
        num_layers=num_layers,
        hidden_size=hidden_size,
        num_heads=num_heads,
        num_kv_heads=num_kv_heads,
        head_dim=head_dim,
        intermediate_size=metadata.size(f"{prefix}.feed_forward_length"),
        vocab_size=len(metadata.texts("tokenizer.ggml.tokens")),
        max_context=max_context,
        rms_norm_eps=metadata.number(f"{prefix}.attention.layer_norm_rms_epsilon"),
        rope=_rope(metadata, prefix, head_dim, rope_factors),
        has_qkv_bias=adapter.needs_qkv_bias or "blk.0.attn_q.bias" in tensors,
        is_tied=HEAD not in tensors,
        sliding_window=window or None,
    )


def read_head_dim(metadata: Metadata, adapter: FamilyAdapter) -> int:
    """Elements of one head. Raises `SourceError` unless keys, values and rotation all have that size."""
    prefix = adapter.gguf_architecture
    hidden_size, num_heads = (
        metadata.size(f"{prefix}.embedding_length"),
        metadata.size(f"{prefix}.attention.head_count"),
    )
    key_length = metadata.optional_integer(f"{prefix}.attention.key_length")
    if key_length is None and hidden_size % num_heads:
        raise SourceError(f"{metadata.path}: {num_heads} heads do not divide {hidden_size} and no key_length is given")
    head_dim = hidden_size // num_heads if key_length is None else key_length
    value_length = metadata.integer(f"{prefix}.attention.value_length", head_dim)
    if head_dim < 2 or head_dim % 2 or value_length != head_dim:
        raise SourceError(f"{metadata.path}: heads of {head_dim} for keys and {value_length} for values do not work")
    rotated = metadata.integer(f"{prefix}.rope.dimension_count", head_dim)
    if rotated != head_dim:
        raise SourceError(
            f"{metadata.path} rotates {rotated} of {head_dim} dimensions of a head: only all are supported"
        )
    return head_dim


def _rope(metadata: Metadata, prefix: str, head_dim: int, factors: Sequence[float] | None) -> RopeSpec:
    theta = metadata.number(f"{prefix}.rope.freq_base", 10000.0)
    kind = metadata.text(f"{prefix}.rope.scaling.type", "linear")
    if kind not in ("none", "linear"):
        raise SourceError(f"{metadata.path} scales its rotary embedding by {kind!r}, supported are none and linear")
    linear = metadata.number(f"{prefix}.rope.scaling.factor", metadata.number(f"{prefix}.rope.scale_linear", 1.0))
    if kind == "none" or linear == 1.0:
        return RopeSpec(theta, None if factors is None else tuple(factors))
    return RopeSpec(theta, tuple(linear * factor for factor in factors or [1.0] * (head_dim // 2)))


def expected_shapes(spec: ModelSpec) -> dict[str, tuple[int, ...]]:
    """Every tensor that a file of this model must have, with its shape (rows, columns)."""
    hidden, inner = spec.hidden_size, spec.intermediate_size
    shapes: dict[str, tuple[int, ...]] = {EMBEDDING: (spec.vocab_size, hidden), HEAD_NORM: (hidden,)}
    if not spec.is_tied:
        shapes[HEAD] = (spec.vocab_size, hidden)
    for index in range(spec.num_layers):
        block: dict[str, tuple[int, ...]] = {
            "attn_norm.weight": (hidden,),
            "attn_q.weight": (spec.query_size, hidden),
            "attn_k.weight": (spec.kv_size, hidden),
            "attn_v.weight": (spec.kv_size, hidden),
            "attn_output.weight": (hidden, spec.query_size),
            "ffn_norm.weight": (hidden,),
            "ffn_gate.weight": (inner, hidden),
            "ffn_up.weight": (inner, hidden),
            "ffn_down.weight": (hidden, inner),
        }
        if spec.has_qkv_bias:
            block |= {
                "attn_q.bias": (spec.query_size,),
                "attn_k.bias": (spec.kv_size,),
                "attn_v.bias": (spec.kv_size,),
            }
        shapes |= {f"blk.{index}.{name}": shape for name, shape in block.items()}
    return shapes


def check_tensors(metadata: Metadata, spec: ModelSpec, tensors: Mapping[str, TensorInfo]) -> None:
    """Raises `SourceError` naming the first tensor that is missing, unknown or of another shape."""
    expected = expected_shapes(spec)
    for name, shape in expected.items():
        if name not in tensors:
            raise SourceError(f"{metadata.path} lacks the tensor {name}: get a complete model file")
        if tensors[name].shape != shape:
            raise SourceError(f"{metadata.path}: {name} is {tensors[name].shape}, must be {shape}: get the file again")
    if unknown := sorted(set(tensors) - set(expected) - {ROPE_FACTORS}):
        raise SourceError(
            f"{metadata.path} has {len(unknown)} tensors that no {spec.family} model uses, such as {unknown[0]}: "
            "choose another model"
        )
