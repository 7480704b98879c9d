"""The starter model's tokenizer gives the ids of the reference cases. Needs the starter in a library."""

import json
from pathlib import Path

import jinja2
import pytest
from tokenizers import Tokenizer

from engine.config import default_home
from engine.errors import ModelNotFoundError
from engine.store.checkpoint import Checkpoint
from engine.store.library import Library

CASES = json.loads((Path(__file__).parents[2] / "data" / "starter-greedy.json").read_text(encoding="utf-8"))["cases"]


@pytest.fixture(scope="module")
def checkpoint() -> Checkpoint:
    try:
        return Checkpoint.open(Library(default_home() / "models").find("starter").path)
    except ModelNotFoundError:
        pytest.skip("the starter model is not in the library: `fetch starter`")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["text"][:12])
def test_prompts_and_answers_have_the_reference_ids(checkpoint: Checkpoint, case: dict[str, object]) -> None:
    prompt = case.get("prompt")
    if prompt is None:
        assert checkpoint.chat_template is not None
        template = jinja2.Template(checkpoint.chat_template)
        prompt = template.render(messages=case["messages"], add_generation_prompt=True)
    tokenizer = Tokenizer.from_file(str(checkpoint.tokenizer_path))
    assert tokenizer.encode(prompt, add_special_tokens=False).ids == case["prompt_ids"]
    assert tokenizer.decode(case["token_ids"], skip_special_tokens=False) == case["text"]
