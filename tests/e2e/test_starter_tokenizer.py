"""The tokenizer that the conversion made from the starter's GGUF file gives the ids of transformers."""

import json
from pathlib import Path

import pytest

from engine.messages import ChatMessage
from engine.serving import load_template, load_tokenizer
from engine.store.checkpoint import Checkpoint
from engine.store.library import Library
from engine.text.detokenizer import IncrementalDetokenizer
from tests.engine.text.test_every_script import HARD, SCRIPTS

DATA = Path(__file__).resolve().parents[1] / "data"
CASES = json.loads((DATA / "starter-greedy.json").read_text(encoding="utf-8"))["cases"]


@pytest.fixture(scope="module")
def checkpoint(kept_home):
    return Checkpoint.open(Library(kept_home / "models").find("starter").path)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["text"][:12])
def test_prompts_have_the_reference_ids(checkpoint, case):
    tokenizer = load_tokenizer(checkpoint)
    if "prompt" in case:
        assert tokenizer.encode_raw(case["prompt"]) == case["prompt_ids"]
        return
    template = load_template(checkpoint, tokenizer)
    assert template is not None
    text = template.render([ChatMessage(message["role"], message["content"]) for message in case["messages"]])
    assert tokenizer.encode(text) == case["prompt_ids"]


def test_prose_survives_the_way_there_and_back(checkpoint):
    tokenizer = load_tokenizer(checkpoint)
    text = (DATA / "prose.txt").read_text(encoding="utf-8")
    assert tokenizer.decode(tokenizer.encode(text)) == text


def test_every_script_streams_as_it_is_decoded_at_once(checkpoint):
    tokenizer = load_tokenizer(checkpoint)
    for text in [*SCRIPTS, *HARD]:
        detokenizer = IncrementalDetokenizer(tokenizer.decode)
        pieces = [detokenizer.add(token_id) for token_id in tokenizer.encode(text)]
        assert "".join([*pieces, detokenizer.finish()]) == text
