"""Whether a model fits in some memory, how many chats of what length beside it, and what to change if it does not.

Standard library only; knows nothing of files and of what memory this machine has.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.cache.window import Window
from engine.config import EngineConfig, KvDtype
from engine.messages import Quality
from engine.planning.sizes import num_weights, process_bytes, weight_bytes
from engine.planning.workspace import workspace_bytes
from engine.quality import PRESETS
from engine.spec import ModelSpec

CONTEXTS = (2048, 4096, 8192, 16384, 32768, 65536, 131072)
"""Lengths of chats that a plan counts tabs for."""
USEFUL_CONTEXT = 4096
"""Below it a chat soon forgets how it began."""
KV_BYTES: dict[KvDtype, tuple[int, int]] = {"auto": (2, 0), "int8": (1, 4)}
"""Of a number, and of the scale that the numbers of a head share, as the CPU backend keeps keys and values."""
LAPTOP_BYTES_PER_S = 25e9
"""What the memory of an ordinary laptop gives, two channels of DDR4; the prediction of speed is for such a one."""
_READ_SHARE = 0.7
"""Of that, what generating one answer reaches."""


@dataclass(frozen=True, slots=True)
class MemoryNeed:
    """Bytes in memory. `kv_bytes_per_token` is over all layers; `process_bytes` is the program itself.

    `looked_up_bytes` of the weights are a table of which a token takes one row. Mapped from a file, what is not looked
    up is never read, and takes no memory.
    """

    weights_bytes: int
    read_bytes_per_token: int
    kv_bytes_per_token: int
    workspace_bytes: int
    process_bytes: int
    looked_up_bytes: int = 0
    is_prepared: bool = True
    """A copy prepared for this machine lies on the disk beside the weights, and is about as large."""

    @property
    def disk_bytes(self) -> int:
        return self.weights_bytes * (2 if self.is_prepared else 1)

    @property
    def resident_bytes(self) -> int:
        """What the weights take in memory."""
        return self.weights_bytes - self.looked_up_bytes

    @property
    def fixed_bytes(self) -> int:
        return self.resident_bytes + self.workspace_bytes + self.process_bytes

    def total_bytes(self, num_cached_tokens: int) -> int:
        return self.fixed_bytes + num_cached_tokens * self.kv_bytes_per_token

    @property
    def tokens_per_s(self) -> float:
        """Of one answer on a laptop, a rough bound: each token reads all weights that it uses."""
        return _READ_SHARE * LAPTOP_BYTES_PER_S / self.read_bytes_per_token


@dataclass(frozen=True, slots=True)
class Tabs:
    """So many chats of `context` tokens each fit in the cache at once."""

    context: int
    num_tabs: int


@dataclass(frozen=True, slots=True)
class Plan:
    """One model in one quality. `context`: the longest single chat, 0 if the weights alone do not fit.

    `advice` says in sentences what to change; it is empty where a useful chat fits.
    """

    quality: Quality
    memory_bytes: int
    need: MemoryNeed
    context: int
    tabs: tuple[Tabs, ...]
    advice: tuple[str, ...]

    @property
    def is_useful(self) -> bool:
        return not self.advice


def memory_need(spec: ModelSpec, quality: Quality, config: EngineConfig | None = None) -> MemoryNeed:
    """What the model will take when it is converted so."""
    weights = weight_bytes(spec, PRESETS[quality])
    return need_of(spec, weights.resident_bytes, weights.read_bytes, config, weights.looked_up_bytes)


def need_of(
    spec: ModelSpec,
    weights_bytes: int,
    read_bytes_per_token: int,
    config: EngineConfig | None = None,
    embedding_bytes: int = 0,
) -> MemoryNeed:
    """The same for weights whose bytes are known; `embedding_bytes` of an embedding that is not the head as well."""
    config = config or EngineConfig()
    return MemoryNeed(
        weights_bytes,
        read_bytes_per_token,
        spec.kv_bytes_per_token(*KV_BYTES[config.kv_dtype]),
        workspace_bytes(spec, config),
        process_bytes(spec),
        embedding_bytes if config.weights == "mapped" else 0,
        config.weights == "mapped",
    )


def plan(spec: ModelSpec, quality: Quality, memory_bytes: int, config: EngineConfig | None = None) -> Plan:
    """Of `memory_bytes` that the program may take in all."""
    config = config or EngineConfig()
    return plan_with(spec, quality, memory_need(spec, quality, config), memory_bytes, config)


def plan_with(spec: ModelSpec, quality: Quality, need: MemoryNeed, memory_bytes: int, config: EngineConfig) -> Plan:
    """The same for a need that is known."""
    context, tabs = what_fits(spec, need, memory_bytes, config)
    advice = () if context >= min(USEFUL_CONTEXT, spec.max_context) else _advice(spec, quality, memory_bytes, config)
    return Plan(quality, memory_bytes, need, context, tabs, advice)


def plans(spec: ModelSpec, memory_bytes: int, config: EngineConfig | None = None) -> tuple[Plan, ...]:
    """One for each quality, the smallest first."""
    return tuple(plan(spec, quality, memory_bytes, config) for quality in PRESETS)


def what_fits(
    spec: ModelSpec, need: MemoryNeed, memory_bytes: int, config: EngineConfig
) -> tuple[int, tuple[Tabs, ...]]:
    """The longest chat in tokens, and for each length how many chats fit beside each other."""
    block_bytes = need.kv_bytes_per_token * config.block_size
    num_blocks = max(0, memory_bytes - need.fixed_bytes) // block_bytes
    window = Window(spec.cache_window, config.block_size)
    context = window.longest_sequence(spec.max_context, num_blocks, config.max_batched_tokens)
    lengths = [length for length in CONTEXTS if length < spec.max_context] + [spec.max_context]
    counted = ((n, num_blocks // window.peak_blocks(0, n, config.max_batched_tokens)) for n in lengths)
    return context, tuple(Tabs(length, num_tabs) for length, num_tabs in counted if num_tabs)


def chat_bytes(spec: ModelSpec, need: MemoryNeed, num_tokens: int, config: EngineConfig) -> int:
    """The most that a chat of so many tokens holds in the cache at once, if it shares nothing."""
    window = Window(spec.cache_window, config.block_size)
    return window.peak_blocks(0, num_tokens, config.max_batched_tokens) * config.block_size * need.kv_bytes_per_token


def _advice(spec: ModelSpec, quality: Quality, memory_bytes: int, config: EngineConfig) -> tuple[str, ...]:
    need, wanted = memory_need(spec, quality, config), min(USEFUL_CONTEXT, spec.max_context)
    needed = need.total_bytes(wanted)
    sentences = [
        f"Needs {gib(needed)} for one chat of {wanted:,} tokens, {gib(memory_bytes)} given: "
        f"{gib(needed - memory_bytes)} more would do."
    ]
    in_int8 = memory_need(spec, quality, replace(config, kv_dtype="int8")).total_bytes(wanted)
    if in_int8 <= memory_bytes:
        sentences.append(f"With keys and values in eight bits it fits, with {gib(in_int8)}.")
    for smaller in PRESETS:
        if smaller == quality:
            break
        other = memory_need(spec, smaller, config).total_bytes(wanted)
        if other <= memory_bytes:
            sentences.append(f"In the quality {smaller} it fits, with {gib(other)}.")
            return tuple(sentences)
    bytes_per_weight = need.weights_bytes / num_weights(spec)
    room = memory_bytes - (needed - need.weights_bytes)
    if room > 0:
        billions = room / bytes_per_weight / 1e9
        sentences.append(f"In this quality, pick a model of at most some {billions:.1f} billion weights.")
    return tuple(sentences)


def gib(size_bytes: int) -> str:
    """`3.4 GiB`, `820 MiB`."""
    return f"{size_bytes / 2**30:.1f} GiB" if size_bytes >= 2**30 else f"{size_bytes / 2**20:.0f} MiB"
