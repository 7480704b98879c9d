"""The families of models: which architecture of which file format is which, and how each becomes a `ModelSpec`.

Knows nothing of files' bytes or of arithmetic.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any

from engine.errors import SourceError
from engine.models import config_spec
from engine.models.config_spec import ConfigReader, read_config
from engine.models.deepseek_config import read_deepseek2
from engine.models.gguf_config import read_gguf_spec
from engine.models.gguf_rope import ReadFactors
from engine.models.layer_norm_config import read_gptneox, read_starcoder2
from engine.models.metadata import Metadata
from engine.models.names import gguf_tensor_names, tensor_names
from engine.spec import ModelSpec

__all__ = [
    "ADAPTERS",
    "FamilyAdapter",
    "adapter_for_gguf",
    "gguf_tensor_names",
    "spec_from_config",
    "spec_from_gguf",
    "tensor_names",
]


@dataclass(frozen=True, slots=True)
class FamilyAdapter:
    """One family.

    `architectures`: what config.json calls it. `gguf_architecture`: what GGUF files call it; Mistral and Mixtral are
    `llama` there. `has_permuted_qk`: in GGUF, the rows of q and k come with the halves of each head interleaved, as
    llama.cpp rotates them. `read`: the facts in which its config differs from the plain decoder's.
    """

    family: str
    architectures: tuple[str, ...]
    gguf_architecture: str
    read: ConfigReader
    has_permuted_qk: bool = False


ADAPTERS = (
    FamilyAdapter("llama", ("LlamaForCausalLM",), "llama", config_spec.read_plain, has_permuted_qk=True),
    FamilyAdapter("mistral", ("MistralForCausalLM",), "llama", config_spec.read_mistral, has_permuted_qk=True),
    FamilyAdapter("ministral", ("MinistralForCausalLM",), "llama", config_spec.read_ministral, has_permuted_qk=True),
    FamilyAdapter("mixtral", ("MixtralForCausalLM",), "llama", config_spec.read_mixtral, has_permuted_qk=True),
    FamilyAdapter("smollm3", ("SmolLM3ForCausalLM",), "smollm3", config_spec.read_smollm3, has_permuted_qk=True),
    FamilyAdapter("qwen2", ("Qwen2ForCausalLM",), "qwen2", config_spec.read_qwen2),
    FamilyAdapter("qwen3", ("Qwen3ForCausalLM",), "qwen3", config_spec.read_qwen3),
    FamilyAdapter("qwen2moe", ("Qwen2MoeForCausalLM",), "qwen2moe", config_spec.read_qwen2_moe),
    FamilyAdapter("qwen3moe", ("Qwen3MoeForCausalLM",), "qwen3moe", config_spec.read_qwen3_moe),
    FamilyAdapter("gemma", ("GemmaForCausalLM",), "gemma", config_spec.read_gemma),
    FamilyAdapter("gemma2", ("Gemma2ForCausalLM",), "gemma2", config_spec.read_gemma2),
    FamilyAdapter("gemma3", ("Gemma3ForCausalLM", "Gemma3ForConditionalGeneration"), "gemma3", config_spec.read_gemma3),
    FamilyAdapter("phi3", ("Phi3ForCausalLM",), "phi3", config_spec.read_phi3),
    FamilyAdapter("granite", ("GraniteForCausalLM",), "granite", config_spec.read_granite, has_permuted_qk=True),
    FamilyAdapter("olmo2", ("Olmo2ForCausalLM",), "olmo2", config_spec.read_olmo2),
    FamilyAdapter("deepseek2", ("DeepseekV2ForCausalLM",), "deepseek2", read_deepseek2, has_permuted_qk=True),
    FamilyAdapter("starcoder2", ("Starcoder2ForCausalLM",), "starcoder2", read_starcoder2),
    FamilyAdapter("gptneox", ("GPTNeoXForCausalLM",), "gptneox", read_gptneox),
    FamilyAdapter("olmoe", ("OlmoeForCausalLM",), "olmoe", config_spec.read_olmoe),
)


def adapter_for_gguf(architecture: str) -> FamilyAdapter | None:
    """The adapter for `general.architecture`, None if the family is not supported; `llama` also for Mistral."""
    return next((adapter for adapter in ADAPTERS if adapter.gguf_architecture == architecture), None)


def adapter_for_config(config: Mapping[str, Any]) -> FamilyAdapter:
    """The adapter for a config.json. Raises `SourceError` naming an architecture that is not supported."""
    architectures = config.get("architectures")
    names = architectures if isinstance(architectures, list) and architectures else [config.get("model_type")]
    for adapter in ADAPTERS:
        if names[0] in adapter.architectures:
            return adapter
    known = ", ".join(sorted(name for adapter in ADAPTERS for name in adapter.architectures))
    raise SourceError(f"The architecture {names[0]!r} is not supported, supported are {known}")


def spec_from_config(config: Mapping[str, Any], has_head: bool | None = None) -> ModelSpec:
    """The model that a Hugging Face config.json describes; `has_head`: whether its files have an output matrix.

    Without `has_head`, the config or the family's default says whether the embedding is the head. Raises `SourceError`
    naming what the decoder cannot run: an architecture, a RoPE type, an activation, a bias.
    """
    adapter = adapter_for_config(config)
    return read_config(config, adapter.family, adapter.read, has_head)


def spec_from_gguf(metadata: Metadata, tensors: Container[str], read_factors: ReadFactors) -> ModelSpec:
    """The model that a GGUF file's keys describe; `tensors` are the names of its tensors.

    `read_factors` gives the content of one of `gguf_rope.ROPE_TENSORS`, None if the file lacks it. Raises `SourceError`
    naming what the decoder cannot run: an architecture, a RoPE type, a scale.
    """
    architecture = metadata.text("general.architecture")
    adapter = adapter_for_gguf(architecture)
    if adapter is None:
        known = ", ".join(sorted({known.gguf_architecture for known in ADAPTERS}))
        raise SourceError(f"{metadata.path} has the architecture {architecture!r}, supported are {known}")
    return read_gguf_spec(metadata, adapter.family, architecture, tensors, read_factors)
