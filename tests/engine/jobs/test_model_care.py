"""Renaming, moving, throwing away and taking back, undisturbed and cut off: a model is whole, or it is gone."""

import errno
import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.errors import (
    BusyError,
    CheckpointError,
    EngineError,
    InvalidRequestError,
    JobCancelledError,
    ModelNotFoundError,
    NoRoomError,
)
from engine.jobs import model_care
from engine.messages import CleanUp, DeleteModel, EmptyTrash, MoveJob, RenameModel, RestoreModel, VerifyJob
from engine.store import files
from engine.store.folders import add_model_folder
from engine.store.layout import layer_file
from engine.store.library import Library, ModelEntry
from engine.store.lock import exclusive
from engine.store.trash import KEPT_DAYS
from engine.store.usage import Usage
from tests.engine.store.checkpoints import make_checkpoint
from tests.engine.store.killing import killed_after, was_killed

DAY_S = 86400.0


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_checkpoint(tmp_path_factory.mktemp("made") / "a")


@pytest.fixture
def home(tmp_path: Path, checkpoint: Path) -> Path:
    return new_home(tmp_path / "home", checkpoint)


def new_home(home: Path, checkpoint: Path) -> Path:
    shutil.copytree(checkpoint, home / "models" / "a")
    return home


def models(home: Path) -> list[ModelEntry]:
    return Library(home / "models").list()


def verify(home: Path, model_id: str = "a") -> str:
    return model_care.verify(home, VerifyJob(model_id), lambda stage, done, total: None, lambda: False)


def move(home: Path, folder: Path, is_cancelled: Callable[[], bool] = lambda: False) -> list[str]:
    stages: list[str] = []
    model_care.move(home, MoveJob("a", str(folder)), lambda stage, done, total: stages.append(stage), is_cancelled)
    return stages


@pytest.fixture
def other_drive(monkeypatch: pytest.MonkeyPatch) -> None:
    """Renaming out of or into "other drive" is refused, as between two drives."""
    real = os.replace

    def replace(source: Path, target: Path) -> None:
        if ("other drive" in str(source)) != ("other drive" in str(target)):
            raise OSError(errno.EXDEV, "Invalid cross-device link", str(source))
        real(source, target)

    monkeypatch.setattr(os, "replace", replace)


def test_a_renamed_model_keeps_its_id_and_its_files(home: Path) -> None:
    event = model_care.rename(home, RenameModel("a", " Привет, мир 模型 "))
    assert (event.model_id, event.name) == ("a", "Привет, мир 模型")
    assert [model.name for model in models(home)] == ["Привет, мир 模型"]
    assert Library(home / "models").find("привет, мир 模型").model_id == "a"
    assert verify(home) == "a"


@pytest.mark.parametrize("name", ["", "  ", "two\nlines", "x" * 121, "b", "TINY B"])
def test_a_name_that_is_none_or_taken_is_refused(home: Path, checkpoint: Path, name: str) -> None:
    path = shutil.copytree(checkpoint, home / "models" / "b") / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"model_id": "b", "name": "Tiny B"}))
    with pytest.raises(InvalidRequestError):
        model_care.rename(home, RenameModel("a", name))
    assert models(home)[0].name == "Tiny"


def test_renaming_writes_an_old_manifest_in_the_version_of_this_program(home: Path) -> None:
    path = home / "models" / "a" / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format_version": 1}))
    model_care.rename(home, RenameModel("a", "new"))
    assert json.loads(path.read_text())["format_version"] > 1
    assert verify(home) == "a"


def test_a_deleted_model_is_in_the_trash_and_comes_back(home: Path) -> None:
    deleted = model_care.delete(home, DeleteModel("a"))
    assert (deleted.model_id, deleted.name) == ("a", "Tiny")
    assert models(home) == []
    assert deleted.trash_id is not None
    assert model_care.restore(home, RestoreModel(deleted.trash_id)).model_id == "a"
    assert verify(home) == "a"
    assert model_care.storage(home).total_bytes("trash") == 0


