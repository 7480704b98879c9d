"""A model's chat template: messages to the text that the model was trained on. Knows nothing of token ids.

Templates come from downloaded files, so they run in Jinja's sandbox.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NoReturn

from jinja2 import TemplateError, TemplateSyntaxError
from jinja2.exceptions import SecurityError
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

from engine.errors import CheckpointError, InvalidRequestError
from engine.messages import ChatMessage

# A template is a program: it may divide by zero, look up what is not there, or recurse without end.
_FAULTS = (
    TemplateError,
    SecurityError,
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
)


def _raise_exception(message: str) -> NoReturn:
    raise TemplateError(message)


def _tojson(value: Any, indent: int | None = None) -> str:
    # Jinja's own filter escapes HTML, which would change the prompt.
    return json.dumps(value, ensure_ascii=False, indent=indent)


class ChatTemplate:
    """Raises `CheckpointError`, naming the line, if the template cannot be compiled."""

    def __init__(self, source: str, bos_token: str, eos_token: str) -> None:
        environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
        environment.filters["tojson"] = _tojson
        environment.globals["raise_exception"] = _raise_exception
        environment.globals["strftime_now"] = lambda form: datetime.now().strftime(form)
        try:
            self._template = environment.from_string(source)
        except TemplateSyntaxError as error:
            raise CheckpointError(
                f"The model's chat template has an error in line {error.lineno}: {error.message}"
            ) from error
        self._tokens = {"bos_token": bos_token, "eos_token": eos_token}

    def render(self, messages: Sequence[ChatMessage]) -> str:
        """The prompt that asks for the next answer. Raises `InvalidRequestError` if the template refuses."""
        turns = [{"role": message.role, "content": message.content} for message in messages]
        try:
            return self._template.render(messages=turns, add_generation_prompt=True, **self._tokens)
        except _FAULTS as error:
            what = str(error) or type(error).__name__
            raise InvalidRequestError(f"The model's chat template refused these messages: {what}") from error
