"""An answer that goes on where it ended, on the model of bytes."""

from engine.messages import ChatMessage, RequestFailed, SamplingParams, Submit
from engine.text.template import ChatTemplate
from tests.engine.fakes import FakeEngine

QUESTION = ChatMessage("user", "hello")


def ask(engine: FakeEngine, request_id: str, *messages: ChatMessage, max_tokens: int = 8, **options: bool) -> None:
    params = SamplingParams(temperature=0.0, max_tokens=max_tokens)
    engine.core.submit(Submit(request_id, params, messages=messages, **options))
    engine.run()


def test_both_parts_are_the_answer_that_was_never_cut():
    engine = FakeEngine()
    ask(engine, "whole", QUESTION, max_tokens=20)
    ask(engine, "first", QUESTION, max_tokens=8)
    begun = engine.text("first")
    ask(engine, "second", QUESTION, ChatMessage("assistant", begun), max_tokens=12, continues_answer=True)
    assert begun + engine.text("second") == engine.text("whole")
    # All but the last block of the first part is cached.
    assert engine.end("second").num_cached_tokens > 0


def test_without_being_asked_to_go_on_another_answer_begins():
    engine = FakeEngine()
    ask(engine, "other", QUESTION, ChatMessage("assistant", "abc"))
    ask(engine, "same", QUESTION, ChatMessage("assistant", "abc"), continues_answer=True)
    assert engine.end("other").num_prompt_tokens > engine.end("same").num_prompt_tokens


def test_nothing_can_go_on_behind_a_question():
    engine = FakeEngine()
    ask(engine, "r", QUESTION, continues_answer=True)
    (end,) = engine.ends("r")
    assert isinstance(end, RequestFailed)
    assert "the last message is the user's" in end.message


def test_thinking_that_the_template_begins_is_over_before_an_answer_goes_on():
    template = ChatTemplate("{{ messages[-1].content }}{% if add_generation_prompt %}<think>\n{% endif %}", "", "")
    engine = FakeEngine(template=template, knows_thinking=True)
    ask(engine, "r", QUESTION, ChatMessage("assistant", "The answer"), continues_answer=True)
    assert engine.end("r").num_prompt_tokens == len("hello<think>\n\n</think>\n\nThe answer")
    assert engine.text("r")


def test_an_answer_tells_the_seed_it_can_be_repeated_with():
    engine = FakeEngine()
    engine.submit("free", "say something", temperature=1.0, max_tokens=20)
    engine.run()
    seed = engine.end("free").seed
    engine.submit("again", "say something", temperature=1.0, max_tokens=20, seed=seed)
    engine.run()
    assert engine.end("again").seed == seed
    assert engine.text("again") == engine.text("free")
