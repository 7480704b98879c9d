"""What a file would become is told before it is converted, and holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from gguf import GGMLQuantizationType as Kind

from engine.convert.inspection import inspect_source
from engine.convert.options import QuantizeOptions
from engine.convert.pipeline import Conversion, convert_file
from engine.errors import SourceError
from engine.store.library import Library
from tests.engine.tiny_models import write_tiny_gguf


def test_the_sizes_are_those_that_the_conversion_makes(tmp_path: Path) -> None:
    path = write_tiny_gguf(tmp_path / "tiny.gguf", "qwen2", Kind.F16)
    facts = inspect_source(path)
    sizes = dict(facts.weights_bytes)
    assert facts.name == "tiny"
    assert list(sizes) == [None, "smallest", "balanced", "faithful"]
    convert_file(
        tmp_path, Conversion(path, options=QuantizeOptions.of_quality("faithful")), lambda *_: None, lambda: False
    )
    model = Library(tmp_path / "models").find("tiny")
    assert model.spec == facts.spec
    assert sizes["faithful"] == pytest.approx(model.size_bytes, rel=0.1)
    assert sizes["smallest"] < sizes["faithful"]


def test_what_cannot_be_converted_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.gguf").write_text("no model")
    with pytest.raises(SourceError, match="is not a GGUF file"):
        inspect_source(tmp_path / "notes.gguf")
