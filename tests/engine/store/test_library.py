"""Listing shows complete models only; finding says what there is."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from engine.errors import CheckpointError, ModelNotFoundError
from engine.store.folders import add_model_folder
from engine.store.layout import layer_file
from engine.store.library import Library
from tests.engine.store.checkpoints import SPEC, make_checkpoint


def test_a_missing_folder_is_an_empty_library(tmp_path: Path) -> None:
    assert Library(tmp_path / "none").list() == []


def test_models_are_listed_by_id_with_their_facts(tmp_path: Path) -> None:
    for name in ("b", "a"):
        make_checkpoint(tmp_path / name)
    listed = Library(tmp_path).list()
    assert [model.model_id for model in listed] == ["a", "b"]
    assert listed[0].spec == SPEC
    assert listed[0].source == "tiny.gguf"
    files = (path for path in (tmp_path / "a").rglob("*") if path.is_file() and path.name != "manifest.json")
    assert listed[0].size_bytes == sum(path.stat().st_size for path in files)


def test_damaged_renamed_and_foreign_folders_are_not_listed(tmp_path: Path) -> None:
    make_checkpoint(tmp_path / "whole")
    (make_checkpoint(tmp_path / "damaged") / layer_file(0)).unlink()
    make_checkpoint(tmp_path / "first").rename(tmp_path / "second")
    make_checkpoint(tmp_path / "x").rename(tmp_path / "x.partial")
    (tmp_path / "photos").mkdir()
    (tmp_path / "file").write_text("")
    assert [model.model_id for model in Library(tmp_path).list()] == ["whole"]


def test_damaged_models_are_told_with_what_is_wrong_and_foreign_folders_are_not(tmp_path: Path) -> None:
    (make_checkpoint(tmp_path / "damaged") / layer_file(0)).unlink()
    (make_checkpoint(tmp_path / "nameless") / "manifest.json").unlink()
    make_checkpoint(tmp_path / "first").rename(tmp_path / "second")
    (tmp_path / "extension").mkdir()
    (tmp_path / "extension" / "manifest.json").write_text('{"name": "an extension of a browser"}')
    (tmp_path / "photos").mkdir()
    library = Library(tmp_path)
    damaged, nameless, second = library.damaged()
    assert (damaged.model_id, damaged.name, damaged.is_remade) == ("damaged", "Tiny", True)
    assert "0000.safetensors is missing" in damaged.problem
    assert damaged.disk_bytes > 10_000
    assert (nameless.name, nameless.is_remade) == ("nameless", False)
    assert "no manifest.json" in nameless.problem
    assert "holds the model first" in second.problem
    with pytest.raises(CheckpointError, match="is missing"):
        library.find("damaged")


def test_a_damaged_copy_of_a_model_that_is_whole_elsewhere_is_not_told(tmp_path: Path) -> None:
    (make_checkpoint(tmp_path / "models" / "a") / layer_file(0)).unlink()
    make_checkpoint(tmp_path / "drive" / "a")
    add_model_folder(tmp_path / "models", tmp_path / "drive")
    library = Library(tmp_path / "models")
    assert [model.path for model in library.list()] == [tmp_path / "drive" / "a"]
    assert not library.damaged()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("num_layers", "30"),
        ("num_layers", 3_000_000_000),
        ("num_layers", 1000),
        ("max_context", None),
        ("max_context", -1),
        ("rms_norm_eps", None),
        ("sliding_window", 0),
        ("activation", "x"),
        ("family", None),
    ],
)
def test_a_manifest_of_impossible_numbers_hides_its_model_and_no_other(
    tmp_path: Path, field: str, value: object
) -> None:
    make_checkpoint(tmp_path / "good")
    path = make_checkpoint(tmp_path / "bad") / "manifest.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    data["spec"][field] = value
    path.write_text(json.dumps(data), encoding="utf-8")
    assert [model.model_id for model in Library(tmp_path).list()] == ["good"]


def test_a_model_is_found_by_its_id_or_its_catalogue_id(tmp_path: Path) -> None:
    make_checkpoint(tmp_path / "smollm2-135m-instruct")
    library = Library(tmp_path)
    assert library.find("smollm2-135m-instruct") == library.find("starter")


def test_a_name_that_only_one_model_has_finds_it(tmp_path: Path) -> None:
    make_checkpoint(tmp_path / "a")
    assert Library(tmp_path).find("tiny").model_id == "a"
    make_checkpoint(tmp_path / "b")
    with pytest.raises(ModelNotFoundError, match="models: a, b"):
        Library(tmp_path).find("tiny")


@pytest.mark.parametrize("name", ["nope", "..", "../a", "", "a/b"])
def test_an_unknown_name_says_what_there_is(tmp_path: Path, name: str) -> None:
    make_checkpoint(tmp_path / "a")
    with pytest.raises(ModelNotFoundError, match=r"models: a\)"):
        Library(tmp_path).find(name)


def test_a_catalogue_model_that_is_not_here_names_the_next_step(tmp_path: Path) -> None:
    with pytest.raises(ModelNotFoundError, match="`python -m engine fetch starter`"):
        Library(tmp_path).find("starter")


def test_listing_needs_no_torch() -> None:
    code = "import sys, engine.store.library; sys.exit('torch' in sys.modules or 'numpy' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
