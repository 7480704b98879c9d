"""`hub` and `fetch OWNER/NAME` as a person types them."""

import getpass
import json
from pathlib import Path

import pytest

from engine.__main__ import main
from engine.hub.discovery import Places
from engine.hub.tokens import find_token
from tests.engine.hub.hub_server import TOKEN, Drop, HubServer
from tests.engine.tiny_models import write_tiny_gguf

REPO = "maker/tiny-GGUF"


@pytest.fixture(autouse=True)
def _repository(hub: HubServer, tmp_path: Path) -> None:
    hub.add(REPO, {"tiny-Q8_0.gguf": write_tiny_gguf(tmp_path / "tiny.gguf").read_bytes()})


def run(home: Path, *words: str | Path) -> int:
    return main(["--home", str(home), *map(str, words)])


def test_search_and_show_tell_what_there_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, "hub", "search", "tiny") == 0
    assert capsys.readouterr().out == f"{REPO}  gguf, mit, 12,345 downloads\n"
    assert run(tmp_path, "hub", "show", REPO) == 0
    shown = capsys.readouterr().out
    assert "licence     mit" in shown
    assert "made from   maker/base" in shown
    assert [line for line in shown.splitlines() if line.endswith("MB  Q8_0")]
    verdicts = [line.split() for line in shown.splitlines()[-3:]]
    assert [words[0] for words in verdicts] == ["smallest", "balanced", "faithful"]
    assert all(" ".join(words[1:]).startswith("fits, with ") for words in verdicts)
    assert all(words[-3:] == ["of", "256", "tokens"] for words in verdicts)
    assert run(tmp_path, "--json", "hub", "show", REPO) == 0
    assert json.loads(capsys.readouterr().out)["choices"][0]["label"] == "Q8_0"


def test_show_tells_what_there_is_where_no_header_can_be_read(
    tmp_path: Path, hub: HubServer, capsys: pytest.CaptureFixture[str]
) -> None:
    hub.faults["tiny-Q8_0.gguf"].append(Drop(0))
    assert run(tmp_path, "hub", "show", REPO) == 0
    shown = capsys.readouterr()
    assert shown.out.splitlines()[-1].endswith("MB  Q8_0")
    assert "numbers cannot be read: The connection to the hub broke off" in shown.err


@pytest.mark.parametrize("name", [REPO, f"{REPO}:Q8_0", f"{REPO}:tiny-Q8_0.gguf"])
def test_fetch_makes_a_model_of_a_repository(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert run(tmp_path, "fetch", name, "--name", "My Tiny") == 0
    assert capsys.readouterr().out.startswith("my-tiny is ready")
    assert run(tmp_path, "fetch", name, "--name", "My Tiny") == 0
    assert capsys.readouterr().out == "my-tiny is already there, nothing to do\n"


def test_fetch_tells_why_it_waits(
    tmp_path: Path, hub: HubServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.hub.faults._FIRST_WAIT_S", 0.0)
    hub.faults["tiny-Q8_0.gguf"].append(Drop(5000))
    assert run(tmp_path, "fetch", REPO) == 0
    assert "The connection to the hub broke off" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["fetch", f"{REPO}:Q2_K"], "choose one of Q8_0"),
        (["fetch", "maker/nothing"], "shows no repository"),
        (["hub", "show", "a/b/c"], "owner/name"),
    ],
)
def test_an_error_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert run(tmp_path, *words) == 2
    assert message in capsys.readouterr().err


def test_discover_lists_what_is_in_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, "--json", "hub", "discover", tmp_path) == 0
    found = json.loads(capsys.readouterr().out)
    assert str(tmp_path / "tiny.gguf") in [model["path"] for model in found]


def test_discover_tells_where_it_found_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.setattr("engine.commands.hub.usual_places", lambda: Places(ollama=(tmp_path / "gone",)))
    assert run(tmp_path, "hub", "discover", empty) == 0
    told = capsys.readouterr().err
    assert told == f"no GGUF files found; looked in\n  {tmp_path / 'gone'} (not there)\n  {empty}\n"


def test_login_checks_the_token_before_it_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(getpass, "getpass", lambda prompt: "hf_wrong")
    assert run(tmp_path, "hub", "login") == 2
    assert "refuses your access token" in capsys.readouterr().err
    assert find_token() is None
    monkeypatch.setattr(getpass, "getpass", lambda prompt: f" {TOKEN} ")
    assert run(tmp_path, "hub", "login") == 0
    assert capsys.readouterr().out == "logged in as somebody\n"
    assert find_token() == TOKEN
    assert run(tmp_path, "hub", "logout") == 0
    assert find_token() is None
