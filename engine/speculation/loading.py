"""From the configuration to a `Speculator`: by lookup, or by a second model, which must speak the same tokens.

Knows nothing of the model whose tokens are guessed beyond its checkpoint and sizes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.config import EngineConfig
from engine.errors import DraftModelError
from engine.models.decoder import kv_bytes_per_token
from engine.models.loading import load_decoder
from engine.speculation.draft_model import DraftModel
from engine.speculation.prompt_lookup import PromptLookup
from engine.speculation.speculator import Speculator
from engine.store.checkpoint import Checkpoint
from engine.store.layout import TOKENIZER_FILE
from engine.store.library import Library
from kernels.ops import Backend

_ROW_COST = 0.2
"""What one more row adds to a step of one row, as a share of it.

Measured with the starter (135 M parameters at 4 bits): 0.1 to 0.2 with 64 tokens of context, 0.2 to 0.3 with 1024.
"""
_POOL_SHARE = 4
"""A draft model's pool takes one byte for so many of the model's own."""


@dataclass(frozen=True, slots=True)
class ServedSizes:
    """Of the model whose tokens are guessed: its matrices, and its pool."""

    weight_bytes: int
    num_blocks: int
    block_bytes: int


def find_draft_model(config: EngineConfig, model: Checkpoint) -> Checkpoint | None:
    """The draft model that was asked for, None without one; reads no weights.

    Raises `DraftModelError` if it cannot guess the model's tokens, `ModelNotFoundError` if there is none.
    """
    if config.speculation != "draft":
        return None
    name = model.manifest.name
    if config.draft_model is None:
        raise DraftModelError(
            f"Guessing tokens of {name} by a draft model needs one: name it (--draft-model), or use --speculate lookup"
        )
    draft = Checkpoint.open(Library(config.models_dir).find(config.draft_model).path)
    sizes = [manifest.spec.vocab_size for manifest in (draft.manifest, model.manifest)]
    files = [manifest.files[TOKENIZER_FILE].sha256 for manifest in (draft.manifest, model.manifest)]
    if sizes[0] != sizes[1] or files[0] != files[1]:
        raise DraftModelError(
            f"{draft.manifest.name} cannot guess tokens of {name}: {sizes[0]} tokens against {sizes[1]}, of "
            f"{'the same tokenizer' if files[0] == files[1] else 'another tokenizer'}. "
            "Pick a smaller model of the same family, or use --speculate lookup"
        )
    return draft


def make_speculator(
    config: EngineConfig,
    draft: Checkpoint | None,
    backend: Backend,
    served: ServedSizes,
    on_progress: Callable[[int, int], None],
) -> tuple[Speculator | None, int]:
    """What guesses tokens, None if nothing is to, and the bytes of memory that its matrices hold.

    `on_progress(layers done, layers)` of the draft model. Raises `CheckpointError` if that is damaged.
    """
    if config.speculation == "off":
        return None, 0
    if draft is None:
        return Speculator(PromptLookup(), _ROW_COST), 0
    decoder, weight_bytes = load_decoder(draft, backend, on_progress, config.weights)
    block_bytes = kv_bytes_per_token(decoder.spec, backend) * config.block_size
    pool_bytes = served.num_blocks * served.block_bytes // _POOL_SHARE
    num_blocks = min(served.num_blocks, max(1, pool_bytes // block_bytes))
    # A guess costs a forward of the draft model and a row of the model's own; reading weights is what takes time.
    row_cost = _ROW_COST + weight_bytes / served.weight_bytes
    return Speculator(DraftModel(decoder, backend, num_blocks, config.block_size), row_cost), weight_bytes
