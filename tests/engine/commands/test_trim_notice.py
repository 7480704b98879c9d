"""What the terminal says of turns that were left out."""

import io

from engine.commands.trim_notice import TrimNotice
from engine.messages import ChatMessage, ContextTrimmed

MESSAGES = [ChatMessage("system", "s"), *[ChatMessage(role, "x") for _ in range(4) for role in ("user", "assistant")]]


def test_turns_and_tokens_are_told_when_they_change():
    stream = io.StringIO()
    notice = TrimNotice(stream)
    for dropped, num_tokens in [((1, 2), 350), ((1, 2), 350), ((1, 2, 3, 4, 5, 6), 1204)]:
        notice.show(ContextTrimmed("r", dropped, num_tokens, 900), MESSAGES)
    assert stream.getvalue().splitlines() == [
        "[the context is full: the model no longer sees turn 1 (350 tokens)]",
        "[the context is full: the model no longer sees turns 1 to 3 (1,204 tokens)]",
    ]
