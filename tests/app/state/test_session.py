"""A chat's turns and the way of its newest answer."""

from __future__ import annotations

import pytest

from app.state.message import ForgottenTurns, Message
from app.state.session import MAX_TITLE_LENGTH, Phase, Session, title_of
from engine.messages import (
    ChatMessage,
    ContextTrimmed,
    PrefillProgress,
    RequestFailed,
    RequestFinished,
    RequestPreempted,
    RequestQueued,
    RequestResumed,
    TextDelta,
)


def finished(reason: str = "stop") -> RequestFinished:
    return RequestFinished("r", reason, 100, 64, 20, 0.2, 50.0)  # type: ignore[arg-type]


def test_an_answer_passes_through_its_phases() -> None:
    session = Session()
    session.ask("hello", "Tiny")
    seen = [session.phase]
    session.apply(RequestQueued("r", 2, "sequences"))
    seen.append(session.phase)
    assert session.queue_position == 2
    session.apply(PrefillProgress("r", 30, 100, 16))
    seen.append(session.phase)
    assert session.prefill_percent == 30
    session.apply(TextDelta("r", "hi", (1,)))
    session.append_text("hi")
    seen.append(session.phase)
    assert session.is_busy
    assert session.num_context_tokens == 101
    session.apply(finished())
    seen.append(session.phase)
    assert seen == [Phase.SENT, Phase.WAITING, Phase.PREFILL, Phase.STREAMING, Phase.IDLE]
    assert session.answer.text == "hi"
    assert session.answer.model_name == "Tiny"
    assert session.num_context_tokens == 120


def test_an_answer_that_gave_way_comes_back_to_its_phase() -> None:
    session = Session()
    session.ask("hello")
    session.apply(TextDelta("r", "hi", (1,)))
    session.append_text("hi")
    session.apply(RequestPreempted("r", "other", "swap", 3, 300))
    assert (session.phase, session.is_busy) == (Phase.SWAPPED, True)
    session.apply(RequestResumed("r", "swap", 3, 300))
    assert session.phase is Phase.STREAMING
    session.apply(RequestPreempted("r", "other", "recompute", 3, 300))
    assert session.phase is Phase.WAITING


def test_thinking_is_a_phase_and_no_part_of_the_answer() -> None:
    session = Session()
    session.ask("hello")
    session.apply(TextDelta("r", "", (1, 2), reasoning="hm"))
    assert (session.phase, session.is_busy, session.answer.text) == (Phase.THINKING, True, "")
    session.apply(TextDelta("r", "hi", (3,)))
    assert session.phase is Phase.STREAMING


def test_a_failed_answer_keeps_its_text_and_the_reason() -> None:
    session = Session()
    session.ask("hello")
    session.append_text("half")
    session.apply(RequestFailed("r", "engine_error", "no memory"))
    assert session.phase is Phase.FAILED
    assert (session.answer.text, session.answer.error, session.answer.end) == ("half", "no memory", "failed")
    assert session.can_retry


def test_a_busy_chat_takes_no_second_question() -> None:
    session = Session()
    session.ask("one")
    with pytest.raises(AssertionError):
        session.ask("two")


def test_the_prompt_has_all_turns_but_the_unfinished_answer() -> None:
    session = Session(system_prompt="Be brief.")
    session.ask("one")
    session.append_text("1")
    session.apply(finished())
    session.ask("two")
    session.append_text("unfini")
    assert session.prompt() == (
        ChatMessage("system", "Be brief."),
        ChatMessage("user", "one"),
        ChatMessage("assistant", "1"),
        ChatMessage("user", "two"),
    )


def test_an_empty_answer_is_no_part_of_the_prompt() -> None:
    session = Session()
    session.ask("one")
    session.apply(RequestFailed("r", "queue_full", "too many"))
    session.ask("two")
    assert session.prompt() == (ChatMessage("user", "one"), ChatMessage("user", "two"))


def test_an_interrupted_answer_ends_with_the_text_it_has() -> None:
    session = Session()
    session.ask("hello")
    session.append_text("half")
    session.interrupt()
    assert session.answer.end == "cancelled"
    assert not session.is_busy
    session.interrupt()
    assert session.answer.end == "cancelled"


def test_the_first_question_gives_the_title_and_no_later_one() -> None:
    session = Session()
    session.ask("Plan a trip\nto  the islands")
    session.apply(finished())
    session.ask("another")
    assert session.title == "Plan a trip to the islands"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Name five animals, in **one** line.", "Name five animals, in one line."),
        ("# Plan\n- see the `sea` *soon*", "Plan see the sea soon"),
        ("What does [this](https://example.org/a) mean?", "What does this mean?"),
        ("```python\nprint(1)\n```", "print(1)"),
        ("2 * 3 * 4, a*b*c and __init__ of snake_case", "2 * 3 * 4, a*b*c and __init__ of snake_case"),
        ("**", "**"),
        ("```", "```"),
    ],
)
def test_a_title_has_no_marks_of_markdown(text: str, title: str) -> None:
    assert title_of(text) == title


@pytest.mark.parametrize("text", ["word " * 40, "字" * 200, "x" * 200])
def test_a_title_is_short(text: str) -> None:
    title = title_of(text)
    assert len(title) <= MAX_TITLE_LENGTH + 1
    assert title.endswith("…")


def test_a_restored_chat_can_be_answered_again_but_not_while_busy() -> None:
    session = Session(messages=[Message("user", "hello"), Message("assistant", "hi", end="stop")])
    assert session.can_retry
    session.ask("more")
    assert not session.can_retry


def test_turns_that_were_dropped_are_counted_as_the_person_sees_them() -> None:
    session = Session(system_prompt="be brief")
    session.messages = [
        Message("user", "first"),
        Message("assistant", "", end="failed"),
        Message("user", "again"),
        Message("assistant", "answer", end="stop"),
        Message("user", "third"),
        Message("assistant", "answer", end="stop"),
    ]
    session.ask("fourth")
    # In the prompt: the system prompt, the first two questions, their answer, and so on.
    session.apply(ContextTrimmed("r", (1, 2, 3), 350, 900))
    assert session.answer.forgotten == ForgottenTurns(2, 350)


def test_what_was_forgotten_before_is_what_the_answer_before_says() -> None:
    session = Session()
    forgotten = ForgottenTurns(1, 10)
    session.messages = [
        Message("user", "a"),
        Message("assistant", "b", end="stop", forgotten=forgotten),
        Message("user", "c"),
        Message("assistant", "d", end="stop", forgotten=forgotten),
    ]
    assert session.forgotten_before(session.messages[1]) is None
    assert session.forgotten_before(session.messages[3]) == forgotten
