"""The rotary embedding that a config.json describes, in every way transformers has written it.

`rope_parameters` of today, or `rope_theta` with `rope_scaling` of before. Knows nothing of the rest of the config.
"""

from __future__ import annotations

from engine.errors import SourceError
from engine.models.metadata import Metadata
from engine.rope_spec import (
    RopeSpec,
    dynamic_factors,
    llama3_factors,
    longrope_attention_factor,
    yarn_attention_factor,
    yarn_factors,
)

KINDS = ("default", "linear", "dynamic", "llama3", "yarn", "longrope")
_SECTIONS = ("rope_parameters", "rope_scaling")


def read_rope(config: Metadata, head_dim: int, theta: float = 10000.0, layer_type: str | None = None) -> RopeSpec:
    """The rotation of the layers of one type, where they differ, else of all. `theta` counts where none is given.

    Raises `SourceError` naming a type of scaling that is not supported.
    """
    section = rope_section(config)
    if section is not None and layer_type is not None:
        section = section.section(layer_type) or section
    empty = Metadata(config.path, {})
    scaling = empty if section is None else section
    theta = scaling.number("rope_theta", config.number("rope_theta", theta))
    partial = scaling.number("partial_rotary_factor", config.number("partial_rotary_factor", 1.0))
    rotary_dim = int(head_dim * partial)
    kind = scaling.text("rope_type", scaling.text("type", "default"))
    if kind == "su" or (kind == "yarn" and scaling.has("short_factor")):
        kind = "longrope"  # Phi-3's first names for it
    spec = _scaled(kind, config, scaling, theta, rotary_dim)
    return spec if rotary_dim == head_dim else _partial(spec, rotary_dim)


def rope_section(config: Metadata) -> Metadata | None:
    """The keys of the rotation, None where the config has none of their own."""
    return next((found for name in _SECTIONS if (found := config.section(name)) is not None), None)


def longest_context(config: Metadata) -> int:
    """Tokens of context; a dynamic scaling stretches what the config gives, which is its training length."""
    max_context = config.size("max_position_embeddings")
    for name in _SECTIONS:
        scaling = config.section(name)
        if scaling is not None and scaling.text("rope_type", scaling.text("type", "default")) == "dynamic":
            return int(max_context * scaling.number("factor"))
    return max_context


def _scaled(kind: str, config: Metadata, scaling: Metadata, theta: float, rotary_dim: int) -> RopeSpec:
    if kind == "default":
        return RopeSpec(theta)
    if kind == "longrope":
        return _longrope(config, scaling, theta)
    if kind not in KINDS:
        raise SourceError(
            f"{config.path} scales its rotary embedding by {kind!r}, supported are {', '.join(KINDS)}: "
            "choose another model"
        )
    factor = scaling.number("factor")
    if kind == "linear":
        return RopeSpec(theta, (factor,) * (rotary_dim // 2))
    trained = config.size("max_position_embeddings")
    if kind == "dynamic":
        # One base for every text beyond the training length, that of the longest: keys are cached rotated.
        growth = int(trained * factor) / trained
        return RopeSpec(theta, long_factors=dynamic_factors(rotary_dim, factor, growth), short_context=trained)
    original = scaling.size("original_max_position_embeddings", trained)
    if kind == "llama3":
        low, high = scaling.number("low_freq_factor"), scaling.number("high_freq_factor")
        return RopeSpec(theta, llama3_factors(theta, rotary_dim, factor, low, high, original))
    return _yarn(scaling, theta, rotary_dim, factor, original)


def _yarn(scaling: Metadata, theta: float, rotary_dim: int, factor: float, original: int) -> RopeSpec:
    beta_fast, beta_slow = scaling.number("beta_fast", 32.0), scaling.number("beta_slow", 1.0)
    scales = scaling.optional_weight("mscale"), scaling.optional_weight("mscale_all_dim")
    return RopeSpec(
        theta,
        yarn_factors(theta, rotary_dim, factor, original, beta_fast, beta_slow, scaling.flag("truncate", True)),
        attention_factor=scaling.number("attention_factor", yarn_attention_factor(factor, *scales)),
    )


def _longrope(config: Metadata, scaling: Metadata, theta: float) -> RopeSpec:
    max_context = config.size("max_position_embeddings")
    original = scaling.size(
        "original_max_position_embeddings", config.size("original_max_position_embeddings", max_context)
    )
    factor = scaling.number("factor", max_context / original)
    short = tuple(scaling.factors("short_factor"))
    attention_factor = scaling.number("attention_factor", longrope_attention_factor(factor, original))
    if original >= max_context:
        return RopeSpec(theta, short, attention_factor=attention_factor)
    return RopeSpec(
        theta,
        short,
        attention_factor=attention_factor,
        long_factors=tuple(scaling.factors("long_factor")),
        short_context=original,
    )


def _partial(spec: RopeSpec, rotary_dim: int) -> RopeSpec:
    return RopeSpec(
        spec.theta,
        spec.frequency_factors,
        rotary_dim,
        spec.attention_factor,
        spec.long_factors,
        spec.short_context,
    )
