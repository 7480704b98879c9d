"""Which files a checkpoint has and which tensors are in them. Standard library only; knows nothing of reading."""

from __future__ import annotations

import math
import re

from engine.spec import ModelSpec

FORMAT_VERSION = 3
READABLE_VERSIONS = (1, 2, 3)
"""A model of an older version is one of the newest whose spec leaves out what its family does not have."""

MANIFEST_FILE = "manifest.json"
TOKENIZER_FILE = "tokenizer.json"
TEMPLATE_FILE = "chat_template.jinja"
GENERATION_FILE = "generation.json"
EMBED_FILE = "embed.safetensors"
HEAD_FILE = "head.safetensors"

_LAYER_FILE = re.compile(r"layers/[0-9]{4,9}\.safetensors")

PARTIAL_SUFFIX = ".partial"
TEXT_FILES = (TOKENIZER_FILE, TEMPLATE_FILE, GENERATION_FILE)

EMBEDDING = "embedding"
HEAD = "head"

EXPERT_MATRICES = ("experts_gate_up", "experts_down")
"""The matrices of all experts of a layer, one below the other."""
SHARED_MATRICES = ("shared_gate_up", "shared_down")
LATENT_MATRICES = ("query_to_latent", "latent_to_value")
"""The matrices of all heads of a layer, one below the other."""
QUERY_UP = "query_up"


def layer_file(index: int) -> str:
    return f"layers/{index:04}.safetensors"


def is_file_name(name: str) -> bool:
    """Whether a model has files of this name; none of them leads out of its folder."""
    return name in (*TEXT_FILES, EMBED_FILE, HEAD_FILE) or _LAYER_FILE.fullmatch(name) is not None


def layer_tensor(index: int, matrix: str) -> str:
    """The name under which the manifest gives the format of a layer's matrix."""
    return f"layers.{index}.{matrix}"


def layer_matrices(spec: ModelSpec, index: int) -> tuple[str, ...]:
    """Which kinds of matrices a layer has."""
    experts, latent = spec.layer_experts(index), spec.latent
    attention: tuple[str, ...] = ("qkv", "output")
    if latent is not None:
        attention += LATENT_MATRICES if latent.q_lora_rank is None else (QUERY_UP, *LATENT_MATRICES)
    if experts is None:
        return (*attention, "gate_up", "down")
    return (*attention, *EXPERT_MATRICES, *(SHARED_MATRICES if experts.shared_size is not None else ()))


def matrix_shapes(spec: ModelSpec) -> dict[str, tuple[int, int]]:
    """Rows and columns of each kind of matrix, the embedding and the head included."""
    hidden = spec.hidden_size
    shapes = {
        EMBEDDING: (spec.vocab_size, hidden),
        HEAD: (spec.vocab_size, hidden),
        "qkv": (spec.qkv_size, hidden),
        "output": (hidden, spec.attended_size),
        "gate_up": ((2 if spec.is_gated else 1) * spec.intermediate_size, hidden),
        "down": (hidden, spec.intermediate_size),
    }
    latent, heads = spec.latent, spec.num_heads
    if latent is not None:
        shapes["query_to_latent"] = (heads * latent.kv_lora_rank, latent.qk_nope_head_dim)
        shapes["latent_to_value"] = (heads * latent.v_head_dim, latent.kv_lora_rank)
        if latent.q_lora_rank is not None:
            shapes[QUERY_UP] = (heads * latent.query_head_dim, latent.q_lora_rank)
    experts = spec.experts
    if experts is not None:
        inner, num = experts.intermediate_size, experts.num_experts
        shapes |= {"experts_gate_up": (num * 2 * inner, hidden), "experts_down": (num * hidden, inner)}
        if experts.shared_size is not None:
            shared = experts.shared_size
            shapes |= {"shared_gate_up": (2 * shared, hidden), "shared_down": (hidden, shared)}
    return shapes


def layer_vectors(spec: ModelSpec, index: int) -> dict[str, tuple[int, ...]]:
    """The float32 tensors of a layer, with their shapes, by their names in `LayerWeights` and `ExpertWeights`."""
    hidden = (spec.hidden_size,)
    vectors: dict[str, tuple[int, ...]] = {}
    if spec.has_pre_norms:
        vectors |= {"attention_norm": hidden, "feed_forward_norm": hidden}
    if spec.has_layer_norms:
        vectors |= {"attention_norm_bias": hidden, "feed_forward_norm_bias": hidden}
    if spec.has_post_norms:
        vectors |= {"attention_post_norm": hidden, "feed_forward_post_norm": hidden}
    if spec.has_qkv_bias:
        vectors["qkv_bias"] = (spec.qkv_size,)
    if spec.has_output_bias:
        vectors["output_bias"] = hidden
    if spec.has_feed_forward_bias:
        vectors |= {"up_bias": (spec.intermediate_size,), "down_bias": hidden}
    if spec.query_key_norm is not None or spec.latent is not None:
        norms = zip(("query_norm", "key_norm"), spec.norm_sizes, strict=True)
        vectors |= {name: (size,) for name, size in norms if size}
    experts = spec.layer_experts(index)
    if experts is not None:
        vectors["router"] = (experts.num_experts, spec.hidden_size)
        if experts.shared_size is not None and not experts.is_shared_whole:
            vectors["shared_gate"] = hidden
    return vectors


def head_vectors(spec: ModelSpec) -> dict[str, tuple[int, ...]]:
    """The float32 tensors beside the head, with their shapes, by their names in `HeadWeights`."""
    names = ("norm", "norm_bias") if spec.has_layer_norms else ("norm",)
    return dict.fromkeys(names, (spec.hidden_size,))


def matrix_names(spec: ModelSpec) -> tuple[str, ...]:
    """The names of all matrices, as the manifest's `quantization` lists them."""
    layers = (layer_tensor(index, matrix) for index in range(spec.num_layers) for matrix in layer_matrices(spec, index))
    return (EMBEDDING, *layers, *(() if spec.is_tied else (HEAD,)))


def num_parameters(spec: ModelSpec) -> int:
    """How many numbers all matrices and vectors of a model have; a tied head counts once."""
    shapes = matrix_shapes(spec)
    matrices = (shapes[name.rpartition(".")[2]] for name in matrix_names(spec))
    return sum(math.prod(shape) for shape in matrices) + num_vector_elements(spec)


def num_vector_elements(spec: ModelSpec) -> int:
    """How many numbers all vectors of a model have."""
    layers = (shape for index in range(spec.num_layers) for shape in layer_vectors(spec, index).values())
    return sum(math.prod(shape) for shape in (*layers, *head_vectors(spec).values()))
