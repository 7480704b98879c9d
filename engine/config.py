"""Where data lives and how large the engine may grow. Standard library and platformdirs only."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import platformdirs

Speculation = Literal["off", "lookup", "draft"]
Weights = Literal["mapped", "memory"]
KvDtype = Literal["auto", "int8"]

HOME_VARIABLE = "DEEPINFER_HOME"


def default_home() -> Path:
    """The data folder: `DEEPINFER_HOME` if set, else the platform's place for user data."""
    named = os.environ.get(HOME_VARIABLE)
    return Path(named).expanduser() if named else Path(platformdirs.user_data_dir("DeepInfer", appauthor=False))


def assets_dir() -> Path:
    """The folder of data files (catalogue, themes, icons) that ship with the program."""
    return Path(__file__).resolve().parent.parent / "assets"


@dataclass(frozen=True, slots=True)
class EngineConfig:
    """Limits of one engine. Counts are in tokens, blocks or requests as named; sizes in bytes."""

    home: Path = field(default_factory=default_home)
    backend: str = "cpu"
    num_threads: int | None = None
    """Arithmetic threads; None takes the physical cores."""
    block_size: int = 16
    max_batched_tokens: int = 512
    """The token budget of one step."""
    max_prompt_chunk: int = 256
    """Tokens of one prompt in one step while others want some too, so that long prompts advance together."""
    max_stretch: float | None = 2.0
    """How many times as long the tokens of running answers may take to come while a prompt is computed beside them."""
    max_running_sequences: int = 16
    max_waiting_requests: int = 64
    watermark: float = 0.01
    """Share of the pool that stays free when a request is admitted, so that it does not preempt at its first step."""
    ageing_s: float = 20.0
    """After so long a wait a request counts as one priority more urgent."""
    swap_budget_bytes: int = 256 << 20
    """Host memory for the blocks of preempted requests."""
    default_max_tokens: int = 4096
    """Bound of an answer whose request names none: enough for one that thinks first, and an end for one that repeats
    itself. No blocks are kept for it."""
    reply_reserve: int = 1024
    """Tokens that a chat which may drop turns leaves to such an answer, or a quarter of the context if that is less."""
    kv_budget_bytes: int | None = None
    """Bytes for the block pool; None lets the planner choose from the memory that is free."""
    weights: Weights = "mapped"
    """Mapped from a file beside the model that keeps its matrices as the kernels read them, so that they are loaded at
    once and the system may share and drop their pages; or repacked into the process's own memory each time."""
    kv_dtype: KvDtype = "auto"
    """How keys and values are kept: as the backend likes best (half floats on the CPU), or in eight bits with a scale
    for each token and head, which takes little more than half the memory (ADR 21)."""
    speculation: Speculation = "lookup"
    """Who guesses the next tokens, several of which are then verified at once: the text before them, or a model."""
    draft_model: str | None = None
    """The model of the library that guesses; of the same vocabulary, and much smaller to be of use."""

    @property
    def models_dir(self) -> Path:
        return self.home / "models"
