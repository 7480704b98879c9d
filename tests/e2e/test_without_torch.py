"""What every start and every answer would wait and pay for: torch is not loaded where native kernels compute."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.e2e.conftest import ROOT

_DRIVER = """
import queue, sys
from dataclasses import replace
from pathlib import Path
from engine.api import EngineConfig, EngineHandle
from engine.messages import EngineDied, LoadModel, ModelLoaded, RequestFailed, RequestFinished, SamplingParams, Submit

events = queue.SimpleQueue()
handle = EngineHandle(
    EngineConfig(Path(sys.argv[1]), num_threads=2, kv_budget_bytes=64 << 20, kv_dtype=sys.argv[2]),
    lambda batch: [events.put(event) for event in batch],
)
handle.start()
handle.send(LoadModel(sys.argv[3]))
ALL = [
    SamplingParams(temperature=0.0),
    SamplingParams(temperature=0.8, top_k=40, top_p=0.9, min_p=0.02, seed=1),
    SamplingParams(temperature=1.0, typical_p=0.8, seed=2),
    SamplingParams(temperature=0.7, repetition_penalty=1.2, frequency_penalty=0.3, presence_penalty=0.2, seed=3),
    SamplingParams(logit_bias=((5, 2.0),), banned_token_ids=(7,), min_tokens=4, logprobs=3, prompt_logprobs=1, seed=4),
]
num_open = None
while num_open != 0:
    event = events.get(timeout=120)
    assert not isinstance(event, EngineDied | RequestFailed), event
    if isinstance(event, ModelLoaded):
        for number, params in enumerate(ALL):
            params = replace(params, max_tokens=12)
            handle.send(Submit(str(number), params, prompt="The ferry leaves at noon, the ferry leaves at"))
        num_open = len(ALL)
    if isinstance(event, RequestFinished):
        num_open -= 1
assert handle.close()
print(sorted({"torch", "transformers", "huggingface_hub"} & set(sys.modules)))
"""


def test_an_engine_that_answers_has_not_loaded_torch(starter_home: Path) -> None:
    for kv_dtype in ("auto", "int8"):
        command = [sys.executable, "-c", _DRIVER, str(starter_home), kv_dtype, "smollm2-135m-instruct"]
        result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
        assert result.returncode == 0, result.stderr
        assert result.stdout.strip() == "[]"
