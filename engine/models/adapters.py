"""What differs between the families of models, one record each. Knows nothing of files' bytes or of arithmetic."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FamilyAdapter:
    """How a family's GGUF files deviate from the plain decoder.

    `has_permuted_qk`: the rows of q and k come with the halves of each head interleaved, as llama.cpp rotates them.
    `needs_qkv_bias`: q, k and v have biases; families without the need may still have them.
    """

    family: str
    gguf_architecture: str
    has_permuted_qk: bool
    needs_qkv_bias: bool


ADAPTERS = (
    FamilyAdapter("llama", "llama", has_permuted_qk=True, needs_qkv_bias=False),
    FamilyAdapter("qwen2", "qwen2", has_permuted_qk=False, needs_qkv_bias=True),
)


def adapter_for_gguf(architecture: str) -> FamilyAdapter | None:
    """The adapter for `general.architecture`, None if the family is not supported."""
    return next((adapter for adapter in ADAPTERS if adapter.gguf_architecture == architecture), None)
