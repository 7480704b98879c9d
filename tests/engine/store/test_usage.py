"""Every byte is in one item, and only what nobody works on is removed."""

from pathlib import Path

import pytest

from engine.jobs import model_care
from engine.messages import DeleteModel, MoveJob
from engine.store.lock import exclusive
from engine.store.usage import Usage
from tests.engine.store.checkpoints import make_checkpoint


def write(path: Path, size_bytes: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * size_bytes)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    for name in ("a", "b", "c"):
        make_checkpoint(home / "models" / name)
    model_care.delete(home, DeleteModel("b"))
    model_care.move(home, MoveJob("c", str(tmp_path / "elsewhere")), lambda *counts: None, lambda: False)
    write(home / "models" / "d.partial" / "layers" / "0000.safetensors", 1000)
    write(home / "models" / ".removed-e" / "embed.safetensors", 2000)
    write(home / "models" / "photos" / "one.jpg", 3000)
    write(home / "downloads" / "hub-model-0123456789ab" / "model.gguf.partial", 4000)
    write(home / "downloads" / "starter" / "attempt-x" / "some.whl", 5000)
    write(home / "cache" / "repacked" / "a", 6000)
    write(home / "models" / "a" / "prepared.bin", 500)
    write(home / "chats.sqlite3", 7000)
    write(home / "settings.json", 100)
    write(tmp_path / "elsewhere" / "letter.txt", 10)
    return home


def test_every_byte_is_counted_once(home: Path, tmp_path: Path) -> None:
    report = Usage(home).report()
    sizes = {path: path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()}
    # What else is in another folder of models is none of ours.
    assert report.total_bytes() == sum(sizes.values()) - 10
    kinds = {"partial": 1000, "leftover": 2000, "download": 9000, "cache": 6500, "chats": 7000}
    assert {kind: report.total_bytes(kind) for kind in kinds} == kinds
    assert {item.model_id: item.path for item in report.items if item.kind == "model"} == {
        "a": str(home / "models" / "a"),
        "c": str(tmp_path / "elsewhere" / "c"),
    }
    (trashed,) = [item for item in report.items if item.kind == "trash"]
    assert trashed.model_id == "b"
    assert [folder.path for folder in report.folders] == [str(home / "models"), str(tmp_path / "elsewhere")]


def test_a_folder_of_models_inside_the_data_folder_counts_once(home: Path, tmp_path: Path) -> None:
    model_care.move(home, MoveJob("a", str(home / "more models")), lambda *counts: None, lambda: False)
    sizes = {path: path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()}
    assert Usage(home).report().total_bytes() == sum(sizes.values()) - 10


def test_cleaning_up_removes_remains_and_nothing_else(home: Path) -> None:
    before = Usage(home).report()
    num_items, freed_bytes = Usage(home).clean_up()
    assert (num_items, freed_bytes) == (4, 12000)
    after = Usage(home).report()
    assert before.total_bytes() - after.total_bytes() == 12000
    assert {item.kind for item in after.items} == {"model", "trash", "cache", "chats", "other"}
    assert Usage(home).clean_up(tuple(item.path for item in after.items)) == (2, 6500)
    assert {item.kind for item in Usage(home).report().items} == {"model", "trash", "chats", "other"}


def test_of_paths_that_are_named_only_those_go(home: Path) -> None:
    path = str(home / "downloads" / "starter")
    assert Usage(home).clean_up((path, str(home / "chats.sqlite3"), str(home / "models" / "a"))) == (1, 5000)
    kinds = [item.kind for item in Usage(home).report().items]
    assert kinds.count("download") == 1
    assert "chats" in kinds


def test_what_is_worked_on_is_told_and_stays(home: Path) -> None:
    with (
        exclusive(home / "locks" / "d.lock", ""),
        exclusive(home / "locks" / "fetch-starter.lock", ""),
        exclusive(home / "locks" / "hub-model-0123456789ab.lock", ""),
    ):
        items = Usage(home).report().items
        assert {item.name for item in items if item.is_in_use} == {"d.partial", "starter", "hub-model-0123456789ab"}
        assert not any(item.is_in_use and item.is_removable for item in items)
        assert Usage(home).clean_up() == (1, 2000)


def test_links_are_not_followed(home: Path, tmp_path: Path) -> None:
    write(tmp_path / "far" / "large.bin", 100_000)
    (home / "linked").symlink_to(tmp_path / "far")
    (home / "models" / "x.partial").symlink_to(tmp_path / "far")
    assert Usage(home).report().total_bytes() < 400_000
    assert Usage(home).report().total_bytes("partial") < 2000
    Usage(home).clean_up()
    assert (tmp_path / "far" / "large.bin").stat().st_size == 100_000


def test_a_data_folder_that_is_not_there_is_empty(tmp_path: Path) -> None:
    assert Usage(tmp_path / "none").report().items == ()
