"""A chat that outgrew its context loses its oldest turns, always at a place that later turns come to as well."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InvalidRequestError
from engine.messages import ChatMessage
from engine.text.context import FittedChat, TurnSize, first_kept_turn, fit_chat, split_turns
from engine.text.template import ChatTemplate
from tests.engine.fakes import TEMPLATE

TEMPLATES = Path(__file__).parents[2] / "data" / "templates"


def encode_chat(messages: Sequence[ChatMessage]) -> list[int]:
    return list(ChatTemplate(TEMPLATE, "", "").render(messages).encode())


def count_text(text: str) -> int:
    return len(text.encode())


def fit(messages: Sequence[ChatMessage], max_tokens: int) -> FittedChat:
    return fit_chat(messages, max_tokens, encode_chat, count_text)


def chat(*texts: str, system: str | None = None) -> list[ChatMessage]:
    """Question, answer, question, …"""
    turns = [ChatMessage("assistant" if index % 2 else "user", text) for index, text in enumerate(texts)]
    return [*([] if system is None else [ChatMessage("system", system)]), *turns]


def shown(fitted: FittedChat) -> str:
    return bytes(fitted.token_ids).decode()


def test_a_chat_that_fits_is_left_as_it_is():
    messages = chat("one", "two", "three", system="be brief")
    assert fit(messages, 1000) == FittedChat(encode_chat(messages))


def test_the_oldest_turns_go_and_system_prompt_and_newest_message_stay():
    messages = chat("a" * 50, "b" * 50, "c" * 50, "d" * 50, "newest", system="be brief")
    fitted = fit(messages, 200)
    assert fitted.dropped == (1, 2)
    assert shown(fitted) == f"<system>be brief\n<user>{'c' * 50}\n<assistant>{'d' * 50}\n<user>newest\n<assistant>"
    assert fitted.num_dropped_tokens == len(f"<user>{'a' * 50}\n<assistant>{'b' * 50}\n")


def test_what_always_stays_is_given_back_though_it_is_too_long():
    messages = chat("old", "answer", "n" * 300, system="s" * 100)
    fitted = fit(messages, 200)
    assert fitted.dropped == (1, 2)
    assert len(fitted.token_ids) > 400


def test_nothing_is_dropped_for_a_share_that_cannot_be_reached():
    # The newest message alone takes more than three quarters of the room, and the turn before it fits beside it.
    messages = chat("first", "answer", "second", "answer", "n" * 160)
    assert fit(messages, 228).dropped == (0, 1)


def test_turns_begin_with_the_users_messages():
    roles = ["system", "assistant", "user", "assistant", "assistant", "user", "system", "user"]
    messages = [ChatMessage(role, "x") for role in roles]
    assert split_turns(messages) == [[1], [2, 3, 4], [5], [7]]


def test_system_messages_stay_wherever_they_stand():
    messages = [*chat("a" * 90, "b" * 90), ChatMessage("system", "mind this"), *chat("c", "d", "e")]
    fitted = fit(messages, 150)
    assert fitted.dropped == (0, 1)
    assert "mind this" in shown(fitted)


def test_a_template_that_writes_more_than_was_reckoned_costs_another_turn():
    def encode_wide(messages: Sequence[ChatMessage]) -> list[int]:
        """Long messages take more than their text and the frame of short ones."""
        return [0] * sum(20 + len(m.content) * (2 if len(m.content) > 20 else 1) for m in messages)

    messages = chat(*["m" * 30] * 7)
    fitted = fit_chat(messages, 300, encode_wide, count_text)
    assert len(fitted.token_ids) <= 300
    assert fitted.dropped == (0, 1, 2, 3)


def test_a_chat_far_beyond_what_a_template_can_do_is_still_cut():
    def encode_few(messages: Sequence[ChatMessage]) -> list[int]:
        if len(messages) > 50:
            raise InvalidRequestError("too much work for this template")
        return encode_chat(messages)

    messages = chat(*["a text of some length " * 2] * 2001, system="be brief")
    fitted = fit_chat(messages, 1000, encode_few, count_text)
    assert fitted == FittedChat(fitted.token_ids, tuple(range(1, 1 + len(fitted.dropped))), fitted.num_dropped_tokens)
    assert 500 < len(fitted.token_ids) <= 1000
    assert len(fitted.token_ids) + fitted.num_dropped_tokens == len(encode_chat(messages))


def test_a_chat_of_many_characters_in_few_tokens_is_left_whole():
    def encode_blanks(messages: Sequence[ChatMessage]) -> list[int]:
        return [0] * sum(3 + count_blanks(message.content) for message in messages)

    def count_blanks(text: str) -> int:
        return -(-len(text) // 128)

    messages = chat(" " * 10_000, " " * 10_000, " " * 10_000)
    assert fit_chat(messages, 300, encode_blanks, count_blanks) == FittedChat(encode_blanks(messages))


TURNS = st.lists(st.tuples(st.integers(1, 30), st.integers(0, 60)), min_size=1, max_size=30)


@given(st.integers(0, 20), TURNS, st.integers(60, 300))
def test_a_cut_holds_until_the_room_is_full_again(num_base: int, pairs: list[tuple[int, int]], max_tokens: int):
    sizes = [TurnSize(question, question + answer) for question, answer in pairs]
    former = 0
    for newest in range(len(sizes)):
        first = first_kept_turn(num_base, sizes[: newest + 1], max_tokens)

        def num_needed(start: int, newest: int = newest) -> int:
            return num_base + sum(turn.whole for turn in sizes[start:newest]) + sizes[newest].question

        assert num_needed(first) <= max_tokens or first == newest
        if num_needed(former) <= max_tokens:
            assert first == former
        elif num_needed(newest) <= max_tokens * 3 // 4:
            # The fewest that leave a quarter free.
            assert former < first
            assert num_needed(first) <= max_tokens * 3 // 4 < num_needed(first - 1)
        former = first


def test_most_turns_begin_like_the_turn_before():
    texts = [f"{number:02} " + "words " * 3 for number in range(80)]
    cuts = [fit(chat(*texts[: 2 * turn + 1], system="be brief"), 1000).dropped for turn in range(40)]
    moves = [turn for turn in range(1, 40) if cuts[turn] != cuts[turn - 1]]
    # A turn has 61 tokens, so four fit into the quarter that a cut leaves free, less what a turn is over the room.
    assert len(moves) >= 2
    assert all(after - before >= 4 for before, after in itertools.pairwise(moves))


@pytest.mark.parametrize("path", sorted(TEMPLATES.glob("*.jinja")), ids=lambda path: path.stem)
def test_with_every_familys_template_chats_fit_and_cuts_hold(path: Path):
    template = ChatTemplate(path.read_text(encoding="utf-8"), "<s>", "</s>")

    def encode(messages: Sequence[ChatMessage]) -> list[int]:
        return list(template.render(messages).encode())

    texts = [f"{number:03} " + "words " * 10 for number in range(101)]
    room = len(encode(chat(*texts[:31])))
    fitted = [fit_chat(chat(*texts[: 2 * turn + 1]), room, encode, count_text) for turn in range(51)]
    assert max(len(each.token_ids) for each in fitted) <= room
    moves = [turn for turn in range(1, 51) if fitted[turn].dropped != fitted[turn - 1].dropped]
    # A quarter of fifteen turns, less what the turn that did not fit takes.
    assert moves[0] == 16
    assert all(after - before >= 3 for before, after in itertools.pairwise(moves))
