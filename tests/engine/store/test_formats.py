"""What a conversion made of the matrices, told from the manifest alone."""

from dataclasses import replace
from pathlib import Path

from engine.store.formats import summarize_conversion
from engine.store.library import Library
from engine.store.manifest import Manifest, TensorFormat, read_manifest
from tests.engine.store.checkpoints import make_checkpoint


def tiny(tmp_path: Path, **formats: TensorFormat) -> Manifest:
    """The manifest of a small model, with other formats for some of its matrices."""
    manifest = read_manifest(make_checkpoint(tmp_path / "tiny"))
    changed = {name.replace("__", "."): form for name, form in formats.items()}
    assert changed.keys() <= manifest.quantization.keys(), (changed, manifest.quantization)
    exact = {name: replace(form, is_exact=True, error=None) for name, form in manifest.quantization.items()}
    return replace(manifest, quantization=exact | changed)


def test_a_model_that_is_exact_has_no_worst_matrix(tmp_path: Path) -> None:
    summary = summarize_conversion(tiny(tmp_path))
    assert (summary.worst, summary.max_error) == (None, None)
    assert summary.num_exact == summary.num_matrices > 0


def test_the_worst_matrix_is_named_with_its_error(tmp_path: Path) -> None:
    packed = TensorFormat(4, 32, False, "F16", False, 0.05)
    summary = summarize_conversion(tiny(tmp_path, layers__0__down=packed, layers__1__down=replace(packed, error=0.08)))
    assert (summary.worst, summary.max_error) == ("layers.1.down", 0.08)
    assert summary.num_matrices - summary.num_exact == 2
    (group,) = [group for group in summary.groups if group.form.bits == 4 and not group.form.is_exact]
    assert (group.label, group.layers, group.form.error) == ("down in layers 0-1", (0, 1), 0.08)


def test_a_group_that_is_not_in_all_layers_says_in_which(tmp_path: Path) -> None:
    packed = TensorFormat(4, 32, False, "F16", False, None)
    summary = summarize_conversion(tiny(tmp_path, layers__1__down=packed))
    assert "down in layers 1" in [group.label for group in summary.groups]
    assert summary.max_error is None


def test_the_library_lists_models_with_what_their_conversion_made(tmp_path: Path) -> None:
    make_checkpoint(tmp_path / "tiny")
    (entry,) = Library(tmp_path).list()
    assert entry.conversion == summarize_conversion(read_manifest(tmp_path / "tiny"))
