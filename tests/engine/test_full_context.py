"""What becomes of a chat that outgrows the context: it stops, or its oldest turns are left out and that is told."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.messages import ChatMessage, ContextTrimmed, RequestFailed, RequestQueued, SamplingParams, Submit
from tests.engine.fakes import FakeEngine

SYSTEM = ChatMessage("system", "be brief")


def question(text: str) -> ChatMessage:
    return ChatMessage("user", text)


def answer(text: str) -> ChatMessage:
    return ChatMessage("assistant", text)


def long_chat(num_turns: int) -> list[ChatMessage]:
    """Turns of 59 tokens each, and a question."""
    turns = [message for n in range(num_turns) for message in (question(f"{n:02}" * 10), answer(f"{n:02}" * 10))]
    return [SYSTEM, *turns, question("and now?")]


def ask(engine: FakeEngine, request_id: str, messages: list[ChatMessage], max_tokens: int | None = 8) -> None:
    params = SamplingParams(temperature=0.0, max_tokens=max_tokens)
    engine.core.submit(Submit(request_id, params, tuple(messages), owner="chat", when_full="drop_oldest"))


def trimmed(engine: FakeEngine, request_id: str) -> ContextTrimmed | None:
    found = [e for e in engine.events if isinstance(e, ContextTrimmed) and e.request_id == request_id]
    assert len(found) <= 1
    return found[0] if found else None


def refusal(engine: FakeEngine, request_id: str) -> RequestFailed:
    (end,) = engine.ends(request_id)
    assert isinstance(end, RequestFailed)
    return end


def test_a_full_chat_is_answered_without_its_oldest_turns_and_says_so():
    engine = FakeEngine(num_blocks=100, max_context=300)
    ask(engine, "a", long_chat(8))
    engine.run()
    end, event = engine.end("a"), trimmed(engine, "a")
    assert event is not None
    # Five turns of 59 tokens fit at most. A sixth cost three of them, so that a quarter of the room was free, and the
    # newest message three more.
    assert event.dropped == tuple(range(1, 13))
    assert event.num_dropped_tokens == 6 * 59
    assert event.num_kept_tokens == end.num_prompt_tokens
    assert end.num_completion_tokens == 8


def test_what_was_dropped_is_told_before_the_request_is_queued():
    engine = FakeEngine(num_blocks=100, max_context=300)
    ask(engine, "a", long_chat(8))
    engine.step()
    kinds = [type(event) for event in engine.events]
    assert kinds.index(ContextTrimmed) < kinds.index(RequestQueued)


def test_a_chat_that_fits_loses_nothing():
    engine = FakeEngine(num_blocks=100, max_context=300)
    ask(engine, "a", long_chat(3))
    engine.run()
    assert trimmed(engine, "a") is None
    assert engine.end("a").reason == "length"


def test_a_chat_that_is_to_stop_is_refused_and_told_of_the_choice():
    engine = FakeEngine(num_blocks=100, max_context=300)
    engine.chat("a", *long_chat(8))
    engine.run()
    error = refusal(engine, "a")
    assert error.code == "request_too_long"
    assert "let it forget its oldest turns" in error.message
    assert "300" in error.message


def test_a_newest_message_that_never_fits_is_refused_with_both_numbers():
    engine = FakeEngine(num_blocks=100, max_context=300)
    ask(engine, "a", [*long_chat(2)[:-1], question("x" * 400)])
    engine.run()
    error = refusal(engine, "a")
    needed = len("<system>be brief\n<user>" + "x" * 400 + "\n<assistant>")
    assert error.code == "request_too_long"
    assert f"{needed} of system prompt and newest message alone" in error.message
    assert "holds 300" in error.message
    assert trimmed(engine, "a") is None


def test_a_small_pool_counts_like_a_small_context():
    engine = FakeEngine(num_blocks=50, block_size=4, max_context=1000)
    ask(engine, "a", long_chat(8))
    engine.run()
    event = trimmed(engine, "a")
    assert event is not None
    assert event.num_kept_tokens + 8 <= 200


@pytest.mark.parametrize("max_tokens", [None, 8])
def test_the_turn_after_a_cut_reuses_what_the_cut_left(max_tokens: int | None):
    engine = FakeEngine(num_blocks=100, max_context=300)
    messages = long_chat(8)
    ask(engine, "a", messages, max_tokens)
    engine.run()
    messages += [answer(engine.text("a")), question("more")]
    ask(engine, "b", messages, max_tokens)
    engine.run()
    before, after = trimmed(engine, "a"), trimmed(engine, "b")
    assert before is not None
    assert after is not None
    assert before.dropped == after.dropped
    assert engine.end("b").num_cached_tokens >= before.num_kept_tokens - engine.cache.block_size


def test_an_answer_without_a_limit_ends_where_the_context_does():
    engine = FakeEngine(num_blocks=100, max_context=60)
    engine.submit("a", "x" * 40, max_tokens=None)
    engine.run()
    end = engine.end("a")
    assert (end.reason, end.num_prompt_tokens + end.num_completion_tokens) == ("length", 60)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 80), st.integers(1, 80)), max_size=12),
    st.integers(0, 60),
    st.sampled_from([None, 1, 20]),
    st.sampled_from([80, 150, 300]),
    st.sampled_from(["stop", "drop_oldest"]),
)
def test_any_chat_is_answered_or_refused_with_numbers(turns, num_system, max_tokens, max_context, when_full):
    engine = FakeEngine(num_blocks=100, max_context=max_context)
    system = [ChatMessage("system", "s" * num_system)] if num_system else []
    messages = [m for asked, told in turns for m in (question("q" * asked), answer("a" * told))]
    params = SamplingParams(temperature=0.0, max_tokens=max_tokens)
    messages = [*system, *messages, question("and now?")]
    engine.core.submit(Submit("a", params, tuple(messages), when_full=when_full))
    engine.run()
    (end,) = engine.ends("a")
    if isinstance(end, RequestFailed):
        assert end.code == "request_too_long"
        assert str(max_context) in end.message
        alone = len(f"<system>{'s' * num_system}\n" if system else "") + len("<user>and now?\n<assistant>")
        assert when_full == "stop" or alone + (max_tokens or 1) > max_context
    else:
        assert end.num_prompt_tokens + end.num_completion_tokens <= max_context


def test_questions_that_were_never_answered_are_one_to_the_model_and_forgotten_one_by_one():
    engine = FakeEngine(num_blocks=100, max_context=300)
    ask(engine, "a", [question("first"), question("second")])
    ask(engine, "b", [question("first\n\nsecond")])
    engine.run()
    assert engine.text("a") == engine.text("b")
    assert engine.end("a").num_prompt_tokens == engine.end("b").num_prompt_tokens
    ask(engine, "c", [SYSTEM, question("x" * 200), question("y" * 200), question("and now?")])
    engine.run()
    event = trimmed(engine, "c")
    assert event is not None
    assert event.dropped == (1,)
    assert engine.end("c").num_completion_tokens == 8


@pytest.mark.parametrize("when_full", ["stop", "drop_oldest"])
def test_a_length_that_is_a_bound_is_cut_to_what_fits_and_one_that_is_asked_for_is_refused(when_full):
    for cuts_answer in (True, False):
        engine = FakeEngine(num_blocks=100, max_context=300)
        params = SamplingParams(temperature=0.0, max_tokens=4000, ignore_eos=True)
        chat = (SYSTEM, question("and now?"))
        engine.core.submit(Submit("a", params, chat, when_full=when_full, cuts_answer=cuts_answer))
        engine.run()
        if cuts_answer:
            end = engine.end("a")
            assert end.num_prompt_tokens + end.num_completion_tokens == 300
        else:
            assert "up to 4,000 of answer" in refusal(engine, "a").message


def test_a_bound_does_not_make_a_chat_forget_more_than_the_reserve_of_an_answer():
    dropped = []
    for max_tokens in (None, 4000):
        engine = FakeEngine(num_blocks=100, max_context=300)
        params = SamplingParams(temperature=0.0, max_tokens=max_tokens)
        chat = tuple(long_chat(8))
        engine.core.submit(Submit("a", params, chat, when_full="drop_oldest", cuts_answer=True))
        engine.run()
        event = trimmed(engine, "a")
        assert event is not None
        dropped.append(event.dropped)
    assert dropped[0] == dropped[1]
