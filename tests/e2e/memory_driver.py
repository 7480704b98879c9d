"""Loads a model as the engine does, fills its pool, and prints what that took: `memory_driver.py HOME MODEL`."""

from __future__ import annotations

import gc
import json
import os
import sys
from pathlib import Path

from engine.backends import choose_backend
from engine.bench.memory import memory_of
from engine.config import EngineConfig
from engine.environment import prepare_environment
from engine.messages import SamplingParams, Submit
from engine.models.decoder import PagedPool
from engine.serving import serve
from engine.store.library import Library
from engine.store.prepared_file import PREPARED_FILE


def main(home: Path, model_id: str) -> None:
    prepare_environment()
    config = EngineConfig(home=home, kv_budget_bytes=96 << 20, swap_budget_bytes=0)
    backend = choose_backend("cpu", 2)
    before_bytes = memory_of(os.getpid()).private_bytes
    served = serve(Library(config.models_dir).find(model_id), backend, config, lambda progress: None)
    num_tokens = min(config.max_batched_tokens, served.facts.max_context - 8)
    served.core.submit(Submit("r", SamplingParams(max_tokens=4, ignore_eos=True), prompt=tuple([5] * num_tokens)))
    while served.core.num_live:
        served.core.step()
    for pool in [item for item in gc.get_objects() if type(item) is PagedPool]:
        # The system gives a block's memory when it is first written.
        pool.keys.fill(0)
        pool.values.fill(0)
    gc.collect()
    facts = served.facts
    print(
        json.dumps(
            {
                "before_bytes": before_bytes,
                "after_bytes": memory_of(os.getpid()).private_bytes + mapped_bytes(PREPARED_FILE),
                "weight_bytes": facts.weight_bytes,
                "num_cached_tokens": (facts.num_blocks + 1) * facts.block_size,
            }
        )
    )


def mapped_bytes(file_name: str) -> int:
    """What is resident of a mapped file."""
    total_bytes, is_of_file = 0, False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        first = line.split(None, 1)[0]
        if not first.endswith(":"):
            is_of_file = line.endswith(f"/{file_name}")
        elif first == "Rss:" and is_of_file:
            total_bytes += int(line.split()[1]) << 10
    return total_bytes


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
