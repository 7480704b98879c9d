"""What the planner says a model takes, held against what loading it and filling its cache really takes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from gguf import GGMLQuantizationType as Kind

from engine.convert.options import QuantizeOptions
from engine.convert.pipeline import Conversion, convert_file
from engine.messages import Quality
from engine.planner import memory_need
from engine.planning.plan import need_of
from engine.store.checkpoint import Checkpoint
from tests.e2e.conftest import ROOT
from tests.engine.tiny_models import TinyShape, tiny_gguf


def measured(home: Path, model_id: str) -> dict[str, int]:
    command = [sys.executable, "-m", "tests.e2e.memory_driver", str(home), model_id]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    found: dict[str, int] = json.loads(result.stdout)
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="the other systems count private memory in other ways")
def test_the_starter_takes_what_is_predicted(starter_home: Path) -> None:
    spec = Checkpoint.open(starter_home / "models" / "smollm2-135m-instruct").manifest.spec
    found = measured(starter_home, "smollm2-135m-instruct")
    need = need_of(spec, found["weight_bytes"], found["weight_bytes"])
    assert need.total_bytes(found["num_cached_tokens"]) == pytest.approx(found["after_bytes"], rel=0.05)


@pytest.mark.skipif(sys.platform != "linux", reason="the other systems count private memory in other ways")
@pytest.mark.parametrize("family", ["llama", "qwen2"])
@pytest.mark.parametrize("quality", ["smallest", "balanced", "faithful"])
def test_a_tiny_model_takes_what_is_predicted(tmp_path: Path, family: str, quality: Quality) -> None:
    shape = TinyShape(num_layers=3, hidden_size=256, intermediate_size=512, max_context=1024)
    source = tiny_gguf(family, shape=shape).write(tmp_path / "tiny.gguf", Kind.F16)
    conversion = Conversion(source, "Tiny", QuantizeOptions.of_quality(quality))
    convert_file(tmp_path, conversion, lambda *progress: None, lambda: False)
    need = memory_need(Checkpoint.open(tmp_path / "models" / "tiny").manifest.spec, quality)
    found = measured(tmp_path, "tiny")
    assert need.weights_bytes == pytest.approx(found["weight_bytes"], rel=0.01)
    assert need.total_bytes(found["num_cached_tokens"]) == pytest.approx(found["after_bytes"], rel=0.05)
