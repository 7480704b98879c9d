"""Formulas: what is one and what is money, how they read, and that streaming shows what the whole text does."""

from __future__ import annotations

from itertools import groupby

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.chat.markdown import Block, Paragraph, Span, parse
from app.chat.markdown_stream import MarkdownStream
from app.chat.math_text import MathRun, math_runs


def text(source: str) -> str:
    """Raised characters behind `^`, lowered ones behind `_`, in braces."""
    marks = {0: "{}", 1: "^{{{}}}", -1: "_{{{}}}"}
    parts = groupby(math_runs(source), key=lambda run: run.script)
    return "".join(marks[script].format("".join(run.text for run in runs)) for script, runs in parts)


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (r"E = mc^2", "E = mc^{2}"),
        (r"x_1 + x_{n+1}", "x_{1} + x_{n+1}"),
        (r"\alpha\beta \le \Gamma", "αβ ≤ Γ"),
        (r"-1 - x", "−1 − x"),
        (r"\frac{1}{2}", "^{1}⁄_{2}"),
        (r"\frac12x", "^{1}⁄_{2}x"),
        (r"\frac{a+b}{c}", "(a + b) / c"),
        (r"\sqrt{x+1}", "√x + 1"),
        (r"\sqrt[3]{x}", "³√x"),
        (r"e^{-x^2}", "e^{−x²}"),
        (r"\sum_{i=1}^{n} x_i", "∑_{i=1}^{n}x_{i}"),
        (r"\mathbb{R}^n \to \mathbb{R}", "ℝ^{n} → ℝ"),
        (r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}", "(a\u2002b; c\u2002d)"),
        (r"\begin{aligned} a &= b \\ &= c \end{aligned}", "a\u2002 = b\n\u2002 = c"),
        (r"\text{if } x > 0", "if x > 0"),
        (r"\left( \hat{x} \right)", "(x\u0302)"),
        (r"\unknown{x}", "\\unknownx"),
        (r"\sin x", "sin\u2009x"),
    ],
)
def test_a_formula_reads_as_text(source: str, shown: str) -> None:
    assert text(source) == shown


def test_variables_are_slanted_and_a_root_has_a_line_over_it() -> None:
    assert math_runs(r"2x")[1] == MathRun("x", is_italic=True)
    assert math_runs(r"\sqrt{4}") == [MathRun("√"), MathRun("4", is_overlined=True)]


@pytest.mark.parametrize("source", ["{" * 500, r"\frac" * 500, r"\sqrt{" * 500, "^" * 500])
def test_a_formula_nested_without_end_is_shown_all_the_same(source: str) -> None:
    assert math_runs(source) or source


@given(st.text(alphabet="\\{}^_&ab1+-= []()$frcsqtbegindlx", max_size=60))
@settings(max_examples=200, deadline=None)
def test_no_formula_breaks_the_reader(source: str) -> None:
    math_runs(source)


def paragraphs(source: str) -> list[str]:
    return ["".join(span.text for span in block.spans) for block in parse(source) if isinstance(block, Paragraph)]


@pytest.mark.parametrize(
    "source",
    [
        "It costs $5 and $6.",
        "from $ x$ to $y $",
        "$$5 and $$6",
        "a price of $$ alone",
        "$$",
        r"an open \( bracket",
        "US$5, a range of $5-$10 or $5/$10, or $5,$6",
        "$HOME/$USER and $PATH:$HOME",
        "five$ or six$ of $them or more$ of it",
        r"\$a\$",
        "$a\n\nb$",
    ],
)
def test_money_and_what_is_open_are_no_formula(source: str) -> None:
    for block in parse(source):
        assert isinstance(block, Paragraph)
        assert not block.is_formula
        assert not any(span.is_italic or span.script for span in block.spans)


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("So $E=mc^2$.", "So E = mc2."),
        (r"$\alpha$ and $x$, $n$", "α and x, n"),
        (r"at $5 the $f(x)$ of $a\$b$", "at $5 the f(x) of a$b"),
    ],
)
def test_single_dollars_stand_around_a_formula(source: str, shown: str) -> None:
    assert paragraphs(source) == [shown]
    (block,) = parse(source)
    assert isinstance(block, Paragraph)
    assert any(span.is_italic or span.script for span in block.spans) or "α" in shown


def test_a_formula_in_a_line_stands_in_its_paragraph() -> None:
    (block,) = parse(r"so \(x^2\) and $$y_1$$.")
    assert isinstance(block, Paragraph)
    assert block.spans == (
        Span("so "),
        Span("x", is_italic=True),
        Span("2", script=1),
        Span(" and "),
        Span("y", is_italic=True),
        Span("1", script=-1),
        Span("."),
    )


def test_a_formula_by_itself_is_a_block_of_several_lines() -> None:
    first, second, third = parse("text\n\n\\[\na = b\n- c\n\\]\n\nmore")
    assert (first, third) == (Paragraph((Span("text"),)), Paragraph((Span("more"),)))
    assert isinstance(second, Paragraph)
    assert second.is_formula
    assert paragraphs("\\[\na = b\n- c\n\\]") == ["a = b − c"]


def test_code_has_no_formulas() -> None:
    for source in (r"\(x\)", "$x$"):
        (block,) = parse(f"`{source}`")
        assert isinstance(block, Paragraph)
        assert block.spans == (Span(source, is_code=True),)
    (block,) = parse("$a `b$` c")
    assert isinstance(block, Paragraph)
    assert block.spans == (Span("$a "), Span("b$", is_code=True), Span(" c"))


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
@pytest.mark.parametrize(
    "source",
    [
        "a\n\n$$\nx = 1\n- y\n+ z\n$$\n\nb \\(q\\) c\n",
        "\\[\nx\n\nno formula\n\n- item\n",
        "- item\n  $$x$$\n- other\n\n$$ open",
        "$$\na\n$$ behind\n\nmore",
        "it is $a_1 + b_1$ and $5\n\nmore $x$\n\n- [ ] a\n- [x] b\n",
    ],
)
def test_streamed_in_pieces_it_is_what_the_whole_is(source: str, size: int) -> None:
    stream = MarkdownStream()
    finished: list[Block] = []
    for start in range(0, len(source), size):
        finished += stream.feed(source[start : start + size]).finished
    finished += stream.finish().finished
    assert finished == parse(source)
