"""A conversion that is killed at any moment goes on from there, to the same files bit for bit."""

import sys
from pathlib import Path

import pytest
from gguf import GGMLQuantizationType as Kind

from engine.convert.options import QuantizeOptions
from tests.engine.convert.kill_conversion import kill_often
from tests.engine.tiny_models import TinyShape, tiny_gguf


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_killed_at_random_moments_it_ends_in_the_same_files(tmp_path: Path) -> None:
    shape = TinyShape(num_layers=3, hidden_size=64, intermediate_size=128)
    source = tiny_gguf("qwen2", shape=shape).write(tmp_path / "Tiny.gguf", Kind.F16)
    options = QuantizeOptions(3, 32, table_bits=8, method="calibrated")
    outcome = kill_often(source, options, tmp_path, min_kills=5, kills_each=6, seed=1)
    assert outcome.num_kills >= 5
    assert outcome.differing == ()
