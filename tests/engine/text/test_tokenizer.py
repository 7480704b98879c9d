"""What a tokenizer does with a text that its vocabulary cannot spell."""

import json

import pytest

from engine.errors import TextError
from engine.text.tokenizer import Tokenizer


@pytest.fixture
def tokenizer(tmp_path):
    """Knows the letter a alone, and names a token for all else that it does not have."""
    model = {"type": "BPE", "vocab": {"a": 0}, "merges": [], "unk_token": "<unk>"}
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps({"version": "1.0", "added_tokens": [], "model": model}), encoding="utf-8")
    return Tokenizer(path, None, False)


def test_what_the_vocabulary_has_is_encoded(tokenizer):
    assert tokenizer.encode("aa") == [0, 0]


@pytest.mark.parametrize("text", ["ab", "\ud800"])
def test_a_text_that_cannot_be_encoded_is_a_text_error(tokenizer, text):
    with pytest.raises(TextError, match="tokenizer failed"):
        tokenizer.encode_raw(text)
