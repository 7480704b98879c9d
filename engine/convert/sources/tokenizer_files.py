"""What a checkpoint needs besides weights, and which tokens end an answer. Knows nothing of where they come from."""

from __future__ import annotations

from dataclasses import dataclass

from engine.store.manifest import Generation

END_TOKENS = (
    "<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|endoftext|>", "<|end_of_text|>", "<|end|>", "<end_of_turn>", "</s>",
)  # fmt: skip
"""Control tokens that end a chat's turn or a document, whatever the model calls its end token."""


@dataclass(frozen=True, slots=True)
class TokenizerFiles:
    """`tokenizer_json` is in the format of the `tokenizers` library and adds no tokens of its own."""

    tokenizer_json: str
    chat_template: str | None
    generation: Generation
