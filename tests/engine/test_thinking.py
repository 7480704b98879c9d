"""Thinking and answer of a request, from tokens to events."""

from engine.messages import ChatMessage, TextDelta
from engine.text.template import ChatTemplate, choose_template
from tests.engine.fakes import END, FakeEngine

USER = ChatMessage("user", "hi")
OPENING = ChatTemplate("{{ messages[0].content }}<assistant><think>{{ '\\n' }}", "", "")


def answer_with(text, prompt):
    """An engine's choice of tokens: `text`, then the end."""
    tokens = [*text.encode(), END]
    return lambda context: tokens[len(context) - len(prompt.encode())]


def chat(text, template, prompt, **options):
    engine = FakeEngine(choose=answer_with(text, prompt), template=template, **options)
    engine.chat("a", USER, max_tokens=100)
    engine.run()
    return engine


def reasoning(engine):
    return "".join(event.reasoning for event in engine.events if isinstance(event, TextDelta))


def test_thinking_comes_apart_from_the_answer():
    engine = chat("<think>\nhm 2\n</think>\n\n4", None, "<user>hi\n<assistant>", knows_thinking=True)
    assert (reasoning(engine), engine.text("a")) == ("hm 2", "4")
    assert engine.token_ids("a") == [*b"<think>\nhm 2\n</think>\n\n4", END]


def test_thinking_that_the_prompt_began_is_known_from_it():
    engine = chat("hm\n</think>\n\n4", OPENING, "hi<assistant><think>\n", knows_thinking=True)
    assert (reasoning(engine), engine.text("a")) == ("hm", "4")


def test_an_answer_that_ends_while_thinking_loses_nothing():
    engine = chat("<think>\nhm</th", None, "<user>hi\n<assistant>", knows_thinking=True)
    assert (reasoning(engine), engine.text("a")) == ("hm</th", "")


def test_other_models_may_write_the_tag():
    text = "<think>hm</think>4"
    engine = chat(text, None, "<user>hi\n<assistant>")
    assert (reasoning(engine), engine.text("a")) == ("", text)


def test_a_raw_prompt_is_continued_as_it_is():
    engine = FakeEngine(choose=answer_with("<think>x</think>y", "hi"), knows_thinking=True)
    engine.submit("a", "hi", max_tokens=100)
    engine.run()
    assert (reasoning(engine), engine.text("a")) == ("", "<think>x</think>y")


def test_cancelling_while_thinking_keeps_what_was_thought():
    engine = FakeEngine(choose=answer_with("<think>hm </th", "<user>hi\n<assistant>"), knows_thinking=True)
    engine.chat("a", USER, max_tokens=100)
    for _ in range(len("<think>hm </th")):
        engine.step()
    engine.core.cancel("a")
    engine.run()
    assert reasoning(engine) == "hm </th"
    assert engine.end("a").reason == "cancelled"


def test_the_plain_form_ends_where_the_model_writes_the_users_part(caplog):
    template = choose_template(None, "", "", has_chatml=False)
    engine = chat(" Hello\nUser: more", template, "User: hi\nAssistant:")
    assert engine.text("a") == " Hello"
    assert engine.end("a").reason == "stop"
    assert "no chat template" in caplog.text
