"""The rotary embedding that a GGUF file describes: its keys, and the tensors that hold factors of the frequencies.

Knows nothing of the rest of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.errors import SourceError
from engine.models.metadata import Metadata
from engine.rope_spec import RopeSpec, longrope_attention_factor, yarn_attention_factor, yarn_factors

ALL_FACTORS = "rope_freqs.weight"
LONG_FACTORS = "rope_factors_long.weight"
SHORT_FACTORS = "rope_factors_short.weight"
ROPE_TENSORS = (ALL_FACTORS, LONG_FACTORS, SHORT_FACTORS)

ReadFactors = Callable[[str], Sequence[float] | None]
"""The content of one of `ROPE_TENSORS`, None where the file lacks it."""

_KINDS = ("none", "linear", "yarn", "longrope")


def read_gguf_rope(
    metadata: Metadata, architecture: str, head_dim: int, max_context: int, read_factors: ReadFactors
) -> RopeSpec:
    """Raises `SourceError` naming a scaling that is not supported, or a number that no rotation has."""
    prefix = f"{architecture}.rope"
    theta = metadata.number(f"{prefix}.freq_base", 10000.0)
    rotary_dim = metadata.size(f"{prefix}.dimension_count", head_dim)
    if rotary_dim > head_dim or rotary_dim % 2:
        raise SourceError(f"{metadata.path} rotates {rotary_dim} of {head_dim} dimensions of a head: get it again")
    partial = None if rotary_dim == head_dim else rotary_dim
    kind = metadata.text(f"{prefix}.scaling.type", "linear")
    if kind not in _KINDS:
        raise SourceError(
            f"{metadata.path} scales its rotary embedding by {kind!r}, supported are {', '.join(_KINDS)}: "
            "choose another model"
        )
    factors = {name: _factors(metadata, name, rotary_dim // 2, read_factors) for name in ROPE_TENSORS}
    factor = metadata.number(f"{prefix}.scaling.factor", metadata.number(f"{prefix}.scale_linear", 1.0))
    original = metadata.size(f"{prefix}.scaling.original_context_length", max_context)
    long, short, base = factors[LONG_FACTORS], factors[SHORT_FACTORS], factors[ALL_FACTORS]
    if long is not None and short is not None:
        attention = longrope_attention_factor(max_context / original, original)
        attention = metadata.number(f"{prefix}.scaling.attn_factor", attention)
        if original >= max_context:
            return RopeSpec(theta, short, partial, attention)
        return RopeSpec(theta, short, partial, attention, long, original)
    if kind == "longrope":
        raise SourceError(f"{metadata.path} lacks the tensors {LONG_FACTORS} and {SHORT_FACTORS}: get a complete file")
    if kind == "none" or factor == 1.0:
        return RopeSpec(theta, base, partial)
    scaled = (factor,) * (rotary_dim // 2)
    attention = 1.0
    if kind == "yarn":
        beta_fast = metadata.number(f"{prefix}.scaling.yarn_beta_fast", 32.0)
        beta_slow = metadata.number(f"{prefix}.scaling.yarn_beta_slow", 1.0)
        scaled = yarn_factors(theta, rotary_dim, factor, original, beta_fast, beta_slow)
        attention = yarn_attention_factor(factor) * metadata.number(f"{prefix}.scaling.attn_factor", 1.0)
    if base is not None:
        scaled = tuple(each * own for each, own in zip(scaled, base, strict=True))
    return RopeSpec(theta, scaled, partial, attention)


def _factors(metadata: Metadata, name: str, count: int, read_factors: ReadFactors) -> tuple[float, ...] | None:
    values = read_factors(name)
    if values is None:
        return None
    if len(values) != count or not all(value > 0 for value in values):
        raise SourceError(f"{metadata.path}: {name} must hold {count} numbers above zero: get the file again")
    return tuple(values)
