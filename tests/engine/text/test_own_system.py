"""The system prompt that a template writes into a chat without one is told apart from what stands around it."""

from __future__ import annotations

import pytest

from engine.text.own_system import own_system_tokens
from engine.text.template import ChatTemplate
from tests.engine.fakes import TEMPLATE, ByteTokenizer

_DEFAULT = "{% if messages[0].role != 'system' %}<system>You are Tiny\n{% endif %}" + TEMPLATE
_ALWAYS_DATED = (
    "<system>Today\n{% if messages[0].role == 'system' %}{{ messages[0].content }}{% endif %}{{ messages[-1].content }}"
)
_REFUSING = "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}" + TEMPLATE


@pytest.mark.parametrize(
    ("source", "num_tokens"),
    [
        (_DEFAULT, len("You are Tiny")),
        (TEMPLATE, 0),
        (_ALWAYS_DATED, 0),
        (_REFUSING, 0),
    ],
)
def test_the_templates_own_system_prompt_is_counted(source: str, num_tokens: int) -> None:
    assert own_system_tokens(ChatTemplate(source, "", ""), ByteTokenizer()) == num_tokens  # type: ignore[arg-type]
