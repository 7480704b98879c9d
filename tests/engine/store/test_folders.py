"""Which folders are looked at, and how long paths are written for Windows."""

from pathlib import Path

import pytest

from engine.store.folders import add_model_folder, model_folders, reachable, remove_whole


def test_folders_are_kept_in_the_order_in_which_they_came(tmp_path: Path) -> None:
    assert model_folders(tmp_path) == [tmp_path]
    for name in ("b ü", "a 模型", "b ü"):
        add_model_folder(tmp_path, tmp_path / name)
    assert model_folders(tmp_path) == [tmp_path, tmp_path / "b ü", tmp_path / "a 模型"]


@pytest.mark.parametrize(
    "text", ["", "[]", '{"format_version": 1}', "[" * 100_000, '{"format_version":1,"folders":["x"]}']
)
def test_of_a_damaged_list_only_the_data_folder_is_left(tmp_path: Path, text: str) -> None:
    (tmp_path / "folders.json").write_text(text)
    assert model_folders(tmp_path) == [tmp_path]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("C:\\short", "C:\\short"),
        ("C:\\" + "x" * 200, "\\\\?\\C:\\" + "x" * 200),
        ("\\\\server\\share\\" + "x" * 200, "\\\\?\\UNC\\server\\share\\" + "x" * 200),
        ("\\\\?\\C:\\" + "x" * 200, "\\\\?\\C:\\" + "x" * 200),
    ],
)
def test_long_paths_are_written_so_that_windows_takes_them(
    monkeypatch: pytest.MonkeyPatch, text: str, written: str
) -> None:
    monkeypatch.setattr(Path, "absolute", lambda path: path)
    assert str(reachable(Path(text), "win32")) == written


def test_elsewhere_a_path_stays_as_it_is() -> None:
    path = Path("/" + "x" * 1000)
    assert reachable(path, "linux") is path


def test_what_an_earlier_deletion_has_left_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / ".removed-a").mkdir()
    (tmp_path / ".removed-a" / "rest").write_text("")
    for path in (tmp_path / "a", tmp_path / ".removed-a"):
        path.mkdir(exist_ok=True)
        remove_whole(path)
        assert list(tmp_path.iterdir()) == []