def test_a_damaged_model_can_be_thrown_away_and_taken_back(home: Path) -> None:
    (home / "models" / "a" / layer_file(0)).unlink()
    (size_bytes,) = [item.size_bytes for item in model_care.storage(home).items if item.model_id == "a"]
    deleted = model_care.delete(home, DeleteModel("a"))
    assert (deleted.name, deleted.size_bytes) == ("Tiny", size_bytes)
    assert deleted.trash_id is not None
    assert model_care.storage(home).total_bytes("trash") == size_bytes
    assert model_care.restore(home, RestoreModel(deleted.trash_id)).model_id == "a"
    assert [model.model_id for model in Library(home / "models").damaged()] == ["a"]


def test_a_model_is_not_taken_back_over_another(home: Path, checkpoint: Path) -> None:
    trash_id = model_care.delete(home, DeleteModel("a")).trash_id
    assert trash_id is not None
    shutil.copytree(checkpoint, home / "models" / "a")
    with pytest.raises(InvalidRequestError, match="a model a again"):
        model_care.restore(home, RestoreModel(trash_id))
    model_care.delete(home, DeleteModel("a"))
    assert len([item for item in model_care.storage(home).items if item.kind == "trash"]) == 2


def test_the_trash_is_emptied_on_request(home: Path, checkpoint: Path) -> None:
    first = model_care.delete(home, DeleteModel("a")).trash_id
    shutil.copytree(checkpoint, home / "models" / "a")
    second = model_care.delete(home, DeleteModel("a")).trash_id
    assert first is not None
    assert second is not None
    assert first != second
    assert model_care.empty_trash(home, EmptyTrash((first,))).num_items == 1
    assert [item.trash_id for item in model_care.storage(home).items if item.kind == "trash"] == [second]
    freed = model_care.empty_trash(home, EmptyTrash())
    assert freed.freed_bytes > 10_000
    assert model_care.empty_trash(home, EmptyTrash()).num_items == 0
    with pytest.raises(ModelNotFoundError):
        model_care.restore(home, RestoreModel(second))


@pytest.mark.parametrize("trash_id", ["", "..", "../a", "1-0-../../x", "1-0-a"])
def test_an_id_that_is_not_in_the_trash_is_refused(home: Path, trash_id: str) -> None:
    with pytest.raises(ModelNotFoundError, match="in the trash"):
        model_care.restore(home, RestoreModel(trash_id))
    with pytest.raises(ModelNotFoundError, match="in the trash"):
        model_care.empty_trash(home, EmptyTrash((trash_id,)))


def test_what_lies_in_the_trash_for_long_goes_by_itself(home: Path) -> None:
    model_care.delete(home, DeleteModel("a"))
    now = next(item for item in model_care.storage(home).items if item.kind == "trash").changed_at
    assert model_care.expire_trash(home, now + (KEPT_DAYS - 1) * DAY_S) == 0
    assert model_care.expire_trash(home, now + (KEPT_DAYS + 1) * DAY_S) == 1
    assert model_care.storage(home).total_bytes("trash") == 0


