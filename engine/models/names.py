"""What the tensors of each layer are called, in Hugging Face checkpoints and in GGUF files, for any family.

Knows nothing of what is in the tensors, except for the order of a head's rows.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace

from engine.spec import ModelSpec


@dataclass(frozen=True, slots=True)
class ExpertNames:
    """As `ExpertWeights`. A gate and up is its tensors to stack by rows: two, or one that holds both.

    Hugging Face: one entry per expert. GGUF: one entry of tensors [experts, rows, columns] that hold them all.
    """

    router: str
    gate_up: tuple[tuple[str, ...], ...]
    down: tuple[str, ...]
    shared_gate_up: tuple[str, ...] = ()
    shared_down: str | None = None
    shared_gate: str | None = None


@dataclass(frozen=True, slots=True)
class LatentNames:
    """As `LatentWeights`. One name in `up`: of each head the key's rows above the value's; two: as we have them."""

    up: tuple[str, ...]
    query_up: str | None


@dataclass(frozen=True, slots=True)
class LayerNames:
    """As `LayerWeights`; a matrix with several names is their tensors stacked by rows. None or (): the model has none.

    One name in `qkv` or `gate_up` is a tensor that holds all of it, in the same order; `is_qkv_by_head`: in the order
    of the heads, of each its rows of q, k and v.
    """

    attention_norm: str | None
    qkv: tuple[str, ...]
    qkv_bias: tuple[str, ...]
    output: str
    feed_forward_norm: str | None
    gate_up: tuple[str, ...]
    down: str | None
    query_norm: str | None
    key_norm: str | None
    attention_post_norm: str | None
    feed_forward_post_norm: str | None
    experts: ExpertNames | None
    latent: LatentNames | None = None
    attention_norm_bias: str | None = None
    feed_forward_norm_bias: str | None = None
    output_bias: str | None = None
    up_bias: str | None = None
    down_bias: str | None = None
    is_qkv_by_head: bool = False


@dataclass(frozen=True, slots=True)
class TensorNames:
    """`head` is None where the embedding is the head."""

    embedding: str
    layers: tuple[LayerNames, ...]
    head_norm: str
    head: str | None
    head_norm_bias: str | None = None


@dataclass(frozen=True, slots=True)
class _Modules:
    """What Hugging Face checkpoints call the parts of a model that have several names."""

    attention: str = "self_attn"
    qkv: tuple[str, ...] = ("q_proj", "k_proj", "v_proj")
    output: str = "o_proj"
    gate_up: tuple[str, ...] = ("gate_proj", "up_proj")
    down: str = "down_proj"
    place: str = "model."
    embedding: str = "embed_tokens"
    head_norm: str = "norm"
    head: str = "lm_head"


_NEOX = "gptneox"
_MODULES = {
    "phi3": _Modules(qkv=("qkv_proj",), gate_up=("gate_up_proj",)),
    "starcoder2": _Modules(gate_up=("c_fc",), down="c_proj"),
    _NEOX: _Modules(
        "attention",
        ("query_key_value",),
        "dense",
        ("dense_h_to_4h",),
        "dense_4h_to_h",
        "gpt_neox.",
        "embed_in",
        "final_layer_norm",
        "embed_out",
    ),
}


def tensor_names(spec: ModelSpec, prefix: str | None = None, head: str | None = None) -> TensorNames:
    """The names in Hugging Face checkpoints. A multimodal one has another prefix (`language_model.model.`) and head."""
    modules = _MODULES.get(spec.family, _Modules())
    prefix = modules.place if prefix is None else prefix
    head = f"{modules.head}.weight" if head is None else head
    layers = tuple(_layer_names(spec, index, f"{prefix}layers.{index}.") for index in range(spec.num_layers))
    return _tensor_names(
        spec, f"{prefix}{modules.embedding}.weight", layers, f"{prefix}{modules.head_norm}.weight", head
    )


def gguf_tensor_names(spec: ModelSpec, tensors: Container[str] = ()) -> TensorNames:
    """The names in GGUF files, as llama.cpp writes them; `tensors` are those that the file has.

    Newer files have what makes keys and values out of a latent in two tensors, as we do, older ones in one.
    """
    up = ("attn_k_b", "attn_v_b") if "blk.0.attn_k_b.weight" in tensors else ("attn_kv_b",)
    layers = tuple(_gguf_layer_names(spec, index, f"blk.{index}.", up) for index in range(spec.num_layers))
    return _tensor_names(spec, "token_embd.weight", layers, "output_norm.weight", "output.weight")


def _tensor_names(
    spec: ModelSpec, embedding: str, layers: tuple[LayerNames, ...], head_norm: str, head: str
) -> TensorNames:
    bias = _bias_of(head_norm, spec.has_layer_norms)
    return TensorNames(embedding, layers, head_norm, None if spec.is_tied else head, bias)


def head_order(spec: ModelSpec, is_interleaved: bool = False) -> tuple[int, ...]:
    """For each of our rows of a head of q or k, the file's row.

    Our layout rotates row i with row i + head_dim / 2, of which the first rotary_dim / 2 turn and the others stand
    still, so that one kernel serves partial rotation. Files rotate i with i + rotary_dim / 2 and keep the unrotated
    rows at the end; `is_interleaved` ones rotate 2 i with 2 i + 1, as llama.cpp does for Llama. The same order for q
    and k leaves every q.k as it was.
    """
    head_dim = spec.rope_head_dim
    rotary_dim, half = spec.rope.rotated(head_dim), spec.rope.rotated(head_dim) // 2
    if is_interleaved:
        first, second = list(range(0, rotary_dim, 2)), list(range(1, rotary_dim, 2))
    else:
        first, second = list(range(half)), list(range(half, rotary_dim))
    still = list(range(rotary_dim, head_dim))
    middle = len(still) // 2
    return (*first, *still[:middle], *second, *still[middle:])


def adds_one_to_norms(spec: ModelSpec) -> bool:
    """Whether Hugging Face checkpoints hold norms as what is to be added to 1; GGUF files never do."""
    return spec.family in ("gemma", "gemma2", "gemma3")


def _layer_names(spec: ModelSpec, index: int, block: str) -> LayerNames:
    modules = _MODULES.get(spec.family, _Modules())
    attention, qkv = f"{block}{modules.attention}.", modules.qkv
    is_sandwich = spec.has_pre_norms and spec.has_post_norms
    inner_norm = f"{block}{'pre_feedforward_layernorm' if is_sandwich else 'post_attention_layernorm'}.weight"
    is_dense, latent = spec.layer_experts(index) is None, spec.latent
    norms = ("q_norm", "k_norm")
    if latent is not None:
        qkv = ("q_proj" if latent.q_lora_rank is None else "q_a_proj", "kv_a_proj_with_mqa")
        norms = ("q_a_layernorm", "kv_a_layernorm")
    names = LayerNames(
        attention_norm=f"{block}input_layernorm.weight" if spec.has_pre_norms else None,
        qkv=_of(attention, qkv),
        qkv_bias=tuple(f"{attention}{name}.bias" for name in qkv) if spec.has_qkv_bias else (),
        output=f"{attention}{modules.output}.weight",
        feed_forward_norm=inner_norm if spec.has_pre_norms else None,
        gate_up=_of(f"{block}mlp.", modules.gate_up) if is_dense else (),
        down=f"{block}mlp.{modules.down}.weight" if is_dense else None,
        query_norm=f"{attention}{norms[0]}.weight" if _has_query_norm(spec) else None,
        key_norm=f"{attention}{norms[1]}.weight" if spec.query_key_norm or latent else None,
        attention_post_norm=f"{block}post_attention_layernorm.weight" if spec.has_post_norms else None,
        feed_forward_post_norm=f"{block}post_feedforward_layernorm.weight" if spec.has_post_norms else None,
        experts=None if is_dense else _expert_names(spec, index, block),
        latent=_latent_names(spec, _of(attention, ("kv_b_proj",)), f"{attention}q_b_proj.weight"),
        is_qkv_by_head=spec.family == _NEOX,
    )
    return _with_biases(spec, names)


def _with_biases(spec: ModelSpec, names: LayerNames) -> LayerNames:
    """Of what is called the same but for the last word."""
    return replace(
        names,
        attention_norm_bias=_bias_of(names.attention_norm, spec.has_layer_norms),
        feed_forward_norm_bias=_bias_of(names.feed_forward_norm, spec.has_layer_norms),
        output_bias=_bias_of(names.output, spec.has_output_bias),
        up_bias=_bias_of(names.gate_up[0], True) if spec.has_feed_forward_bias else None,
        down_bias=_bias_of(names.down, spec.has_feed_forward_bias),
    )


def _bias_of(weight: str | None, has_bias: bool) -> str | None:
    return f"{weight.removesuffix('.weight')}.bias" if has_bias and weight is not None else None


def _has_query_norm(spec: ModelSpec) -> bool:
    return spec.query_key_norm is not None or (spec.latent is not None and spec.latent.q_lora_rank is not None)


def _latent_names(spec: ModelSpec, up: tuple[str, ...], query_up: str) -> LatentNames | None:
    if spec.latent is None:
        return None
    return LatentNames(up, None if spec.latent.q_lora_rank is None else query_up)


def _expert_names(spec: ModelSpec, index: int, block: str) -> ExpertNames:
    experts = spec.layer_experts(index)
    assert experts is not None, index
    is_mixtral = spec.family == "mixtral"
    place = f"{block}block_sparse_moe." if is_mixtral else f"{block}mlp."
    inner, outer = (("w1", "w3"), "w2") if is_mixtral else (("gate_proj", "up_proj"), "down_proj")
    each = [f"{place}experts.{number}." for number in range(experts.num_experts)]
    has_shared = experts.shared_size is not None
    # Several shared experts are one, as wide as all of them.
    shared = f"{place}{'shared_experts' if experts.is_shared_whole else 'shared_expert'}."
    return ExpertNames(
        router=f"{place}gate.weight",
        gate_up=tuple(_of(expert, inner) for expert in each),
        down=tuple(f"{expert}{outer}.weight" for expert in each),
        shared_gate_up=_of(shared, inner) if has_shared else (),
        shared_down=f"{shared}{outer}.weight" if has_shared else None,
        shared_gate=f"{place}shared_expert_gate.weight" if has_shared and not experts.is_shared_whole else None,
    )


def _gguf_layer_names(spec: ModelSpec, index: int, block: str, latent_up: tuple[str, ...]) -> LayerNames:
    experts, latent = spec.layer_experts(index), spec.latent
    has_shared = experts is not None and experts.shared_size is not None
    has_gate = has_shared and experts is not None and not experts.is_shared_whole
    qkv: tuple[str, ...] = ("attn_qkv",) if spec.family in ("phi3", _NEOX) else ("attn_q", "attn_k", "attn_v")
    has_one_up = spec.family == "phi3" or not spec.is_gated
    norms = ("attn_q_norm", "attn_k_norm")
    if latent is not None:
        qkv = ("attn_q" if latent.q_lora_rank is None else "attn_q_a", "attn_kv_a_mqa")
        norms = ("attn_q_a_norm", "attn_kv_a_norm")
    routed = ExpertNames(
        router=f"{block}ffn_gate_inp.weight",
        gate_up=(_of(block, ("ffn_gate_exps", "ffn_up_exps")),),
        down=(f"{block}ffn_down_exps.weight",),
        shared_gate_up=_of(block, ("ffn_gate_shexp", "ffn_up_shexp")) if has_shared else (),
        shared_down=f"{block}ffn_down_shexp.weight" if has_shared else None,
        shared_gate=f"{block}ffn_gate_inp_shexp.weight" if has_gate else None,
    )
    names = LayerNames(
        attention_norm=f"{block}attn_norm.weight" if spec.has_pre_norms else None,
        qkv=_of(block, qkv),
        qkv_bias=tuple(f"{block}{name}.bias" for name in qkv) if spec.has_qkv_bias else (),
        output=f"{block}attn_output.weight",
        feed_forward_norm=f"{block}ffn_norm.weight" if spec.has_pre_norms else None,
        gate_up=_of(block, ("ffn_up",) if has_one_up else ("ffn_gate", "ffn_up")) if experts is None else (),
        down=f"{block}ffn_down.weight" if experts is None else None,
        query_norm=f"{block}{norms[0]}.weight" if _has_query_norm(spec) else None,
        key_norm=f"{block}{norms[1]}.weight" if spec.query_key_norm or latent else None,
        attention_post_norm=f"{block}post_attention_norm.weight" if spec.has_post_norms else None,
        feed_forward_post_norm=f"{block}post_ffw_norm.weight" if spec.has_post_norms else None,
        experts=None if experts is None else routed,
        latent=_latent_names(spec, _of(block, latent_up), f"{block}attn_q_b.weight"),
    )
    return _with_biases(spec, names)


def _of(place: str, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{place}{name}.weight" for name in names)
