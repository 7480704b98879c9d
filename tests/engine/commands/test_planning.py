"""`plan` as a person types it: from a config, for a model here, for well-known ones."""

import argparse
import json
from pathlib import Path

import pytest

from engine.__main__ import main
from engine.commands.planning import memory_size
from tests.engine.tiny_models import write_tiny_gguf

CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 2048,
    "intermediate_size": 8192,
    "num_attention_heads": 32,
    "num_hidden_layers": 16,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "max_position_embeddings": 131072,
}


KEPT_TABLE = Path(__file__).resolve().parents[3] / "docs" / "benchmarks" / "fits-in-4-gib.md"


def run(home: Path, *words: str | Path) -> int:
    return main(["--home", str(home), "plan", *map(str, words)])


def test_all_known_models_are_in_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("| model ")
    assert sum("Qwen2.5 7B" in line for line in lines) == 3
    assert len({len(line) for line in lines}) == 1


def test_the_table_that_the_docs_keep_is_the_one_that_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, "--memory", "4GiB") == 0
    assert KEPT_TABLE.read_text(encoding="utf-8").endswith("\n\n" + capsys.readouterr().out)


@pytest.mark.parametrize("target", ["", "config.json"])
def test_a_config_is_planned_before_anything_is_downloaded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], target: str
) -> None:
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    assert run(tmp_path, tmp_path / target, "--json", "--memory", "2GiB") == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert [item["quality"] for item in found["plans"]] == ["smallest", "balanced", "faithful"]
    assert found["plans"][0]["need"]["kv_bytes_per_token"] == 2 * 16 * 8 * 64 * 2
    assert found["plans"][0]["memory_bytes"] == 2 << 30


def test_what_to_change_is_told_below_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, "gemma 2 9b", "--memory", "4 GiB") == 0
    assert "smallest: Needs" in capsys.readouterr().out


def test_a_model_of_the_library_is_planned_by_its_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = write_tiny_gguf(tmp_path / "tiny.gguf")
    assert main(["--home", str(tmp_path), "convert", str(source)]) == 0
    capsys.readouterr()
    assert run(tmp_path, "tiny") == 0
    assert "| tiny " in capsys.readouterr().out


def test_a_file_is_planned_before_it_is_converted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, write_tiny_gguf(tmp_path / "small.gguf")) == 0
    assert "| small " in capsys.readouterr().out


@pytest.mark.parametrize("text", ["{", "[]", json.dumps(CONFIG | {"architectures": ["Unknown"]})])
def test_a_config_that_is_none_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    (tmp_path / "config.json").write_text(text)
    assert run(tmp_path, tmp_path / "config.json") == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_an_unknown_name_gets_the_known_ones(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, "llama 9000") == 2
    assert "Llama 3.2 1B" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "size_bytes"), [("4GiB", 4 << 30), ("1.5 gib", 3 << 29), ("800MB", 800 * 10**6), ("4096", 4096)]
)
def test_sizes_are_read_as_people_write_them(text: str, size_bytes: int) -> None:
    assert memory_size(text) == size_bytes


@pytest.mark.parametrize("text", ["", "much", "4 parsecs", "-1GiB"])
def test_other_sizes_are_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="is no size"):
        memory_size(text)
