"""Models and a catalogue made by hand for the pages' tests."""

from __future__ import annotations

from pathlib import Path

from app.models.host import Host
from engine.api import ModelEntry
from engine.catalog import CatalogEntry
from engine.messages import ModelLoaded
from engine.rope_spec import RopeSpec
from engine.spec import ModelSpec

SPEC = ModelSpec("llama", 30, 576, 9, 3, 64, 1536, 49152, 8192, 1e-5, RopeSpec(1e4), False, True)
SMALL = ModelEntry("small", "SmolLM2 135M", Path("small"), SPEC, 98_000_000, "apache-2.0", "SmolLM2.Q4_1.gguf")
OTHER = ModelEntry("other", "通义千问 2.5 3B", Path("other"), SPEC, 1_800_000_000, None, "qwen.gguf")
STARTER = CatalogEntry(
    "starter", "small", "SmolLM2 135M", "package", "1", "member", 98_000_000, 94_000_000, "0" * 64, "apache-2.0",
    "Small, for trying out.",
)  # fmt: skip
MACHINE = Host("A CPU", 4, 16 * 1024**3, 9 * 1024**3, 41_000_000_000)


def loaded(entry: ModelEntry) -> ModelLoaded:
    return ModelLoaded(entry.model_id, entry.name, "cpu", 8192, 10**8, 64, 16, 1024)
