"""Chat templates in the sandbox."""

import pytest

from engine.errors import CheckpointError, InvalidRequestError
from engine.messages import ChatMessage
from engine.text.template import ChatTemplate

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
