"""What must agree before keys and values that one model computed may serve another: the root of all prefix keys.

Knows nothing of tokens, files and tensors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

from engine.cache.prefix_cache import scope_digest

_MAX_SHOWN = 60
"""Longer values are not put into a sentence."""

_LABELS = {
    "quantization": "weights of",
    "rope": "the rotary embedding",
    "sliding_window": "a sliding window of",
    "backend": "the backend",
    "num_layers": "num_layers",
    "num_kv_heads": "num_kv_heads",
    "head_dim": "a head size of",
    "block_size": "a block size of",
    "dtype": "keys and values in the precision",
    "element_bytes": "bytes per number:",
    "layout": "the layout",
    "scale_bytes": "bytes per scale:",
    "num_sides": "rows per token and layer:",
}
_LIBRARY = "torch."
"""Before a precision, as files of prefixes have told it from the beginning."""
_UNTOLD = {"scale_bytes": 0, "num_sides": 2}
"""Fields that are not told where they are what they were before there were others."""


@dataclass(frozen=True, slots=True)
class CacheIdentity:
    """What decides the bytes in a block besides its tokens. `model_name` is for reading only and decides nothing."""

    model_name: str
    weights_digest: str
    tokenizer_digest: str
    """Of tokenizer and chat template."""
    quantization: str
    rope: str
    sliding_window: int | None
    backend: str
    num_layers: int
    num_kv_heads: int
    head_dim: int
    block_size: int
    """Tokens per block."""
    dtype: str
    element_bytes: int
    layout: str
    """Order of the pool's dimensions, outermost first."""
    scale_bytes: int = 0
    """Of the scale that the numbers of a head share."""
    num_sides: int = 2
    """Keys and values, or 1: rows that are both."""

    @property
    def side_bytes(self) -> int:
        """Bytes of one block's keys over all layers; its values, if there are any, take as many."""
        return self.num_layers * self.layer_bytes

    @property
    def layer_bytes(self) -> int:
        """Bytes of one block's keys in one layer."""
        return self.num_kv_heads * self.block_size * (self.head_dim * self.element_bytes + self.scale_bytes)

    def scope(self, security_domain: str, rope_offset: int = 0) -> bytes:
        """Root of the prefix-cache keys of one security domain, and of requests whose keys are rotated alike."""
        parts = (f"{name}={value}" for name, value in self.to_json().items() if name != "model_name")
        rotation = (f"rope_offset={rope_offset}",) if rope_offset else ()
        return scope_digest(*parts, *rotation, security_domain)

    def to_json(self) -> dict[str, str | int | None]:
        return {name: value for name, value in asdict(self).items() if name not in _UNTOLD or value != _UNTOLD[name]}

    def differences(self, other: Mapping[str, object]) -> Iterator[str]:
        """Ends of the sentence "it was saved …", one for each thing in which `other`, in JSON, is another."""
        name, told = other.get("model_name"), self.to_json()
        if other.get("weights_digest") != self.weights_digest:
            source = f"from {name}" if name != self.model_name else f"from other weights of {name}"
            yield f"{source}, loaded is {self.model_name}"
        if other.get("tokenizer_digest") != self.tokenizer_digest:
            yield "with another tokenizer or chat template"
        for field_name, label in _LABELS.items():
            theirs, ours = other.get(field_name), told.get(field_name)
            # Also by type: 1, 1.0 and true are equal.
            if type(theirs) is not type(ours) or theirs != ours:
                shown = max(len(str(theirs)), len(str(ours))) <= _MAX_SHOWN
                theirs, ours = (str(value).removeprefix(_LIBRARY) for value in (theirs, ours))
                yield f"with {label} {theirs}, here it is {ours}" if shown else f"with other values of {field_name}"
