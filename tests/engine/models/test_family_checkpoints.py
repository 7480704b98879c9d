"""Families from their file through conversion and checkpoint to an engine that answers, against transformers."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor

from engine.cache.snapshot import read_snapshot, write_snapshot
from engine.commands.execution import describe_execution
from engine.config import EngineConfig
from engine.convert.options import QuantizeOptions
from engine.convert.pipeline import Conversion, convert_file
from engine.messages import PromptLogprobs, RequestFinished, SamplingParams, Submit
from engine.serving import serve
from engine.store.checkpoint import Checkpoint
from engine.store.layout import layer_matrices
from engine.store.library import Library
from kernels.backends import load_backend
from tests.engine.convert.test_gguf_families import CASES, OPTIONS, write
from tests.engine.models.test_families import random_ids
from tests.engine.models.tiny_families import FAMILIES, TinyFamily, expected_logits, export, make_model
from tests.engine.tiny_models import vocabulary

NUM_TOKENS = 45
"""Three blocks, and far beyond the windows."""
MAX_ERROR = 0.15
"""Root mean square of the log-probabilities' errors, in nats: what eight bits of weights and activations cost."""


@pytest.mark.parametrize("backend_name", ["reference", "cpu"])
@pytest.mark.parametrize("name", ["gemma3", "phi4-mini", "olmo2", "qwen2-moe", "deepseek2", "gptneox"])
def test_prompt_is_as_probable_as_in_transformers(name: str, backend_name: str, tmp_path: Path) -> None:
    family = TinyFamily(FAMILIES[name].prefix, FAMILIES[name].options | OPTIONS.get(name, {}))
    model = make_model(family, vocab_size=len(vocabulary()[0]))
    exported = export(model, tmp_path / "safetensors")
    source = write(exported, CASES[name], tmp_path / "model.gguf")
    convert_file(tmp_path, Conversion(source, "tiny", QuantizeOptions(8)), lambda *progress: None, lambda: False)
    entry, backend = Library(tmp_path / "models").find("tiny"), load_backend(backend_name)
    assert entry.num_parameters == sum(values.numel() for values in exported.state.values())
    told = describe_execution(Checkpoint.open(entry.path), backend)
    assert all(label in str(told) for label in layer_matrices(entry.spec, entry.spec.num_layers - 1))
    config = EngineConfig(tmp_path, max_batched_tokens=144, max_prompt_chunk=128, kv_budget_bytes=1 << 23)
    served = serve(entry, backend, config, lambda progress: None)
    token_ids = random_ids(NUM_TOKENS)
    params = SamplingParams(temperature=0.0, max_tokens=2, ignore_eos=True, prompt_logprobs=0)
    served.core.submit(Submit("r", params, prompt=tuple(token_ids), owner="chat"))
    events = []
    while served.core.num_live:
        events += served.core.step()
        served.core.check_invariants()
    assert isinstance(events[-1], RequestFinished), events[-1]
    told = [each.logprob for event in events if isinstance(event, PromptLogprobs) for each in event.logprobs]
    wanted = logprobs(expected_logits(model, token_ids), token_ids)
    assert float((torch.tensor(told) - wanted).square().mean().sqrt()) < MAX_ERROR
    saved = served.core.prefixes.save("chat")
    write_snapshot(tmp_path / "prefix", saved)
    restored = read_snapshot(tmp_path / "prefix", served.core.prefixes.identity, saved.scope, 100)
    assert [bytes(side) for side in restored.contents.sides] == [bytes(side) for side in saved.contents.sides]
    assert len(saved.digests) == NUM_TOKENS // config.block_size


def logprobs(logits: Tensor, token_ids: list[int]) -> Tensor:
    """Each token's log-probability after those before it, the first's left out: float32 [n - 1]."""
    rows = torch.log_softmax(logits[:-1], dim=-1)
    return rows.gather(1, torch.tensor(token_ids[1:]).unsqueeze(1)).squeeze(1)
