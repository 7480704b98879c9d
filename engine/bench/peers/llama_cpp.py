"""llama.cpp as a side, through the batch interface of llama-cpp-python's bindings.

Driven as its own server drives it: slots, running sequences before prompts in each batch, and a prompt goes to the free
slot that has most of it cached already. The next token is taken by numpy's argmax, which is faster than its sampler.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import llama_cpp
import numpy as np

from engine.bench.protocol import Answer, Recorder, Task, serve

_BATCH_TOKENS = 512
_SPARE_TOKENS = 16
_MAX_WASTE = 2.0


@dataclass(slots=True)
class _Slot:
    """One sequence of the cache. `cached` are the tokens it holds; `pending` those of its ask that it does not yet."""

    ask: int | None = None
    cached: list[int] = field(default_factory=list)
    pending: list[int] = field(default_factory=list)


class LlamaCppSide:
    """Raises RuntimeError if llama.cpp does."""

    def __init__(self, model_path: str, num_threads: int) -> None:
        llama_cpp.llama_backend_init()
        self._silence = llama_cpp.llama_log_callback(lambda level, text, data: None)
        llama_cpp.llama_log_set(self._silence, ctypes.c_void_p(0))
        params = llama_cpp.llama_model_default_params()
        params.n_gpu_layers = 0
        self._model = llama_cpp.llama_model_load_from_file(model_path.encode(), params)
        if not self._model:
            raise RuntimeError(f"llama.cpp cannot load {model_path}")
        self._vocab_size = llama_cpp.llama_vocab_n_tokens(llama_cpp.llama_model_get_vocab(self._model))
        self._num_threads = num_threads
        self._batch = llama_cpp.llama_batch_init(_BATCH_TOKENS, 0, 1)
        self.facts: dict[str, Any] = {
            "name": "llama.cpp",
            "version": f"llama-cpp-python {llama_cpp.__version__}",
            "kernel": llama_cpp.llama_print_system_info().decode(),
            "threads": num_threads,
        }

    def run(self, task: Task) -> list[Answer]:
        slots, context = self._open(task)
        recorder = Recorder(task)
        try:
            while not recorder.is_done:
                for index in recorder.take_due():
                    self._admit(task, index, slots, context, recorder)
                self._step(slots, context, recorder)
            return recorder.answers()
        finally:
            llama_cpp.llama_free(context)

    def _open(self, task: Task) -> tuple[list[_Slot], Any]:
        """A context that just holds the task: making it is not counted, so it is made anew for each."""
        lengths = [len(ask.prompt_ids) + ask.max_tokens + _SPARE_TOKENS for ask in task.asks]
        num_slots = max_concurrent(task)
        params = llama_cpp.llama_context_default_params()
        # A part of the cache for each sequence is faster than one that they share, but all parts are as long as the
        # longest needs.
        params.kv_unified = max(lengths) * num_slots > _MAX_WASTE * sum(lengths)
        params.n_ctx = sum(lengths) if params.kv_unified else max(lengths) * num_slots
        params.n_batch = params.n_ubatch = _BATCH_TOKENS
        params.n_seq_max = num_slots
        params.n_threads = params.n_threads_batch = self._num_threads
        context = llama_cpp.llama_init_from_model(self._model, params)
        if not context:
            raise RuntimeError(f"llama.cpp has no memory for a cache of {params.n_ctx} tokens")
        return [_Slot() for _ in range(num_slots)], context

    def _admit(self, task: Task, index: int, slots: list[_Slot], context: Any, recorder: Recorder) -> None:
        prompt = task.asks[index].prompt_ids
        number, slot = max(
            ((number, slot) for number, slot in enumerate(slots) if slot.ask is None),
            key=lambda pair: common_prefix(pair[1].cached, prompt),
        )
        # The last token of a prompt is always computed: its logits are needed.
        num_cached = min(common_prefix(slot.cached, prompt), len(prompt) - 1) if task.reuses_prefixes else 0
        llama_cpp.llama_memory_seq_rm(llama_cpp.llama_get_memory(context), number, num_cached, -1)
        slot.ask, slot.cached, slot.pending = index, list(prompt[:num_cached]), list(prompt[num_cached:])
        recorder.answer(index).num_cached_tokens = num_cached

    def _step(self, slots: list[_Slot], context: Any, recorder: Recorder) -> None:
        chosen: list[tuple[int, _Slot]] = []
        self._batch.n_tokens = 0
        # The shortest first: one pending token is a sequence that decodes.
        for number, slot in sorted(enumerate(slots), key=lambda pair: len(pair[1].pending)):
            if self._fill(number, slot):
                chosen.append((self._batch.n_tokens - 1, slot))
        code = llama_cpp.llama_decode(context, self._batch)
        if code != 0:
            raise RuntimeError(f"llama_decode failed with code {code}")
        for row, slot in chosen:
            assert slot.ask is not None, slot
            logits = llama_cpp.llama_get_logits_ith(context, row)
            token_id = int(np.ctypeslib.as_array(logits, (self._vocab_size,)).argmax())
            recorder.add(slot.ask, token_id)
            slot.pending = [token_id]
            if recorder.has_all(slot.ask):
                slot.ask, slot.pending = None, []

    def _fill(self, number: int, slot: _Slot) -> bool:
        """Put what fits of a slot's pending tokens into the batch; True if these are all, so that a token follows."""
        batch = self._batch
        taken = slot.pending[: _BATCH_TOKENS - batch.n_tokens]
        is_whole = bool(taken) and len(taken) == len(slot.pending)
        for token_id in taken:
            row = batch.n_tokens
            batch.token[row], batch.pos[row] = token_id, len(slot.cached)
            batch.n_seq_id[row], batch.seq_id[row][0] = 1, number
            batch.logits[row] = False
            slot.cached.append(token_id)
            batch.n_tokens += 1
        if is_whole:
            batch.logits[batch.n_tokens - 1] = True
        slot.pending = slot.pending[len(taken) :]
        return is_whole


def max_concurrent(task: Task) -> int:
    """How many asks of a task may run at once, if one that waits for another's last token runs after it."""
    num_after_ends = sum(
        ask.after is not None and ask.after[1] >= task.asks[ask.after[0]].max_tokens for ask in task.asks
    )
    return max(1, len(task.asks) - num_after_ends)


def common_prefix(first: Sequence[int], second: Sequence[int]) -> int:
    """How many leading tokens are the same."""
    count = 0
    for a, b in zip(first, second, strict=False):
        if a != b:
            break
        count += 1
    return count


def load(options: dict[str, Any]) -> LlamaCppSide:
    """`options`: the path of a GGUF file as `model_path`, and num_threads."""
    return LlamaCppSide(options["model_path"], options["num_threads"])


if __name__ == "__main__":
    serve(load)
