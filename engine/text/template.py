"""A model's chat template: messages to the text that the model was trained on. Knows nothing of token ids.

Templates come from downloaded files, so they run in a sandbox with a budget.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from jinja2 import TemplateError, TemplateSyntaxError

from engine.errors import CheckpointError, InvalidRequestError
from engine.messages import ChatMessage
from engine.text.budget import MAX_SIZE
from engine.text.sandbox import BoundedEnvironment, RefusedError

_log = logging.getLogger(__name__)

# A template is a program: it may divide by zero, look up what is not there, or recurse without end.
_FAULTS = (
    TemplateError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    SyntaxError,
    TypeError,
    ValueError,
)

_CHATML = """\
{%- for message in messages %}{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
{%- endfor %}{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}"""
_PLAIN = """\
{{- bos_token }}{%- for message in messages %}
{{- message.content if message.role == 'system' else message.role | capitalize + ': ' + message.content }}{{- '\\n' }}
{%- endfor %}{%- if add_generation_prompt %}{{- 'Assistant:' }}{%- endif %}"""


class ChatTemplate:
    """Raises `CheckpointError`, naming the line, if the template cannot be compiled.

    `is_fallback`: it is not the model's own, so answers may be worse. `stops`: texts that end an answer, for a form
    without end tokens. Renders one chat at a time.
    """

    def __init__(
        self, source: str, bos_token: str, eos_token: str, is_fallback: bool = False, stops: tuple[str, ...] = ()
    ) -> None:
        self.source = source
        self.is_fallback = is_fallback
        self.stops = stops
        self._environment = BoundedEnvironment()
        try:
            self._template = self._environment.from_string(source)
        except TemplateSyntaxError as error:
            raise CheckpointError(
                f"The model's chat template has an error in line {error.lineno}: {error.message}"
            ) from error
        except _FAULTS as error:
            raise CheckpointError(f"The model's chat template cannot be used: {_what(error)}") from error
        self._tokens = {"bos_token": bos_token, "eos_token": eos_token}

    def render(
        self,
        messages: Sequence[ChatMessage],
        *,
        add_generation_prompt: bool = True,
        tools: Sequence[Mapping[str, Any]] | None = None,
        documents: Sequence[Mapping[str, Any]] | None = None,
        **variables: Any,
    ) -> str:
        """The prompt that asks for the next answer. `variables` are the template's own switches (`enable_thinking`).

        Raises `InvalidRequestError` if the template refuses the messages, has a fault or does too much.
        """
        turns = [{"role": message.role, "content": message.content} for message in messages]
        self._environment.budget.reset()
        pieces: list[str] = []
        size = 0
        try:
            for piece in self._template.generate(
                messages=turns,
                add_generation_prompt=add_generation_prompt,
                tools=tools,
                documents=documents,
                **self._tokens | variables,
            ):
                size += len(piece)
                if size > MAX_SIZE:
                    raise InvalidRequestError(
                        f"The model's chat template made more than {MAX_SIZE} characters: shorten the chat"
                    )
                self._environment.budget.step()
                pieces.append(piece)
        except RefusedError as error:
            raise InvalidRequestError(f"The model's chat template refused these messages: {_what(error)}") from error
        except _FAULTS as error:
            raise InvalidRequestError(f"The model's chat template failed{_where(error)}: {_what(error)}") from error
        return "".join(pieces)


def choose_template(source: str | None, bos_token: str, eos_token: str, has_chatml: bool) -> ChatTemplate:
    """A model's own template, or a common form if it has none or one that cannot even render a greeting.

    `has_chatml`: the vocabulary has `<|im_start|>` and `<|im_end|>`.
    """
    common, stops = (_CHATML, ("<|im_end|>",)) if has_chatml else (_PLAIN, ("\nUser:",))
    fallback = ChatTemplate(common, bos_token, eos_token, is_fallback=True, stops=stops)
    form = "the ChatML form" if has_chatml else "a plain 'User: … Assistant:' form"
    if source is None:
        _log.warning("The model has no chat template: %s is used, answers may be worse", form)
        return fallback
    try:
        template = ChatTemplate(source, bos_token, eos_token)
        template.render((ChatMessage("user", "Hi"),))
    except CheckpointError as error:
        _log.warning("%s. Instead %s is used, answers may be worse", error, form)
        return fallback
    except InvalidRequestError as error:
        # One that refuses in its own words works; it wants another beginning.
        if not isinstance(error.__cause__, RefusedError):
            _log.warning("%s. Instead %s is used, answers may be worse", error, form)
            return fallback
    return template


def _what(error: BaseException) -> str:
    return str(error) or type(error).__name__


def _where(error: BaseException) -> str:
    """The template's line, which Jinja writes into the traceback."""
    line = None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return "" if line is None else f" in line {line}"
