"""A file becomes a listed model: once, whole, resumable, and only if it fits."""

import errno
import io
import json
import os
import sys
from collections import namedtuple
from pathlib import Path
from types import SimpleNamespace

import pytest
from gguf import GGMLQuantizationType as Kind

from engine.convert.options import QuantizeOptions
from engine.convert.pipeline import Conversion, Converted, convert_file
from engine.errors import (
    CheckpointError,
    EngineError,
    InvalidRequestError,
    JobCancelledError,
    SourceError,
    StorageError,
)
from engine.store.checkpoint import Checkpoint
from engine.store.layout import GENERATION_FILE, MANIFEST_FILE, layer_file
from engine.store.library import Library
from engine.store.lock import exclusive
from tests.engine.tiny_models import CHAT_TEMPLATE, tiny_gguf, write_tiny_gguf

Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_tiny_gguf(tmp_path / "Tiny Model.gguf", "qwen2", Kind.Q4_1)


def convert(home: Path, conversion: Conversion) -> Converted:
    return convert_file(home, conversion, lambda stage, done, total, left_s=None: None, lambda: False)


def listed(home: Path) -> list[str]:
    return [model.model_id for model in Library(home / "models").list()]


def test_a_converted_file_is_listed_verified_and_complete(tmp_path: Path, source: Path) -> None:
    stages: list[tuple[str, int, int]] = []
    converted = convert_file(
        tmp_path,
        Conversion(source),
        lambda stage, done, total, left_s=None: stages.append((stage, done, total)),
        lambda: False,
    )
    assert converted == Converted("tiny-model", False)
    model = Library(tmp_path / "models").find("tiny-model")
    assert (model.name, model.license, model.source) == ("Tiny Model", "apache-2.0", "Tiny Model.gguf")
    checkpoint = Checkpoint.open(model.path)
    checkpoint.verify()
    assert checkpoint.chat_template == CHAT_TEMPLATE
    assert checkpoint.manifest.end_token_ids == (0, 2)
    assert [stage for stage in stages if stage[0] == "convert"] == [("convert", done, 2) for done in range(3)]
    size_bytes = checkpoint.manifest.size_bytes
    assert stages[-1] == ("verify", size_bytes, size_bytes)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names of files are text")
def test_a_file_whose_name_is_no_text_becomes_a_model_whose_name_is(tmp_path: Path, source: Path) -> None:
    odd = source.rename(tmp_path / os.fsdecode(b"Tiny \xff\xfe.gguf"))
    convert(tmp_path, Conversion(odd))
    (model,) = Library(tmp_path / "models").list()
    assert (model.name, model.source) == ("Tiny \ufffd\ufffd", "Tiny \ufffd\ufffd.gguf")


def test_converting_again_does_nothing(tmp_path: Path, source: Path) -> None:
    convert(tmp_path, Conversion(source))
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "models").rglob("*")}
    assert convert(tmp_path, Conversion(source)).was_there
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "models").rglob("*")} == before


def test_other_options_need_another_name(tmp_path: Path, source: Path) -> None:
    convert(tmp_path, Conversion(source))
    with pytest.raises(InvalidRequestError, match=r"other options \(bits auto, groups of 32\).*--name"):
        convert(tmp_path, Conversion(source, options=QuantizeOptions(3)))
    convert(tmp_path, Conversion(source, "Small", QuantizeOptions(3)))
    assert listed(tmp_path) == ["small", "tiny-model"]


def test_another_file_needs_another_name(tmp_path: Path, source: Path) -> None:
    convert(tmp_path, Conversion(source))
    other = tiny_gguf("qwen2", seed=1).write(tmp_path / "other.gguf")
    with pytest.raises(InvalidRequestError, match=r"another file \(Tiny Model\.gguf\)"):
        convert(tmp_path, Conversion(other, "tiny model"))


def test_a_name_never_leaves_the_models_folder(tmp_path: Path, source: Path) -> None:
    home = tmp_path / "home"
    convert(home, Conversion(source, "../../outside"))
    assert listed(home) == ["outside"]
    assert not (tmp_path / "outside").exists()


def cancelled_after(num_checks: int):
    checks = iter(range(num_checks))
    return lambda: next(checks, None) is None


def test_cancelled_anywhere_it_resumes_to_the_same_model(tmp_path: Path, source: Path) -> None:
    whole = tmp_path / "whole"
    convert(whole, Conversion(source))
    wanted = Checkpoint.open(whole / "models" / "tiny-model").manifest
    home = tmp_path / "home"
    num_cancelled = 0
    for num_checks in range(0, 400, 7):
        try:
            convert_file(home, Conversion(source), lambda *progress: None, cancelled_after(num_checks))
        except JobCancelledError:
            num_cancelled += 1
            assert listed(home) == []
        else:
            break
    assert num_cancelled > 3
    assert Checkpoint.open(home / "models" / "tiny-model").manifest == wanted


def test_a_source_that_turns_out_damaged_leaves_nothing_behind(tmp_path: Path) -> None:
    tiny = tiny_gguf()
    tiny.tensors["blk.1.ffn_down.weight"][0, 0] = float("nan")
    with pytest.raises(SourceError, match=r"blk\.1\.ffn_down"):
        convert(tmp_path, Conversion(tiny.write(tmp_path / "model.gguf", Kind.F16)))
    assert list((tmp_path / "models").iterdir()) == []


