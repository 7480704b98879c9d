"""What a tokenizer does with a text that its vocabulary cannot spell, and with one that takes long."""

import json
import sys
from threading import Event, Thread

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


def test_other_threads_run_while_a_long_text_is_encoded(tokenizer):
    turns, ended, begun = [], Event(), Event()

    def take_turns():
        while not ended.wait(0.0005):
            turns.append(1)
            begun.set()

    usual_s = sys.getswitchinterval()
    thread = Thread(target=take_turns)
    try:
        # From now on a thread that computes in Python is not interrupted.
        sys.setswitchinterval(60)
        thread.start()
        begun.wait()
        num_before = len(turns)
        tokenizer.encode("a" * 500_000)
        assert len(turns) > num_before
    finally:
        ended.set()
        sys.setswitchinterval(usual_s)
        thread.join()


def test_a_short_text_is_encoded_while_a_long_one_is(tokenizer, monkeypatch):
    library, is_in, may_leave = tokenizer._tokenizer, Event(), Event()

    class Slow:
        def encode_batch_fast(self, texts, add_special_tokens):
            if texts == ["aaa"]:
                is_in.set()
                may_leave.wait(30)
            return library.encode_batch_fast(texts, add_special_tokens=add_special_tokens)

    monkeypatch.setattr(tokenizer, "_tokenizer", Slow())
    thread = Thread(target=tokenizer.encode, args=("aaa",))
    thread.start()
    assert is_in.wait(30)
    assert tokenizer.encode("a") == [0]
    assert thread.is_alive()
    may_leave.set()
    thread.join()
