"""OpenVINO GenAI as a side: its own continuous batching, on a model that was exported before.

docs/benchmarks/README.md tells how to export one; its weights are quantised anew, so they are not quite ours.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import openvino
import openvino_genai

from engine.bench.protocol import Answer, Recorder, Task, serve

_CACHE_GIB = 1
_BATCH_TOKENS = 512
_MAX_SEQUENCES = 16


class OpenVinoSide:
    """Whether prefixes are cached is settled when its pipeline is made, so there is one for each answer to that."""

    def __init__(self, model_path: str, num_threads: int) -> None:
        self._model_path = model_path
        self._num_threads = num_threads
        self._reuses_prefixes = False
        self._pipeline = self._make_pipeline()
        self._num_requests = 0
        self.facts: dict[str, Any] = {
            "name": "OpenVINO GenAI",
            "version": f"{openvino_genai.__version__} on OpenVINO {openvino.__version__}",
            "kernel": "CPU plugin, weights as exported",
            "threads": num_threads,
        }

    def run(self, task: Task) -> list[Answer]:
        if task.reuses_prefixes != self._reuses_prefixes:
            self._reuses_prefixes = task.reuses_prefixes
            del self._pipeline
            self._pipeline = self._make_pipeline()
        recorder = Recorder(task)
        handles: dict[int, Any] = {}
        while not recorder.is_done:
            for index in recorder.take_due():
                handles[index] = self._add(task, index)
                recorder.answer(index).num_cached_tokens = None
            self._pipeline.step()
            for index, handle in handles.items():
                while handle.can_read():
                    for output in handle.read().values():
                        recorder.add(index, *output.generated_ids)
        return recorder.answers()

    def _add(self, task: Task, index: int) -> Any:
        config = openvino_genai.GenerationConfig()
        config.max_new_tokens = config.min_new_tokens = task.asks[index].max_tokens
        config.ignore_eos, config.do_sample = True, False
        ids = openvino.Tensor(np.array([task.asks[index].prompt_ids], dtype=np.int64))
        self._num_requests += 1
        return self._pipeline.add_request(self._num_requests, ids, config)

    def _make_pipeline(self) -> Any:
        scheduler = openvino_genai.SchedulerConfig()
        scheduler.cache_size = _CACHE_GIB
        scheduler.max_num_batched_tokens = _BATCH_TOKENS
        scheduler.max_num_seqs = _MAX_SEQUENCES
        scheduler.enable_prefix_caching = self._reuses_prefixes
        options = {"INFERENCE_NUM_THREADS": self._num_threads}
        return openvino_genai.ContinuousBatchingPipeline(self._model_path, scheduler, "CPU", options)


def load(options: dict[str, Any]) -> OpenVinoSide:
    """`options`: the folder of an exported model as `model_path`, and num_threads."""
    return OpenVinoSide(options["model_path"], options["num_threads"])


if __name__ == "__main__":
    serve(load)
