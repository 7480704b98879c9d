"""`bench` as a person types it."""

import json
import sys

import pytest
from gguf import GGMLQuantizationType as Kind

from engine.__main__ import main
from engine.bench import suite
from engine.bench.peers import PEERS, Peer
from engine.bench.side import SideError
from engine.commands import benchmark
from tests.engine.tiny_models import TinyShape, tiny_gguf


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return tiny_gguf(shape=TinyShape(max_context=256)).write(tmp_path_factory.mktemp("source") / "tiny.gguf", Kind.Q4_0)


@pytest.fixture(scope="module")
def home(tmp_path_factory, source):
    home = tmp_path_factory.mktemp("home")
    assert main(["--home", str(home), "convert", str(source)]) == 0
    return home


@pytest.fixture
def counting_peer(monkeypatch):
    peers = (Peer("counting", "tests.engine.bench.fake_side", "gguf", "fingers", ({}, {"more": 1})), *PEERS)
    monkeypatch.setattr(benchmark, "PEERS", peers)


def run(home, *words):
    return main(["--home", str(home), "bench", *map(str, words)])


def test_figures_are_printed_and_written_beside_a_peers(home, source, counting_peer, tmp_path, capsys):
    words = ("tiny", "prefill", "profile", "--rounds", 1, "--threads", 1, "--peer", "counting", "--gguf", source)
    python = f"counting={sys.executable}"
    files = ("--json", tmp_path / "bench.json", "--markdown", tmp_path / "docs")
    assert run(home, *words, "--peer-python", python, *files) == 0
    shown = capsys.readouterr()
    assert "DeepInfer" in shown.out
    assert "128 tokens" in shown.out
    assert "Where the time of a decode step goes" in shown.out
    assert "choosing among 2 variants of counting" in shown.err
    data = json.loads((tmp_path / "bench.json").read_text(encoding="utf-8"))
    assert set(data["workloads"]) == {"prefill", "memory", "profile"}
    (result,) = data["workloads"]["prefill"]["results"]
    assert result["samples"]["DeepInfer"][0] > 0
    assert [side["name"] for side in data["sides"]] == ["DeepInfer", "counting"]
    assert data["facts"]["Threads of every side"] == "1"
    page = (tmp_path / "docs" / "tiny.md").read_text(encoding="utf-8")
    assert "![Prefill" in page
    assert (tmp_path / "docs" / "tiny-prefill.svg").exists()


@pytest.mark.parametrize("shared", [True, False])
def test_json_alone_can_be_printed(home, capsys, shared):
    words = ["--home", str(home), *(["--json"] if shared else []), "bench", "tiny", "prefill", "--rounds", "1"]
    assert main(words + ([] if shared else ["--json", "-"])) == 0
    assert json.loads(capsys.readouterr().out)["workloads"]["prefill"]["results"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["tiny", "juggling"], "There is no workload 'juggling': use load, decode"),
        (["tiny", "--rounds", "0"], "--rounds is 0: use 1 or more"),
        (["none"], "There is no model 'none'"),
        (["tiny", "--json", "nowhere/bench.json"], "there is no folder nowhere, make it first"),
        (["tiny", "--peer", "llama.cpp"], "llama.cpp reads GGUF: name tiny.gguf with --gguf FILE"),
        (["tiny", "--peer", "openvino"], "name it with --export FOLDER"),
        (["tiny", "--peer", "llama.cpp", "--gguf", __file__], "is not the file that tiny was converted from"),
        (["tiny", "--peer", "llama.cpp", "--gguf", "nowhere.gguf"], "nowhere.gguf: No such file"),
        (["tiny", "--peer", "llama.cpp", "--peer-python", "x"], "--peer-python x is not PEER=PATH"),
    ],
)
def test_wrong_options_are_told_in_one_line(home, source, capsys, words, message):
    if "x" in words:
        words = [*words, "--gguf", source]
    assert run(home, *words) == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith("error: ")
    assert message in error


def test_what_was_measured_before_a_side_broke_is_written(home, tmp_path, capsys, monkeypatch):
    def break_down(*_):
        raise SideError("DeepInfer failed, it ended")

    monkeypatch.setattr(suite, "profile_section", break_down)
    path = tmp_path / "bench.json"
    assert run(home, "tiny", "prefill", "profile", "--rounds", 1, "--threads", 1, "--json", path) == 2
    assert "error: DeepInfer failed, it ended" in capsys.readouterr().err
    assert set(json.loads(path.read_text(encoding="utf-8"))["workloads"]) == {"prefill", "memory"}


def test_peer_that_is_not_installed_is_told_with_what_it_needs(home, source, capsys):
    words = ("tiny", "prefill", "--peer", "openvino", "--export", home, "--rounds", 1, "--threads", 1)
    assert run(home, *words) == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert "it needs openvino-genai; name an interpreter that has them with --peer-python openvino=PATH" in error
    assert "ModuleNotFoundError" in error
