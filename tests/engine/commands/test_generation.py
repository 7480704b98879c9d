"""What `generate --json` says of one prompt."""

from engine.commands.generation import _Completion
from engine.messages import RequestFinished

END = RequestFinished("0", "stop", 3, 0, 2, None, None)


def test_thinking_stands_beside_the_text_if_there_is_some():
    assert _Completion("4", "hm", [1, 2], end=END).to_json()["reasoning"] == "hm"


def test_an_answer_without_thinking_says_nothing_of_it():
    assert "reasoning" not in _Completion("4", "", [1, 2], end=END).to_json()
