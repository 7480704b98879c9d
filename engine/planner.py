"""What this machine has, how much of it a model's cache may take, and what models need before they are there.

Imports no torch; knows nothing of tensors. The door to `engine.planning`.
"""

from __future__ import annotations

import os
import platform
import shutil
from dataclasses import dataclass
from pathlib import Path

import psutil

from engine.cache.window import Window
from engine.config import EngineConfig
from engine.errors import OutOfMemoryError
from engine.messages import ModelLoaded, Quality
from engine.planning.conversion_time import conversion_s
from engine.planning.known_models import KnownModel, known_models
from engine.planning.memory_use import MemoryUse, memory_use
from engine.planning.plan import MemoryNeed, Plan, Tabs, chat_bytes, memory_need, need_of, plan, plan_with, plans
from engine.planning.recommended import Recommended, best_of, recommended
from engine.planning.verdict import LEAST_CONTEXT, FitKind, Verdict, verdict_of
from engine.spec import ModelSpec
from engine.store.files import nearest_existing

__all__ = [
    "LEAST_CONTEXT",
    "POOL_CONTEXTS",
    "POOL_SHARE",
    "FitKind",
    "KnownModel",
    "Machine",
    "MemoryNeed",
    "MemoryUse",
    "Plan",
    "Recommended",
    "Tabs",
    "Verdict",
    "best_of",
    "chat_blocks",
    "chat_bytes",
    "conversion_s",
    "known_models",
    "machine",
    "memory_need",
    "memory_use",
    "num_physical_cores",
    "num_pool_blocks",
    "plan",
    "plan_here",
    "plans",
    "read_bytes_of",
    "recommended",
    "verdict_of",
]

POOL_SHARE = 0.25
"""Of the free memory, for the block pool, where the user has set no budget."""
POOL_CONTEXTS = 4
"""The pool need not hold more than so many full contexts."""
_MIN_POOL_TOKENS = 1024
"""With less than one short chat a model is of no use."""


@dataclass(frozen=True, slots=True)
class Machine:
    """Sizes in bytes, free as of now."""

    cpu_name: str
    num_cores: int
    memory_bytes: int
    memory_free_bytes: int
    disk_free_bytes: int


def machine(home: Path) -> Machine:
    """This machine, with the free space of the disk that holds (or will hold) `home`."""
    memory = psutil.virtual_memory()
    return Machine(
        cpu_name=_cpu_name(),
        num_cores=num_physical_cores(),
        memory_bytes=memory.total,
        memory_free_bytes=memory.available,
        disk_free_bytes=shutil.disk_usage(nearest_existing(home)).free,
    )


def num_physical_cores() -> int:
    """Cores this process may use, without hyper-threads: arithmetic gains nothing from those."""
    physical = psutil.cpu_count(logical=False) or os.cpu_count() or 1
    try:
        allowed = len(psutil.Process().cpu_affinity() or ())
    except AttributeError:  # macOS has no affinity
        allowed = 0
    return max(1, min(physical, allowed or physical))


def num_pool_blocks(
    spec: ModelSpec,
    block_size: int,
    kv_token_bytes: int,
    memory_free_bytes: int,
    budget_bytes: int | None,
    max_chunk: int,
) -> int:
    """Blocks of the KV pool: by the user's budget, else a share of the free memory, at most some full contexts.

    A token takes `kv_token_bytes` over all layers; a context that is computed in chunks of at most `max_chunk` tokens
    takes what the model's window leaves of it.
    Raises `OutOfMemoryError` if that is too little for one short chat, or if the budget is more than is free.
    """
    block_bytes = block_size * kv_token_bytes
    share_bytes = int(memory_free_bytes * POOL_SHARE) if budget_bytes is None else budget_bytes
    num_blocks = share_bytes // block_bytes
    window = Window(spec.cache_window, block_size)
    short_chat = min(_MIN_POOL_TOKENS, spec.max_context)
    needed = window.peak_blocks(0, short_chat, max_chunk)
    if num_blocks < needed:
        whose = f"a quarter of the {_mib(memory_free_bytes)} of free memory" if budget_bytes is None else "the budget"
        raise OutOfMemoryError(
            f"The KV cache needs {_mib(needed * block_bytes)} at least, for {short_chat} tokens; {whose} is "
            f"{_mib(share_bytes)}: close other programs, raise the budget or pick a smaller model"
        )
    if budget_bytes is not None:
        if budget_bytes > memory_free_bytes:
            raise OutOfMemoryError(
                f"The KV cache's budget is {_mib(budget_bytes)}, {_mib(memory_free_bytes)} of memory are free: "
                "lower the budget or close other programs"
            )
        return num_blocks
    return min(num_blocks, POOL_CONTEXTS * window.peak_blocks(0, spec.max_context, max_chunk))


def chat_blocks(model: ModelLoaded, num_tokens: int) -> int:
    """The most blocks of the pool that a chat of so many tokens holds at once, if it shares none."""
    return Window(model.cache_window, model.block_size).peak_blocks(0, num_tokens, model.max_chunk)


def read_bytes_of(spec: ModelSpec, weights_bytes: int) -> int:
    """How many bytes a token reads of weights that take so many: neither experts that it does not use, nor a table."""
    need = memory_need(spec, "balanced")
    return weights_bytes * need.read_bytes_per_token // need.weights_bytes


def plan_here(
    spec: ModelSpec,
    quality: Quality,
    memory_free_bytes: int,
    config: EngineConfig | None = None,
    weights_bytes: int | None = None,
) -> Plan:
    """What loading the model would lay out in so much free memory: the weights, and the pool of `num_pool_blocks`.

    `Plan.memory_bytes` is what it would take in all; the rest stays free for other programs. `weights_bytes` are those
    of a model that is there, whatever its quality.
    """
    config = config or EngineConfig()
    need = memory_need(spec, quality, config)
    if weights_bytes is not None:
        looked_up_bytes = weights_bytes * need.looked_up_bytes // need.weights_bytes
        need = need_of(spec, weights_bytes, read_bytes_of(spec, weights_bytes), config, looked_up_bytes)
    left_bytes = max(0, memory_free_bytes - need.fixed_bytes)
    block_bytes = config.block_size * need.kv_bytes_per_token
    try:
        num_blocks = num_pool_blocks(
            spec,
            config.block_size,
            need.kv_bytes_per_token,
            left_bytes,
            config.kv_budget_bytes,
            config.max_batched_tokens,
        )
    except OutOfMemoryError:
        num_blocks = int(left_bytes * POOL_SHARE) // block_bytes
    memory_bytes = min(memory_free_bytes, need.fixed_bytes + num_blocks * block_bytes)
    return plan_with(spec, quality, need, memory_bytes, config)


def _mib(size_bytes: int) -> str:
    return f"{size_bytes / 2**20:.1f} MiB"


def _cpu_name() -> str:
    if platform.system() == "Linux":
        try:
            lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            lines = []
        for line in lines:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine() or "CPU"
