"""Nobody's name leaves in what is written of paths, whatever system they are of and however they are quoted."""

from __future__ import annotations

import json
from pathlib import PurePath, PurePosixPath, PureWindowsPath
from urllib.parse import quote

import pytest

from app.desktop.personal_paths import without_people

WINDOWS = PureWindowsPath("C:\\Users\\Lisa Müller")
LINUX = PurePosixPath("/home/lisa")


@pytest.mark.parametrize(
    "home", [WINDOWS, LINUX, PurePosixPath("/Users/lisa"), PureWindowsPath("D:/people/Lisa Müller")]
)
def test_the_own_home_is_cut_out_however_it_is_written(home: PurePath) -> None:
    path = home / "AppData" / "deepinfer" / "chats.sqlite3"
    as_json = json.dumps(str(path))
    spellings = [str(path), path.as_posix(), repr(str(path)), ascii(str(path)), as_json, json.dumps(as_json)]
    spellings += [json.dumps(str(path), ensure_ascii=False), str(path).lower(), str(path).upper()]
    spellings += [path.as_uri(), quote(str(path)), quote(str(path), safe=""), str(home), f"'{home}'"]
    for spelling in spellings:
        told = without_people(f"cannot open {spelling}: denied", home)
        assert not any(part in told.lower() for part in ("lisa", "müller", "mueller", "ller")), told
        assert told.startswith("cannot open ")
        assert told.endswith(": denied")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (r"opened C:\Users\bob\models\a.gguf now", r"opened ~\models\a.gguf now"),
        (r'"C:\\Users\\Bob Smith\\models"', r'"~\\models"'),
        ("d:/Documents and Settings/bob.smith", "~"),
        (r"C:\Users\LISAMU~1\AppData\Local\Temp", r"~\AppData\Local\Temp"),
        ("/mnt/c/Users/bob/x and /home/eve/y, /home/eve", "/mnt/c~/x and ~/y, ~"),
        ("file:///home/bob/a%20b", "file:~/a%20b"),
        (r"\\server\Users\bob\share", r"\\server~\share"),
        ("/media/lisa/disk and /run/media/lisa", "/media/~/disk and /run/media/~"),
    ],
)
def test_the_homes_and_folders_of_people_are_cut_out(text: str, told: str) -> None:
    assert without_people(text, LINUX) == told


@pytest.mark.parametrize(
    "text",
    [
        "12:01:07 INFO engine.worker: loaded lisa-7b in 0.3 s",
        "/homestead/of/bees",
        "/srv/lisas/x",
        "https://hub/a/b?c=d",
    ],
)
def test_what_names_nobodys_folder_stays_as_it_is(text: str) -> None:
    assert without_people(text, LINUX) == text


def test_a_home_that_is_the_root_takes_nothing_away() -> None:
    assert without_people("/var/log and C:/x", PurePosixPath("/")) == "/var/log and C:/x"
