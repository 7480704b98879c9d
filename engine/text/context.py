"""Which turns of a chat the model still reads when the chat has outgrown the context.

Knows messages and counts of tokens; how messages become tokens is given to it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.messages import ChatMessage

EncodeChat = Callable[[Sequence[ChatMessage]], list[int]]
"""All of a chat, in the form that asks for the next answer."""
CountText = Callable[[str], int]
"""How many tokens a text has by itself."""

_NUM_KEPT, _KEPT_OF = 3, 4
"""What is kept of the room when turns are dropped.

Dropping only what must go would move the chat's beginning with every turn, and what begins otherwise cannot reuse a
cached block: the whole context would be computed again each time. With a quarter of the room free again it is
computed once for as many turns as fill that quarter.
"""
_PROBE = "a"
_HUGE = 64
"""A chat with so many characters for each token of room does not fit, unless it is made of blanks: so the whole of it
is not put into the template, which has its limits and may refuse it."""


@dataclass(frozen=True, slots=True)
class FittedChat:
    """`token_ids` of what is left of a chat without the messages at the indexes `dropped`."""

    token_ids: list[int]
    dropped: tuple[int, ...] = ()
    num_dropped_tokens: int = 0


@dataclass(frozen=True, slots=True)
class TurnSize:
    """Tokens of the text of a turn's first message, and of the whole turn with what the template writes around it."""

    question: int
    whole: int


def fit_chat(
    messages: Sequence[ChatMessage], max_tokens: int, encode_chat: EncodeChat, count_text: CountText
) -> FittedChat:
    """Drops whole turns, the oldest first, until a chat has at most `max_tokens` tokens.

    System messages and the newest turn stay, even if they alone are too long. The same chat with further turns after
    it is cut at the same place for as long as that suffices, see `first_kept_turn`. What is dropped of a huge chat is
    counted message by message.
    """
    turns = split_turns(messages)
    is_huge = len(turns) > 1 and sum(len(message.content) for message in messages) > _HUGE * max_tokens
    token_ids = [] if is_huge else encode_chat(messages)
    if not is_huge and len(token_ids) <= max_tokens:
        return FittedChat(token_ids)
    num_base, sizes = _sizes(messages, turns, encode_chat, count_text)
    # Sizes by message are close, not exact, and only the whole tells whether it fits.
    first = max(0 if is_huge else 1, first_kept_turn(num_base, sizes, max_tokens))
    kept_ids: list[int] = token_ids
    dropped: tuple[int, ...] = ()
    num_turns = 0
    for num_turns in range(first, len(turns)):
        dropped = tuple(index for turn in turns[:num_turns] for index in turn)
        gone = frozenset(dropped)
        kept_ids = encode_chat([message for index, message in enumerate(messages) if index not in gone])
        if len(kept_ids) <= max_tokens:
            break
    num_dropped_tokens = sum(turn.whole for turn in sizes[:num_turns]) if is_huge else len(token_ids) - len(kept_ids)
    return FittedChat(kept_ids, dropped, num_dropped_tokens)


def split_turns(messages: Sequence[ChatMessage]) -> list[list[int]]:
    """The indexes of each turn's messages: a user's message and what follows it. System messages belong to none.

    What an assistant says before the first question is a turn of its own.
    """
    turns: list[list[int]] = []
    for index, message in enumerate(messages):
        if message.role == "system":
            continue
        if message.role == "user" or not turns:
            turns.append([])
        turns[-1].append(index)
    return turns


def first_kept_turn(num_base: int, turns: Sequence[TurnSize], max_tokens: int) -> int:
    """The index of the oldest turn to keep, if `num_base` tokens stay in any case.

    It asks at each turn, as the chat was then, whether it had outgrown the room, and where it had, drops turns until
    three quarters of the room are enough. So it depends on nothing but the chat, and comes to the same cut as when
    the chat was shorter.
    """
    first, num_held = 0, num_base
    for newest, turn in enumerate(turns):
        num_needed = num_held + turn.question
        if num_needed > max_tokens:
            target = max_tokens * _NUM_KEPT // _KEPT_OF
            if num_base + turn.question > target:
                # It cannot be reached, so nothing is dropped for its sake.
                target = max_tokens
            while first < newest and num_needed > target:
                num_needed -= turns[first].whole
                first += 1
        num_held = num_needed - turn.question + turn.whole
    return first


def _sizes(
    messages: Sequence[ChatMessage], turns: Sequence[Sequence[int]], encode_chat: EncodeChat, count_text: CountText
) -> tuple[int, list[TurnSize]]:
    """Tokens of what always stays, and of each turn; what the template writes around a turn is told by a probe."""
    question, answer = ChatMessage("user", _PROBE), ChatMessage("assistant", _PROBE)
    num_probe = count_text(_PROBE)
    num_alone = len(encode_chat([question]))
    num_framing = len(encode_chat([question, answer, question])) - num_alone - 2 * num_probe
    sizes = [count_text(message.content) for message in messages]

    def num_framed(indexes: Sequence[int]) -> int:
        return sum(sizes[index] for index in indexes) + math.ceil(len(indexes) * max(0, num_framing) / 2)

    system = [index for index, message in enumerate(messages) if message.role == "system"]
    # What stands around the newest question stands there in any case.
    num_base = max(0, num_alone - num_probe) + num_framed(system)
    return num_base, [TurnSize(sizes[turn[0]], num_framed(turn)) for turn in turns]
