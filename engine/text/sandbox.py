"""Jinja for templates from strangers: the functions that chat templates expect, and a bound on their work.

Knows nothing of messages. Functions and flags are those of transformers, so the same template gives the same text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from functools import wraps
from typing import Any, NoReturn

from jinja2 import TemplateError, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.runtime import Context, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment

from engine.text.budget import MAX_NUMBER_BITS, Budget, TooMuchWorkError, size_of, written_size

_WIDE_FORMAT = re.compile(r"%[^a-zA-Z%]*(\*|\d{4})|\{[^{}]*(\{|\d{4})")
"""A field width of four digits or one that is computed, in either kind of format string."""

_SLOW_FILTERS = frozenset({"pprint", "striptags", "sum", "urlize", "wordwrap", "xmlattr"})
_SORTING = frozenset({"do_sort", "do_unique", "do_groupby", "sync_do_groupby"})
_MAX_DATE_FORMAT = 1000
_SLOW_FACTOR = 64
"""How many times more than its size such a filter's work counts: it searches or copies again and again."""


class RefusedError(TemplateError):
    """The template itself refuses the messages, by `raise_exception`."""


class BoundedEnvironment(ImmutableSandboxedEnvironment):
    """A sandbox with a `budget`, which whoever renders must reset first. One rendering at a time."""

    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self) -> None:
        super().__init__(
            trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols, _Generation], finalize=self._finalized
        )
        self.budget = Budget()
        self.code_generator_class = _BoundedCode
        for name, function in list(self.filters.items()):
            self.filters[name] = self._bounded(function, _SLOW_FACTOR if name in _SLOW_FILTERS else 0)
        self.filters |= {"tojson": self._tojson, "join": self._bounded(self._join), "string": self._finalized}
        del self.globals["lipsum"]
        self.globals["raise_exception"] = _raise_exception
        self.globals["strftime_now"] = _strftime_now

    def concat(self, parts: Iterable[Any]) -> str:
        """What `~` does; Jinja itself makes one text of a block's or a macro's output by it."""
        self.budget.step()
        texts = list(parts)
        self.budget.allow(sum(written_size(text) for text in texts))
        return "".join(map(str, texts))

    def counted(self, items: Iterable[Any]) -> Iterable[Any]:
        """What a loop goes over."""
        return self.budget.count(items)

    def compared(self, value: Any) -> Any:
        """One side of a comparison, whose time is that of its whole content."""
        self.budget.step()
        if not isinstance(value, str):
            self.budget.allow(written_size(value))
        return value

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """One of `intercepted_binops`."""
        self.budget.step()
        if operator == "*":
            self._check_product(left, right)
        elif operator == "**":
            self._check_power(left, right)
        elif operator == "%" and isinstance(left, str | bytes):
            self._check_format(left, right)
        elif operator == "+":
            self.budget.allow(size_of(left) + size_of(right))
        return super().call_binop(context, operator, left, right)

    # The names of Jinja's own signature, which keeps a callee's arguments apart from these.
    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805
        """Every call in a template, macros and methods too."""
        self = __self
        self.budget.step()
        owner = getattr(__obj, "__self__", None)
        if isinstance(owner, str | bytes):
            if __obj.__name__ in ("format", "format_map"):
                self._check_format(owner, [*args, *kwargs.values()])
            self._check_growth(owner, *args, *kwargs.values())
        result = super().call(__context, __obj, *args, **kwargs)
        self.budget.allow(size_of(result))
        return result

    def _bounded(self, function: Callable[..., Any], factor: int = 0) -> Callable[..., Any]:
        """A filter that is a step, and may not grow beyond bounds. With a `factor` its arguments count too."""

        @wraps(function)
        def bounded(*args: Any, **kwargs: Any) -> Any:
            self.budget.step()
            # A generator has no size, and a filter would run through it unseen.
            args = tuple(list(self.budget.count(arg)) if isinstance(arg, Iterator) else arg for arg in args)
            values = [*args, *kwargs.values()]
            if function.__name__ in _SORTING:
                self.budget.allow(_SLOW_FACTOR * max(map(size_of, values)))
            if factor:
                self.budget.allow(factor * written_size(values))
            if function.__name__ == "do_format":
                self._check_format(args[0], values[1:])
            self._check_growth(*values)
            result = function(*args, **kwargs)
            self.budget.allow(size_of(result))
            return result

        return bounded

    def _check_growth(self, *values: Any) -> None:
        """A text repeated, padded or put between others is at most the product of the two largest arguments."""
        sizes = sorted(max(size_of(value), value if isinstance(value, int) else 1) for value in values)
        if len(sizes) > 1 and sizes[-1] > 1 and (grown := sizes[-1] * sizes[-2]) > 1 << 27:
            raise TooMuchWorkError(f"a text of up to {grown} characters")

    def _check_product(self, left: Any, right: Any) -> None:
        for value, factor in ((left, right), (right, left)):
            if isinstance(factor, int) and not isinstance(value, int | float):
                self.budget.allow(size_of(value) * max(factor, 0))
        if isinstance(left, int) and isinstance(right, int):
            self._check_bits(left.bit_length() + right.bit_length())

    def _check_power(self, left: Any, right: Any) -> None:
        if isinstance(left, int) and isinstance(right, int):
            self._check_bits(left.bit_length() * max(right, 0))

    def _check_bits(self, num_bits: int) -> None:
        if num_bits > MAX_NUMBER_BITS:
            raise TooMuchWorkError(f"a number of {num_bits} bits, {MAX_NUMBER_BITS} are allowed")

    def _check_format(self, form: Any, values: Any) -> None:
        text = form.decode("latin-1") if isinstance(form, bytes) else str(form)
        if _WIDE_FORMAT.search(text):
            raise TooMuchWorkError("a format with a width of thousands of characters")
        # One value may be named by every field of the format.
        self.budget.allow(len(text) + written_size(values) * max(1, text.count("%"), text.count("{")))

    def _finalized(self, value: Any) -> Any:
        """An expression's value on its way into the text."""
        if isinstance(value, str):
            return value
        self.budget.allow(written_size(value))
        return str(value)

    def _tojson(
        self,
        value: Any,
        ensure_ascii: bool = False,
        indent: int | str | None = None,
        separators: tuple[str, str] | None = None,
        sort_keys: bool = False,
    ) -> str:
        # Jinja's own filter escapes HTML, which would change the prompt.
        self.budget.step()
        width = indent if isinstance(indent, int) else size_of(indent)
        self.budget.allow(written_size(value) * max(1, width))
        return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    def _join(self, value: Iterable[Any], d: str = "", attribute: str | int | None = None) -> str:
        items = list(value)
        if attribute is not None:
            items = [self.getitem(item, attribute) for item in items]
        self.budget.allow(sum(written_size(item) + len(str(d)) for item in items))
        return str(d).join(map(str, items))


