"""Which files a checkpoint has and which tensors are in them. Standard library only; knows nothing of reading."""

from __future__ import annotations

from engine.spec import ModelSpec

FORMAT_VERSION = 1

MANIFEST_FILE = "manifest.json"
TOKENIZER_FILE = "tokenizer.json"
TEMPLATE_FILE = "chat_template.jinja"
GENERATION_FILE = "generation.json"
EMBED_FILE = "embed.safetensors"
HEAD_FILE = "head.safetensors"

PARTIAL_SUFFIX = ".partial"
TEXT_FILES = (TOKENIZER_FILE, TEMPLATE_FILE, GENERATION_FILE)

EMBEDDING = "embedding"
HEAD = "head"
LAYER_MATRICES = ("qkv", "output", "gate_up", "down")


def layer_file(index: int) -> str:
    return f"layers/{index:04}.safetensors"


def layer_tensor(index: int, matrix: str) -> str:
    """The name under which the manifest gives the format of a layer's matrix."""
    return f"layers.{index}.{matrix}"


def matrix_shapes(spec: ModelSpec) -> dict[str, tuple[int, int]]:
    """Rows and columns of each kind of matrix, the embedding and the head included."""
    return {
        EMBEDDING: (spec.vocab_size, spec.hidden_size),
        HEAD: (spec.vocab_size, spec.hidden_size),
        "qkv": (spec.qkv_size, spec.hidden_size),
        "output": (spec.hidden_size, spec.query_size),
        "gate_up": (2 * spec.intermediate_size, spec.hidden_size),
        "down": (spec.hidden_size, spec.intermediate_size),
    }


def matrix_names(spec: ModelSpec) -> tuple[str, ...]:
    """The names of all matrices, as the manifest's `quantization` lists them."""
    layers = (layer_tensor(index, matrix) for index in range(spec.num_layers) for matrix in LAYER_MATRICES)
    return (EMBEDDING, *layers, *(() if spec.is_tied else (HEAD,)))
