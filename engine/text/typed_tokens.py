"""Special tokens that somebody typed: found in messages and broken up, so that they stay text in the prompt.

A message that spells `<|im_end|>` must not end its turn, whoever wrote it. Knows nothing of templates and of token ids.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from engine.messages import ChatMessage
from engine.text.reasoning import CLOSE, OPEN

_MARKS = tuple(map(chr, range(0xFDD0, 0xFDF0)))
"""Code points that Unicode keeps for a program's own use and never for text."""


def break_up(messages: Sequence[ChatMessage], special_tokens: Sequence[str]) -> tuple[list[ChatMessage], str | None]:
    """The messages with a mark after the first character of every special token in them, and the mark.

    None: there is none, and the messages are as they were. The tags around thinking are left whole: templates look for
    them in earlier answers.
    """
    spellings = [token for token in special_tokens if len(token) > 1 and token not in (OPEN, CLOSE)]
    if not spellings:
        return list(messages), None
    pattern = re.compile("|".join(map(re.escape, sorted(spellings, key=len, reverse=True))))
    if not any(pattern.search(message.content) for message in messages):
        return list(messages), None
    mark = next((mark for mark in _MARKS if not any(mark in message.content for message in messages)), _MARKS[0])

    def broken(text: str) -> str:
        # What is left around a broken token may spell another.
        while (found := pattern.search(text)) is not None:
            text = text[: found.start() + 1] + mark + text[found.start() + 1 :]
        return text

    return [replace(message, content=broken(message.content)) for message in messages], mark
