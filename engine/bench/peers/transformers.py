"""transformers as a side: a loop over the model's own forward with its cache, on the weights of a GGUF file.

It has no prefix cache, and its batches begin and end together.
"""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Any

import torch
import transformers

from engine.bench.protocol import Answer, Recorder, Task, UnsupportedTaskError, serve


class TransformersSide:
    """`dtype` is that of weights and activations: `float32` or `bfloat16`."""

    def __init__(self, model_path: Path, num_threads: int, dtype: str) -> None:
        torch.set_num_threads(num_threads)
        self._model = transformers.AutoModelForCausalLM.from_pretrained(
            str(model_path.parent), gguf_file=model_path.name, dtype=getattr(torch, dtype)
        )
        self.facts: dict[str, Any] = {
            "name": "transformers",
            "version": f"{transformers.__version__} on torch {torch.__version__}",
            "kernel": f"torch {dtype}, weights of {model_path.name} written out",
            "threads": num_threads,
        }

    @torch.inference_mode()
    def run(self, task: Task) -> list[Answer]:
        for ask in task.asks:
            if ask.after is not None and ask.after[1] < task.asks[ask.after[0]].max_tokens:
                raise UnsupportedTaskError("takes no prompt in while others decode")
        recorder = Recorder(task)
        while not recorder.is_done:
            due = sorted(recorder.take_due(), key=lambda index: len(task.asks[index].prompt_ids))
            for _, group in groupby(due, key=lambda index: len(task.asks[index].prompt_ids)):
                self._run_batch(task, list(group), recorder)
        return recorder.answers()

    def _run_batch(self, task: Task, indexes: list[int], recorder: Recorder) -> None:
        """Prompts of one length, so that none needs padding; those with fewer tokens to make are computed along."""
        cache = transformers.DynamicCache(config=self._model.config)
        ids = torch.tensor([task.asks[index].prompt_ids for index in indexes])
        for _ in range(max(task.asks[index].max_tokens for index in indexes)):
            logits = self._model(input_ids=ids, past_key_values=cache, use_cache=True, logits_to_keep=1).logits
            ids = logits[:, -1].argmax(dim=-1, keepdim=True)
            for index, token_id in zip(indexes, ids.flatten().tolist(), strict=True):
                if not recorder.has_all(index):
                    recorder.add(index, token_id)


def load(options: dict[str, Any]) -> TransformersSide:
    """`options`: the path of a GGUF file as `model_path`, num_threads, dtype."""
    return TransformersSide(Path(options["model_path"]), options["num_threads"], options["dtype"])


if __name__ == "__main__":
    serve(load)
