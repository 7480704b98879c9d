"""`rename`, `move`, `remove`, `trash`, `verify`, `storage` and `clean` as a person types them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from engine.__main__ import main
from engine.commands.progress import ProgressLine
from tests.engine.store.checkpoints import make_checkpoint


@pytest.fixture
def home(tmp_path: Path) -> Path:
    make_checkpoint(tmp_path / "home" / "models" / "a")
    return tmp_path / "home"


def run(home: Path, *words: str | Path) -> int:
    return main(["--home", str(home), *map(str, words)])


def run_json(capsys: pytest.CaptureFixture[str], home: Path, *words: str | Path) -> object:
    assert run(home, "--json", *words) == 0
    return json.loads(capsys.readouterr().out)


def test_a_model_is_renamed_moved_removed_and_taken_back(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(home, "rename", "a", "Meine Maschine") == 0
    assert capsys.readouterr().out == "a is now called Meine Maschine\n"
    assert run(home, "move", "Meine Maschine", tmp_path / "with space") == 0
    assert capsys.readouterr().out == f"a is in {tmp_path / 'with space' / 'a'}\n"
    assert run(home, "verify") == 0
    assert capsys.readouterr().out == "a: all files as recorded\n"
    assert run(home, "remove", "a") == 0
    trash_id = capsys.readouterr().out.rpartition(" ")[2].strip("`\n")
    assert run(home, "trash") == 0
    assert capsys.readouterr().out.split()[0] == trash_id
    assert run(home, "trash", "restore", trash_id) == 0
    assert capsys.readouterr().out == "a is back\n"
    assert run(home, "remove", "a", "--forever") == 0
    assert capsys.readouterr().out == "a is deleted, 0.1 MB are free again\n"
    assert run(home, "trash", "empty") == 0
    assert capsys.readouterr().out == "0 things are removed, 0.0 MB are free again\n"


def test_storage_tells_where_each_byte_is(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "models" / "x.partial").mkdir()
    (home / "models" / "x.partial" / "embed.safetensors").write_bytes(b"x" * 2**20)
    assert run(home, "storage") == 0
    shown = capsys.readouterr().out
    assert "   1.0 MB  unfinished conversions\n" in shown
    assert "x.partial, can be removed\n" in shown
    assert f"models in {home / 'models'}: " in shown
    report = run_json(capsys, home, "storage")
    assert isinstance(report, dict)
    assert [item["kind"] for item in report["items"]] == ["model", "partial"]
    assert run_json(capsys, home, "clean") == {"num_items": 1, "freed_bytes": 2**20}


def test_an_interrupted_move_says_that_nothing_is_lost(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("engine.store.moving._renamed", lambda source, target: False)
    monkeypatch.setattr(ProgressLine, "show", interrupt)
    assert run(home, "move", "a", tmp_path / "place") == 130
    assert "whole where it was" in capsys.readouterr().err
    assert run(home, "verify", "nope") == 2


def test_these_commands_need_no_torch() -> None:
    code = "import sys, engine.commands.storage; sys.exit('torch' in sys.modules or 'numpy' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
