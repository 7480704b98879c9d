"""A prompt computed by one run of the command line and reused by the next, with the real starter model."""

from pathlib import Path

import pytest

from tests.e2e.test_command_line import generate

PROSE = (Path(__file__).resolve().parents[1] / "data" / "prose.txt").read_text(encoding="utf-8")[:1500]
BACKENDS = ["reference", "cpu"]


def arguments(backend, prompt=PROSE):
    return ("--backend", backend, "--raw", "--max-tokens", "16", "--prompt", prompt)


@pytest.mark.parametrize("backend", BACKENDS)
def test_restored_prompt_is_not_computed_again_and_gives_the_same_tokens(engine, tmp_path, backend):
    saved = ("--save-prefix", str(tmp_path / "prose.prefix"))
    (cold,) = generate(engine, *arguments(backend), *saved)
    (warm,) = generate(engine, *arguments(backend), "--restore-prefix", saved[1])
    assert warm["token_ids"] == cold["token_ids"]
    assert cold["prompt_tokens"] == warm["prompt_tokens"] > 300
    assert (cold["cached_tokens"], warm["cached_tokens"]) == (0, (cold["prompt_tokens"] - 1) // 16 * 16)


def test_long_system_prompt_is_computed_by_the_first_run_alone(engine, tmp_path):
    common = ("--backend", "cpu", "--max-tokens", "4", "--system", PROSE)
    saved = str(tmp_path / "system.prefix")
    (first,) = generate(engine, *common, "--prompt", "Who wrote this?", "--save-prefix", saved)
    (second,) = generate(engine, *common, "--prompt", "Name a river.", "--restore-prefix", saved)
    assert first["cached_tokens"] == 0
    assert second["prompt_tokens"] - second["cached_tokens"] < 40 < second["prompt_tokens"] / 4


def test_file_of_another_backend_or_damaged_is_refused_and_the_answer_comes_all_the_same(engine, tmp_path):
    path = tmp_path / "prose.prefix"
    (cold,) = generate(engine, *arguments("cpu"), "--save-prefix", str(path))
    command = ("generate", "starter", "--temperature", "0")
    result = engine(*command, *arguments("reference", "Hello"), "--restore-prefix", str(path))
    assert (result.returncode, result.stdout != "") == (0, True)
    assert "warning: prose.prefix is not used: it was saved with the backend cpu, here it is reference" in result.stderr
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    path.write_bytes(content)
    (again,) = generate(engine, *arguments("cpu"), "--restore-prefix", str(path))
    assert (again["cached_tokens"], again["token_ids"]) == (0, cold["token_ids"])
