"""Chat templates in the sandbox."""

import logging

import pytest

from engine.errors import CheckpointError, InvalidRequestError
from engine.messages import ChatMessage
from engine.text.template import ChatTemplate, choose_template

USER = (ChatMessage("user", "hi"),)


def test_template_sees_messages_tokens_and_the_generation_prompt():
    template = ChatTemplate(
        "{{ bos_token }}{% for m in messages %}{{ m['role'] }}:{{ m.content }}\n{% endfor %}"
        "{% if add_generation_prompt %}assistant:{% endif %}",
        "<s>",
        "</s>",
    )
    assert template.render(USER) == "<s>user:hi\nassistant:"


def test_syntax_error_names_its_line():
    with pytest.raises(CheckpointError, match="line 2"):
        ChatTemplate("fine\n{% for %}", "", "")


def test_template_may_refuse_messages():
    template = ChatTemplate("{{ raise_exception('roles must alternate') }}", "", "")
    with pytest.raises(InvalidRequestError, match="roles must alternate"):
        template.render(USER)


@pytest.mark.parametrize(
    "source",
    ["{{ messages.__class__.__mro__ }}{{ ''.__class__.__base__.__subclasses__() }}", "{{ messages.append(1) }}"],
)
def test_template_cannot_reach_out_of_the_sandbox(source):
    with pytest.raises(InvalidRequestError):
        ChatTemplate(source, "", "").render(USER)


def test_html_is_not_escaped():
    assert ChatTemplate("{{ messages[0].content | tojson }}", "", "").render((ChatMessage("user", "<é>"),)) == '"<é>"'


@pytest.mark.parametrize(
    "source",
    [
        "{{ 1 // 0 }}",
        "{{ messages[7].content.x }}",
        "{% macro again() %}{{ again() }}{% endmacro %}{{ again() }}",
        "{{ 'x' * (2 ** 60) }}",
        "{% for i in range(999999999) %}{% endfor %}",
        "{{ 'a'.encode('nonsense') }}",
        "{{ undefined() }}",
    ],
)
def test_fault_of_a_template_is_a_refusal(source):
    with pytest.raises(InvalidRequestError, match="chat template"):
        ChatTemplate(source, "", "").render(USER)


def test_fault_names_the_templates_line():
    with pytest.raises(InvalidRequestError, match="failed in line 3: integer division"):
        ChatTemplate("a\n{% if true %}\n{{ 1 // 0 }}\n{% endif %}", "", "").render(USER)


def test_fault_inside_a_macro_names_the_macros_line():
    source = "{% macro m() %}\n{{ messages[7].content.x }}\n{% endmacro %}\n\n{{ m() }}"
    with pytest.raises(InvalidRequestError, match="failed in line 2"):
        ChatTemplate(source, "", "").render(USER)


def test_a_template_too_deep_to_compile_is_a_damaged_checkpoint():
    with pytest.raises(CheckpointError, match="chat template"):
        ChatTemplate("{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}", "", "")


CHAT = (ChatMessage("system", "Be brief."), *USER, ChatMessage("assistant", "Hello"), ChatMessage("user", "More?"))


def test_a_working_template_is_kept_silently(caplog):
    template = choose_template("{{ messages[0].content }}", "<s>", "</s>", has_chatml=True)
    assert (template.render(USER), template.is_fallback, template.stops) == ("hi", False, ())
    assert not caplog.records


@pytest.mark.parametrize("source", [None, "{% for %}", "{{ undefined() }}", "{{ 'x' * 10**9 }}"])
def test_without_a_working_template_chatml_is_used_and_told(source, caplog):
    with caplog.at_level(logging.WARNING):
        template = choose_template(source, "<s>", "</s>", has_chatml=True)
    assert template.is_fallback
    assert template.render(CHAT) == (
        "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nhi<|im_end|>\n"
        "<|im_start|>assistant\nHello<|im_end|>\n<|im_start|>user\nMore?<|im_end|>\n<|im_start|>assistant\n"
    )
    assert "ChatML form" in caplog.text
    assert template.stops == ("<|im_end|>",)


def test_a_vocabulary_without_chatml_gets_the_plain_form(caplog):
    template = choose_template(None, "<s>", "</s>", has_chatml=False)
    assert template.render(CHAT) == "<s>Be brief.\nUser: hi\nAssistant: Hello\nUser: More?\nAssistant:"
    assert template.stops == ("\nUser:",)
    assert "plain" in caplog.text


def test_a_template_that_refuses_a_greeting_in_its_own_words_is_kept():
    template = choose_template("{{ raise_exception('system first') }}", "", "", has_chatml=True)
    assert not template.is_fallback
