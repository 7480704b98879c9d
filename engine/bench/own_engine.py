"""Our engine as a side of the benchmark: a core that is stepped as the engine's thread does, without the thread.

Knows nothing of workloads and reports.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine import __version__
from engine.backends import choose_backend
from engine.bench.protocol import Answer, Recorder, Task
from engine.bench.stages import STAGES, STEP, StageTimer, staged
from engine.config import EngineConfig, Weights
from engine.core import EngineCore
from engine.messages import RequestFailed, RequestFinished, SamplingParams, Submit, TextDelta
from engine.models.decoder import kv_bytes_per_token
from engine.serving import serve
from engine.store.checkpoint import Checkpoint
from engine.store.library import Library
from kernels.ops import Backend

_WEIGHTS: dict[Weights, str] = {"mapped": "mapped from a file", "memory": "in memory of the process's own"}


class OwnSide:
    """Raises RuntimeError if a request fails."""

    def __init__(self, core: EngineCore, backend: Backend, checkpoint: Checkpoint, facts: dict[str, Any]) -> None:
        self.core = core
        self.backend = backend
        self.checkpoint = checkpoint
        self.facts = facts
        self._num_tasks = 0

    def run(self, task: Task, on_all_decode: Callable[[], None] = lambda: None) -> list[Answer]:
        """`on_all_decode` is called once, when every ask has its first token."""
        # A domain of its own keeps a task from finding the blocks of the one before it.
        domain = f"bench {self._num_tasks}"
        self._num_tasks += 1
        recorder, has_begun = Recorder(task), False
        # Not only until all tokens are there: the step that makes the last one tells the end, too.
        while not recorder.is_done or self.core.num_live:
            for index in recorder.take_due():
                ask = task.asks[index]
                self.core.submit(
                    Submit(
                        str(index),
                        SamplingParams(temperature=0.0, max_tokens=ask.max_tokens, ignore_eos=True),
                        prompt=ask.prompt_ids,
                        security_domain=domain,
                        use_prefix_cache=task.reuses_prefixes,
                    )
                )
            self._step(recorder)
            if not has_begun and recorder.have_all_begun:
                has_begun = True
                on_all_decode()
        return recorder.answers()

    def _step(self, recorder: Recorder) -> None:
        new_ids: dict[int, list[int]] = {}
        for event in self.core.step():
            match event:
                case TextDelta(request_id, _, token_ids):
                    # A step with accepted guesses tells its tokens one by one, but they came together.
                    new_ids.setdefault(int(request_id), []).extend(token_ids)
                case RequestFinished(request_id):
                    answer = recorder.answer(int(request_id))
                    answer.num_cached_tokens = event.num_cached_tokens
                    answer.num_drafted_tokens = event.num_drafted_tokens
                    answer.num_accepted_tokens = event.num_accepted_tokens
                case RequestFailed(request_id, _, message):
                    raise RuntimeError(f"request {request_id}: {message}")
        for index, ids in new_ids.items():
            recorder.add(index, *ids)


def load(options: dict[str, Any]) -> OwnSide:
    """`options`: home, model, backend, num_threads, the tokens of the pool, and other fields of `EngineConfig`."""
    home, num_threads = Path(options["home"]), options["num_threads"]
    entry = Library(EngineConfig(home).models_dir).find(options["model"])
    backend = choose_backend(options["backend"], num_threads, options["config"].get("kv_dtype", "auto"))
    budget_bytes = options["pool_tokens"] * kv_bytes_per_token(entry.spec, backend)
    # Random prompts end in answers that go round in circles, which guessing would flatter.
    settings = {"speculation": "off", **options["config"]}
    config = EngineConfig(home, options["backend"], num_threads, kv_budget_bytes=budget_bytes, **settings)
    served = serve(entry, backend, config, lambda progress: None)
    checkpoint = Checkpoint.open(entry.path)
    layer = checkpoint.read_layer(0)
    kernels = {backend.describe(weight).kernel for weight in layer.matrices()}
    facts = {
        "name": "DeepInfer",
        "version": __version__,
        "backend": backend.name,
        "kernel": "; ".join(sorted(kernels)),
        "threads": num_threads,
        "blocks": f"{served.facts.num_blocks} of {served.facts.block_size} tokens",
        "weights": f"{served.facts.weight_bytes / 2**20:.0f} MiB, {_WEIGHTS[config.weights]}",
    }
    return OwnSide(served.core, backend, checkpoint, facts)


def obey(side: OwnSide, order: dict[str, Any]) -> Any:
    """What goes beyond tasks: the machine's limits, the kernels' speed, and where the time of decoding goes."""
    match order:
        case {"machine": _}:
            # They take torch, which an engine that is only measured must not have loaded.
            from engine.bench.machine_speed import measure_machine

            return measure_machine()
        case {"kernels": limits}:
            from engine.bench.kernel_cases import measure_kernels

            return measure_kernels(side.checkpoint, side.backend, limits)
        case {"profile": task}:
            timer = StageTimer()
            with staged(timer, side.backend):
                side.run(Task.from_json(task), on_all_decode=timer.reset)
            return {"stages": STAGES, "seconds": dict(timer.seconds), "num_steps": timer.num_calls[STEP]}
    raise ValueError(f"unknown order {order!r}")
