"""Owns the reading of the engine's sentences: which one a message is, and its words in the window's language.

The engine speaks English, in messages, in what is stored of them and in its logs; what a person reads is translated
when it is shown, and speaks of the window where the engine speaks of its command line. A message is recognised by its
sentence, whose gaps may hold anything, also another sentence. What nobody knows is shown as it is. Does not know errors
nor their codes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from app.engine_words.chat_sentences import CHAT_SENTENCES, TOO_LONG
from app.engine_words.description_sentences import DESCRIPTION_SENTENCES
from app.engine_words.hub_sentences import HUB_SENTENCES
from app.engine_words.model_sentences import MODEL_SENTENCES
from app.engine_words.reworded_sentences import REWORDED_SENTENCES
from app.engine_words.source_sentences import SOURCE_SENTENCES
from app.i18n import translate

SENTENCES = (
    *CHAT_SENTENCES,
    *MODEL_SENTENCES,
    *HUB_SENTENCES,
    *SOURCE_SENTENCES,
    *DESCRIPTION_SENTENCES,
    *REWORDED_SENTENCES,
)

MAX_DEPTH = 3
"""How deep sentences stand in the gaps of others: a wait, the problem it is for, and what that is about."""
MAX_CHARACTERS = 4000
"""Longer messages are no sentences of the engine's but the output of programs."""

_GAP = re.compile(r"\{(\w+)\}")


def in_window_words(message: str) -> str:
    """The message in the window's language as far as it is known, else as it is."""
    return _translated(message, MAX_DEPTH)


def says_too_long(message: str) -> bool:
    """Whether a request did not fit into the model's context."""
    known = sentence_of(message)
    return known is not None and known[0] == TOO_LONG


def sentence_of(message: str) -> tuple[str, dict[str, str]] | None:
    """The known sentence that the message is, and what stands in its gaps; None if it is none."""
    if len(message) > MAX_CHARACTERS:
        return None
    for sentence, fixed, pattern in _patterns():
        # Cheaper than the pattern, which most sentences never need to try.
        if all(part in message for part in fixed):
            found = pattern.fullmatch(message)
            if found is not None:
                return sentence, found.groupdict()
    return None


def _translated(message: str, depth: int) -> str:
    known = sentence_of(message) if depth else None
    if known is None:
        return message
    sentence, values = known
    spoken = {name: _translated(value, depth - 1) for name, value in values.items()}
    return translate("app", REWORDED_SENTENCES.get(sentence, sentence)).format(**spoken)


@cache
def _patterns() -> tuple[tuple[str, tuple[str, ...], re.Pattern[str]], ...]:
    """Sentences, what stands in them between the gaps, and how they are told; those that say most come first."""
    told = ((sentence, tuple(part for part in _GAP.split(sentence)[::2] if part)) for sentence in SENTENCES)
    ordered = sorted(told, key=lambda one: -sum(map(len, one[1])))
    return tuple(
        (sentence, fixed, re.compile("".join(_pattern_parts(sentence)), re.DOTALL)) for sentence, fixed in ordered
    )


def _pattern_parts(sentence: str) -> Iterator[str]:
    for index, part in enumerate(_GAP.split(sentence)):
        # What is split at a group alternates between text and the group.
        yield f"(?P<{part}>.*?)" if index % 2 else re.escape(part)