class _BoundedCode(CodeGenerator):
    """Lets loops and `~` go through the environment, which Jinja's own code does not."""

    def visit_For(self, node: nodes.For, frame: Frame) -> None:  # noqa: N802
        node.iter = self._through("counted", node.iter)
        super().visit_For(node, frame)

    def visit_Compare(self, node: nodes.Compare, frame: Frame) -> None:  # noqa: N802
        node.expr = self._through("compared", node.expr)
        for operand in node.ops:
            operand.expr = self._through("compared", operand.expr)
        super().visit_Compare(node, frame)

    def _through(self, method: str, value: Any) -> Any:
        callee = nodes.EnvironmentAttribute(method, lineno=value.lineno)
        return nodes.Call(callee, [value], [], None, None, lineno=value.lineno).set_environment(self.environment)

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:  # noqa: N802
        self.write("environment.concat((")
        for part in node.nodes:
            self.visit(part, frame)
            self.write(", ")
        self.write("))")


class _Generation(Extension):
    """`{% generation %}…{% endgeneration %}` marks an answer for training; here its text just stands."""

    tags = {"generation"}  # noqa: RUF012 – Jinja's own declaration

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        # A call block, as in transformers: names set inside stay inside.
        return nodes.CallBlock(self.call_method("_text"), [], [], body).set_lineno(line)

    def _text(self, caller: Macro) -> str:
        return caller()


def _raise_exception(message: str) -> NoReturn:
    raise RefusedError(message)


def _strftime_now(form: str) -> str:
    if len(form) > _MAX_DATE_FORMAT:
        raise TooMuchWorkError(f"a date's format of {len(form)} characters")
    return datetime.now().strftime(form)
