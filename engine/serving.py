"""A model of the library made ready to serve: decoder, text, pool and core, put together for one backend."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

import psutil

from engine.cache.identity import CacheIdentity
from engine.cache.kv_cache import KVCache
from engine.cache.swap import PreemptionCosts
from engine.config import EngineConfig
from engine.core import EngineCore
from engine.environment import return_free_memory
from engine.errors import PART_IS_MISSING, BackendError, OutOfMemoryError
from engine.forward.runner import Runner
from engine.messages import ModelLoaded, ModelLoadProgress
from engine.models.decoder import POOL_LAYOUT, kv_bytes_per_token
from engine.models.loading import load_decoder
from engine.planner import num_pool_blocks
from engine.planning.plan import KV_BYTES
from engine.planning.workspace import workspace_bytes
from engine.requests import RequestReader
from engine.scheduler import Scheduler, SchedulerLimits
from engine.speculation.loading import ServedSizes, find_draft_model, make_speculator
from engine.store.checkpoint import Checkpoint
from engine.store.library import ModelEntry
from engine.text.own_system import own_system_tokens
from engine.text.reasoning import OPEN
from engine.text.template import ChatTemplate, choose_template
from engine.text.tokenizer import Tokenizer
from kernels.kv_rows import scale_bytes
from kernels.ops import Backend

_CHUNK_ALIGNMENT = 128
"""The tile of rows in which torch multiplies and attends."""
_COPY_BYTES_PER_S = 2e9
"""What copying scattered blocks does on a laptop, either way."""
_FIRST_COMPUTE_S_PER_TOKEN = 1e-3
"""Until it is measured."""


_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ServedModel:
    """A loaded model."""

    core: EngineCore
    facts: ModelLoaded


def serve(
    entry: ModelEntry, backend: Backend, config: EngineConfig, on_progress: Callable[[ModelLoadProgress], None]
) -> ServedModel:
    """Load a model and give it a pool.

    Raises `CheckpointError` for a damaged model, `OutOfMemoryError` if weights or pool do not fit, and what
    `find_draft_model` raises.
    """
    try:
        return _serve(entry, backend, config, on_progress)
    except ImportError as error:
        # Torch, which mixtures of experts and latent attention take.
        _log.error("%s cannot be run: %s", entry.name, error)
        raise BackendError(f"{entry.name} cannot be run: {PART_IS_MISSING}") from error
    except (RuntimeError, MemoryError) as error:
        # torch reports a failed allocation as a bare RuntimeError.
        if isinstance(error, RuntimeError) and "alloc" not in str(error):
            raise
        free_mib = psutil.virtual_memory().available / 2**20
        raise OutOfMemoryError(
            f"{entry.name} ({entry.size_bytes / 2**20:.0f} MiB of weights) does not fit the {free_mib:.0f} MiB of free "
            "memory: close other programs or pick a smaller model"
        ) from error


def _serve(
    entry: ModelEntry, backend: Backend, config: EngineConfig, on_progress: Callable[[ModelLoadProgress], None]
) -> ServedModel:
    checkpoint = Checkpoint.open(entry.path)
    spec = checkpoint.manifest.spec
    tokenizer = load_tokenizer(checkpoint)
    template = load_template(checkpoint, tokenizer)
    # Whether it can be used at all is known before anything is loaded.
    draft = find_draft_model(config, checkpoint)
    num_layers = spec.num_layers + (0 if draft is None else draft.manifest.spec.num_layers)
    decoder, weight_bytes = load_decoder(
        checkpoint,
        backend,
        lambda done, _: on_progress(ModelLoadProgress(entry.model_id, done, num_layers)),
        config.weights,
    )
    token_bytes = kv_bytes_per_token(spec, backend)
    free_bytes = psutil.virtual_memory().available
    max_chunk = config.max_batched_tokens
    num_blocks = num_pool_blocks(spec, config.block_size, token_bytes, free_bytes, config.kv_budget_bytes, max_chunk)
    block_bytes = token_bytes * config.block_size
    num_host_blocks = config.swap_budget_bytes // block_bytes
    cache = KVCache(num_blocks, config.block_size, num_host_blocks, spec.cache_window)
    pool_tokens = cache.window.longest_sequence(spec.max_context, num_blocks, max_chunk)
    reader = _reader(checkpoint, tokenizer, template, backend, config, pool_tokens)
    costs = PreemptionCosts(_FIRST_COMPUTE_S_PER_TOKEN, block_bytes / _COPY_BYTES_PER_S)
    scheduler = Scheduler(cache, _limits(config, backend), costs)
    runner = Runner(decoder, backend, num_blocks, config.block_size, num_host_blocks)
    speculator, draft_bytes = make_speculator(
        config,
        draft,
        backend,
        ServedSizes(weight_bytes, num_blocks, block_bytes),
        lambda done, _: on_progress(ModelLoadProgress(entry.model_id, spec.num_layers + done, num_layers)),
    )
    # Of a vocabulary's parsing and a rotation table's making as much is left as they needed.
    return_free_memory()
    core = EngineCore(reader, runner, cache, scheduler, time.monotonic, block_bytes, speculator)
    sizes = (weight_bytes + draft_bytes, num_blocks, config.block_size, token_bytes, workspace_bytes(spec, config))
    in_int8 = spec.kv_bytes_per_token(*KV_BYTES["int8"])
    names = (entry.model_id, entry.name, backend.name)
    own_system = own_system_tokens(template, tokenizer)
    facts = ModelLoaded(*names, spec.max_context, *sizes, in_int8, spec.cache_window, max_chunk, own_system)
    return ServedModel(core, facts)


def _reader(
    checkpoint: Checkpoint,
    tokenizer: Tokenizer,
    template: ChatTemplate,
    backend: Backend,
    config: EngineConfig,
    pool_tokens: int,
) -> RequestReader:
    """What reads requests for the model; `pool_tokens` is the longest sequence that its pool holds alone."""
    spec = checkpoint.manifest.spec
    return RequestReader(
        tokenizer,
        template,
        _cache_identity(checkpoint, backend, config.block_size),
        spec.max_context,
        pool_tokens,
        config.default_max_tokens,
        config.reply_reserve,
        spec.vocab_size,
        frozenset(checkpoint.manifest.end_token_ids),
        config.max_running_sequences,
        rope=spec.rope,
        knows_thinking=OPEN in template.source or tokenizer.knows(OPEN),
    )


def _limits(config: EngineConfig, backend: Backend) -> SchedulerLimits:
    return SchedulerLimits(
        config.max_batched_tokens,
        config.max_running_sequences,
        config.max_waiting_requests,
        config.max_prompt_chunk,
        config.watermark,
        config.ageing_s,
        # Where one kernel does all rows alike, a prompt may be cut anywhere.
        1 if backend.wide_rows is None else _CHUNK_ALIGNMENT,
        wide_rows=backend.wide_rows,
        max_stretch=config.max_stretch,
    )


def load_tokenizer(checkpoint: Checkpoint) -> Tokenizer:
    manifest = checkpoint.manifest
    return Tokenizer(checkpoint.tokenizer_path, manifest.bos_token_id, manifest.adds_bos)


def load_template(checkpoint: Checkpoint, tokenizer: Tokenizer) -> ChatTemplate:
    """The model's own template, or a common form if it has none that works."""
    manifest = checkpoint.manifest
    eos = next(iter(manifest.end_token_ids), None)
    has_chatml = tokenizer.knows("<|im_start|>") and tokenizer.knows("<|im_end|>")
    tokens = (tokenizer.token(manifest.bos_token_id), tokenizer.token(eos))
    return choose_template(checkpoint.chat_template, *tokens, has_chatml)


def _cache_identity(checkpoint: Checkpoint, backend: Backend, block_size: int) -> CacheIdentity:
    manifest = checkpoint.manifest
    spec = manifest.spec
    formats = {f"{tensor.bits} bits in groups of {tensor.group_size}" for tensor in manifest.quantization.values()}
    return CacheIdentity(
        model_name=manifest.name,
        weights_digest=manifest.weights_digest,
        tokenizer_digest=manifest.tokenizer_digest,
        quantization=", ".join(sorted(formats)),
        rope=repr(spec.rope),
        sliding_window=spec.cache_window,
        backend=backend.name,
        num_layers=spec.num_layers,
        num_kv_heads=spec.num_kv_heads,
        head_dim=spec.head_dim,
        block_size=block_size,
        # As files of prefixes have told it from the beginning.
        dtype=f"torch.{backend.kv_name}",
        element_bytes=backend.kv_dtype.itemsize,
        scale_bytes=scale_bytes(backend.kv_dtype),
        layout=POOL_LAYOUT,
        num_sides=spec.num_cache_sides,
    )