def test_too_little_space_is_said_beforehand_with_both_numbers(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.store.files.shutil.disk_usage", lambda path: Usage(10**9, 10**9, 1 << 10))
    with pytest.raises(StorageError, match=r"Needs 0\.\d MB in .*, 0\.0 MB free") as raised:
        convert(tmp_path, Conversion(source))
    assert "\n" not in str(raised.value)
    assert not (tmp_path / "models").exists()


def test_a_disk_that_fills_up_leaves_a_rest_to_resume(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_replace = os.replace

    def fail_on_last_layer(old: Path, new: Path) -> None:
        if Path(new).name == "0001.safetensors":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real_replace(old, new)

    with monkeypatch.context() as patch:
        patch.setattr("engine.store.files.os.replace", fail_on_last_layer)
        with pytest.raises(StorageError, match="disk is full"):
            convert(tmp_path, Conversion(source))
    assert listed(tmp_path) == []
    assert (tmp_path / "models" / "tiny-model.partial" / layer_file(0)).exists()
    convert(tmp_path, Conversion(source))
    assert listed(tmp_path) == ["tiny-model"]


def test_a_disk_without_room_is_refused_before_the_source_is_read_through(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[object] = []
    with monkeypatch.context() as patch:
        patch.setattr("engine.store.files.shutil.disk_usage", lambda path: SimpleNamespace(free=1000))
        with pytest.raises(StorageError, match=r"Needs .* MB in .*, 0\.0 MB free"):
            convert_file(tmp_path, Conversion(source), lambda *progress: told.append(progress), lambda: False)
    assert told == []


def test_a_model_in_the_making_is_refused_to_a_second_maker(tmp_path: Path, source: Path) -> None:
    with (
        exclusive(tmp_path / "locks" / "tiny-model.lock", "busy"),
        pytest.raises(StorageError, match="Tiny Model is being converted by another"),
    ):
        convert(tmp_path, Conversion(source))


def test_a_damaged_model_is_made_again(tmp_path: Path, source: Path) -> None:
    convert(tmp_path, Conversion(source))
    (tmp_path / "models" / "tiny-model" / layer_file(1)).unlink()
    assert not convert(tmp_path, Conversion(source)).was_there
    assert listed(tmp_path) == ["tiny-model"]


def test_a_model_with_a_changed_byte_is_made_again(tmp_path: Path, source: Path) -> None:
    convert(tmp_path, Conversion(source))
    path = tmp_path / "models" / "tiny-model" / layer_file(1)
    good = path.read_bytes()
    path.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
    assert not convert(tmp_path, Conversion(source)).was_there
    assert path.read_bytes() == good


def change_manifest(folder: Path, **values: object) -> None:
    path = folder / MANIFEST_FILE
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"format_version": 4}, r"format version 4, this program reads 3.*another name"),
        ({"model_id": "mine"}, r"holds the model mine: give the folder that name"),
        ({"spec": {}}, r"manifest\.json is damaged .*remove the folder"),
        ({"model_id": 5}, r"manifest\.json is damaged .*remove the folder"),
    ],
)
@pytest.mark.parametrize("is_incomplete", [False, True])
def test_a_model_that_is_not_known_is_refused_and_left_alone(
    tmp_path: Path, source: Path, values: dict[str, object], message: str, is_incomplete: bool
) -> None:
    convert(tmp_path, Conversion(source))
    folder = tmp_path / "models" / "tiny-model"
    change_manifest(folder, **values)
    if is_incomplete:
        (folder / layer_file(0)).unlink()
    before = contents(folder)
    with pytest.raises(CheckpointError, match=message):
        convert(tmp_path, Conversion(source))
    assert contents(folder) == before


def test_an_incomplete_model_of_another_file_is_left_alone(tmp_path: Path, source: Path) -> None:
    convert(tmp_path, Conversion(source))
    folder = tmp_path / "models" / "tiny-model"
    (folder / layer_file(0)).unlink()
    before = contents(folder)
    other = tiny_gguf("qwen2", seed=1).write(tmp_path / "other.gguf")
    with pytest.raises(InvalidRequestError, match="another file"):
        convert(tmp_path, Conversion(other, "tiny model"))
    assert contents(folder) == before


@pytest.mark.parametrize("name", [MANIFEST_FILE, GENERATION_FILE, layer_file(0)])
def test_a_model_that_cannot_be_read_is_left_alone(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    convert(tmp_path, Conversion(source))
    folder = tmp_path / "models" / "tiny-model"
    before = contents(folder)
    real_open = io.open

    def forbid(file: object, *arguments: object, **options: object) -> object:
        if str(file) == str(folder / name):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(file))
        return real_open(file, *arguments, **options)  # type: ignore[call-overload]

    with monkeypatch.context() as patch:
        patch.setattr("io.open", forbid)
        with pytest.raises(CheckpointError, match=r"Cannot read .*Permission denied.*check its permissions"):
            convert(tmp_path, Conversion(source))
    assert contents(folder) == before


def test_a_foreign_folder_of_the_same_name_is_left_alone(tmp_path: Path, source: Path) -> None:
    photos = tmp_path / "models" / "tiny-model"
    photos.mkdir(parents=True)
    (photos / "cat.jpg").write_text("meow")
    with pytest.raises(CheckpointError, match="in the way"):
        convert(tmp_path, Conversion(source))
    assert (photos / "cat.jpg").read_text() == "meow"


def test_a_group_that_does_not_fit_fails_before_anything_is_written(tmp_path: Path, source: Path) -> None:
    with pytest.raises(EngineError, match="rows of 96 weights, groups of 64"):
        convert(tmp_path, Conversion(source, options=QuantizeOptions(4, 64)))
    assert not (tmp_path / "models").exists()