def test_what_cannot_be_removed_from_the_trash_keeps_nothing_else_there(
    home: Path, checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model_care.delete(home, DeleteModel("a"))
    shutil.copytree(checkpoint, home / "models" / "a")
    model_care.delete(home, DeleteModel("a"))
    held_open: list[Path] = []

    def refuse_one(path: Path, remove_tree: Callable[[Path], None] = shutil.rmtree) -> None:
        if not held_open:
            held_open.append(path)
            raise PermissionError(errno.EACCES, "held open", str(path))
        remove_tree(path)

    monkeypatch.setattr("engine.store.folders.shutil.rmtree", refuse_one)
    now = max(item.changed_at for item in model_care.storage(home).items if item.kind == "trash")
    assert model_care.expire_trash(home, now + (KEPT_DAYS + 1) * DAY_S) == 1
    assert list((home / "models" / ".trash").iterdir()) == held_open


def test_a_model_is_deleted_for_good_when_asked(home: Path) -> None:
    assert model_care.delete(home, DeleteModel("a", is_final=True)).trash_id is None
    assert list((home / "models").iterdir()) == []


@pytest.mark.usefixtures("other_drive")
@pytest.mark.parametrize("folder", ["same drive", "other drive/Модели 模型/with space"])
def test_a_moved_model_is_listed_in_its_new_place_and_comes_back(home: Path, folder: str) -> None:
    place = home.parent / folder
    stages = move(home, place)
    assert [model.path for model in models(home)] == [place / "a"]
    assert verify(home) == "a"
    assert set(stages) == (set() if folder == "same drive" else {"move", "verify"})
    trash_id = model_care.delete(home, DeleteModel("a")).trash_id
    assert trash_id is not None
    assert models(home) == []
    model_care.restore(home, RestoreModel(trash_id))
    for _ in range(2):
        move(home, home / "models")
    assert [model.path for model in models(home)] == [home / "models" / "a"]
    assert not (place / "a").exists()


@pytest.mark.parametrize("name", ["place" + chr(0xDCFF), "place\ufffd"])
def test_a_folder_whose_name_is_no_text_or_was_lost_is_no_place_for_models(home: Path, name: str) -> None:
    with pytest.raises(InvalidRequestError, match="choose another folder, or rename it first"):
        move(home, home.parent / name)
    assert not (home.parent / name).exists()
    assert [model.path for model in models(home)] == [home / "models" / "a"]


def test_a_folder_is_looked_at_as_long_as_something_of_it_is_there(home: Path) -> None:
    place = home.parent / "place"

    def folders() -> list[Path]:
        return Library(home / "models").folders()[1:]

    move(home, place)
    assert folders() == [place]
    model_care.delete(home, DeleteModel("a"))
    assert folders() == [place]
    model_care.empty_trash(home, EmptyTrash())
    assert folders() == []
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("is_there", [True, False])
def test_a_folder_that_its_last_model_left_is_forgotten_but_no_drive_that_is_not_there(
    home: Path, is_there: bool
) -> None:
    place = home.parent / "place"
    move(home, place)
    if not is_there:
        add_model_folder(home / "models", home.parent / "gone")
    move(home, home / "models")
    assert Library(home / "models").folders()[1:] == ([] if is_there else [home.parent / "gone"])
    assert [model.path for model in models(home)] == [home / "models" / "a"]


@pytest.mark.skipif(sys.platform == "win32", reason="there the path gets a prefix, of which tests/engine/store tells")
def test_paths_of_any_length_do(tmp_path: Path, checkpoint: Path) -> None:
    home = new_home(tmp_path / ("ä b" * 30) / ("模型 " * 20 + "x") / ("long " * 40 + "x"), checkpoint)
    assert len(str(home)) > 300
    move(home, home.parent / ("other " * 40 + "x"))
    assert verify(home) == "a"
    model_care.delete(home, DeleteModel("a"))
    assert models(home) == []


def test_a_folder_that_is_no_place_for_models_is_refused(home: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (home / "models" / "a", home / "models" / "inner", tmp_path / "file"):
        with pytest.raises(InvalidRequestError):
            move(home, folder)
    assert verify(home) == "a"


def test_what_is_in_the_way_is_not_touched(home: Path, tmp_path: Path) -> None:
    (tmp_path / "place" / "a").mkdir(parents=True)
    (tmp_path / "place" / "a" / "letter.txt").write_text("dear")
    with pytest.raises(InvalidRequestError, match="in the way"):
        move(home, tmp_path / "place")
    assert (tmp_path / "place" / "a" / "letter.txt").read_text() == "dear"
    assert verify(home) == "a"


@pytest.mark.usefixtures("other_drive")
def test_a_drive_without_room_is_told_before_anything_is_copied(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "free_space", lambda folder: 1000)
    with pytest.raises(NoRoomError, match="other drive"):
        move(home, home.parent / "other drive")
    assert [model.path for model in models(home)] == [home / "models" / "a"]


@pytest.mark.usefixtures("other_drive")
def test_a_cancelled_move_leaves_the_model_and_goes_on_later(home: Path) -> None:
    calls = iter([False] * 6)
    with pytest.raises(JobCancelledError):
        move(home, home.parent / "other drive", lambda: next(calls, True))
    assert [model.path for model in models(home)] == [home / "models" / "a"]
    remains = [item for item in model_care.storage(home).items if item.kind == "leftover"]
    assert [item.name for item in remains] == [".moving-a"]
    move(home, home.parent / "other drive")
    assert verify(home) == "a"


@pytest.mark.usefixtures("other_drive")
def test_a_copy_that_is_damaged_is_not_taken(home: Path) -> None:
    path = home / "models" / "a" / layer_file(1)
    data = path.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(CheckpointError, match="differs"):
        move(home, home.parent / "other drive")
    assert [model.path for model in models(home)] == [home / "models" / "a"]
    assert model_care.storage(home).total_bytes("leftover") == 0


def test_a_model_that_is_being_made_is_left_alone(home: Path, tmp_path: Path) -> None:
    with exclusive(home / "locks" / "a.lock", "busy"):
        for attempt in (
            lambda: model_care.delete(home, DeleteModel("a")),
            lambda: model_care.rename(home, RenameModel("a", "b")),
            lambda: move(home, tmp_path / "place"),
        ):
            with pytest.raises(BusyError, match="being worked on"):
                attempt()
    assert verify(home) == "a"


def test_a_drive_that_is_not_there_hides_its_models_and_no_other(home: Path, checkpoint: Path) -> None:
    place = home.parent / "drive"
    move(home, place)
    new_home(home, checkpoint)
    place.rename(home.parent / "unplugged")
    assert [model.path for model in models(home)] == [home / "models" / "a"]
    assert [folder.free_bytes for folder in model_care.storage(home).folders][1] is None


def test_a_damaged_list_of_folders_is_told_and_not_written_over(home: Path, tmp_path: Path) -> None:
    (home / "models" / "folders.json").write_text('{"format_version": 7}')
    assert [model.model_id for model in models(home)] == ["a"]
    with pytest.raises(EngineError, match=r"folders\.json"):
        move(home, tmp_path / "place")
    assert (home / "models" / "folders.json").read_text() == '{"format_version": 7}'
    assert verify(home) == "a"


def test_verifying_names_the_file_that_differs(home: Path) -> None:
    path = home / "models" / "a" / layer_file(2)
    data = path.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(CheckpointError, match=r"0002\.safetensors differs"):
        verify(home)


ACTIONS = {
    "rename": lambda home: model_care.rename(home, RenameModel("a", "new")),
    "trash": lambda home: model_care.delete(home, DeleteModel("a")),
    "delete": lambda home: model_care.delete(home, DeleteModel("a", is_final=True)),
    "move": lambda home: move(home, home.parent / "place"),
    "move to another drive": lambda home: move(home, home.parent / "other drive"),
}


@pytest.mark.usefixtures("other_drive")
@pytest.mark.parametrize("action", ACTIONS)
def test_killed_at_any_moment_a_model_is_whole_or_gone(tmp_path: Path, checkpoint: Path, action: str) -> None:
    """And what was cut off can be done again, and nothing is left that cleaning up does not find."""
    num_calls = 0
    while True:
        home = new_home(tmp_path / str(num_calls) / "home", checkpoint)
        with killed_after(num_calls):
            ACTIONS[action](home)
        is_done = not was_killed()
        listed = [model.model_id for model in models(home)]
        in_trash = [item.model_id for item in model_care.storage(home).items if item.kind == "trash"]
        if listed:
            assert verify(home) == "a"
        else:
            assert action in ("trash", "delete")
        assert len(listed) + len(in_trash) == 1 or action == "delete"
        if not is_done and listed and action != "rename":
            ACTIONS[action](home)
        model_care.clean_up(home, CleanUp())
        kinds = {item.kind for item in Usage(home).report().items}
        assert kinds <= {"model", "trash", "other"}
        shutil.rmtree(home.parent)
        if is_done:
            break
        num_calls += 1
    assert num_calls > 3
