"""Formulas that stand by themselves are set in two dimensions, and stay text where they cannot be."""

from __future__ import annotations

from threading import Event

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.chat import formula_setter, formula_view
from app.chat.answer_view import AnswerView
from app.chat.formula_drawing import MAX_CHARACTERS, MAX_DEPTH, FormulaDrawing, draw_formula
from app.chat.formula_setter import FormulaSetter
from app.chat.formula_view import FormulaView
from app.chat.markdown import Paragraph, parse

ROOTS = r"x = \frac{-b \pm \sqrt{b^2-4ac}}{2a}"


def height(source: str) -> float:
    drawing = draw_formula(source)
    assert drawing is not None, source
    return drawing.height


def formula(source: str) -> Paragraph:
    (block,) = parse(f"$${source}$$")
    assert isinstance(block, Paragraph)
    return block


@pytest.fixture
def view(qtbot: QtBot) -> FormulaView:
    widget = FormulaView(500)
    qtbot.addWidget(widget)
    with qtbot.waitExposed(widget):
        widget.show()
    return widget


def test_what_stands_above_each_other_is_higher_than_a_line() -> None:
    line = height("a + b")
    assert height(r"\frac{a}{b}") > 1.6 * line
    assert height(r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}^{-1}") > 1.6 * line
    assert height(r"\sum_{i=1}^{n} i") > 1.6 * line


@pytest.mark.parametrize(
    "source",
    [
        r"\frac{1}{",
        r"\unknown{x}",
        r"\genfrac",
        r"\text{速度} = 1",
        r"a = b \tag{1}",
        "x" * (MAX_CHARACTERS + 1),
        r"\sqrt{" * (MAX_DEPTH + 1) + "x" + "}" * (MAX_DEPTH + 1),
        r"\begin{matrix}" * 4 + "x" + r"\end{matrix}" * 4,
    ],
)
def test_what_cannot_be_set_in_full_or_takes_too_long_has_no_drawing(source: str) -> None:
    assert draw_formula(source) is None


def test_the_text_stands_until_the_drawing_is_there_and_stays_to_be_searched(qtbot: QtBot, view: FormulaView) -> None:
    # No other test has it, so it is not there yet.
    source = ROOTS + "+ 17"
    view.show_formula(formula(source))
    as_text = view.height()
    assert not view.is_drawn
    qtbot.waitUntil(lambda: view.is_drawn)
    assert view.height() > as_text
    assert not view.document().find("√").isNull()
    image = view.grab().toImage()
    assert any(image.pixelColor(x, image.height() // 2).lightness() < 128 for x in range(image.width()))


def test_copied_is_the_latex(qtbot: QtBot, view: FormulaView) -> None:
    view.show_formula(formula(ROOTS))
    qtbot.waitUntil(lambda: view.is_drawn)
    view.selectAll()
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == f"$${ROOTS}$$"


def test_where_it_would_become_too_small_it_is_a_text_that_wraps(qtbot: QtBot, view: FormulaView) -> None:
    view.show_formula(formula(ROOTS))
    qtbot.waitUntil(lambda: view.is_drawn)
    view.resize(60, view.height())
    assert not view.is_drawn
    view.resize(500, view.height())
    assert view.is_drawn


def test_an_answer_sets_formulas_by_themselves_but_not_behind_a_bullet_or_in_a_quotation(qtbot: QtBot) -> None:
    answer = AnswerView(500)
    qtbot.addWidget(answer)
    answer.append(f"Roots:\n$$\n{ROOTS}\n$$\nDone.\n\n- $$a^2$$\n\n> $$b^2$$\n")
    answer.finish()
    formulas = [part for part in answer.views if isinstance(part, FormulaView)]
    assert [part.toPlainText() for part in formulas] == [text(ROOTS)]


def text(source: str) -> str:
    return "".join(span.text for span in formula(source).spans)


class Pen:
    """Draws when it is told to."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.may_draw = Event()

    def draw(self, source: str) -> FormulaDrawing:
        self.begun.append(source)
        assert self.may_draw.wait(10), "the test has ended"
        return FormulaDrawing("<svg/>", 1.0, 1.0)


@pytest.fixture
def pen(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Pen:
    # Behind what other tests have asked for.
    qtbot.waitUntil(lambda: formula_setter.formula_setter().drawing("z") is not None)
    result = Pen()
    monkeypatch.setattr(formula_setter, "draw_formula", result.draw)
    return result


def test_formulas_in_sight_are_set_before_those_that_came_earlier(qtbot: QtBot, pen: Pen) -> None:
    setter = FormulaSetter()
    for source in "abcd":
        setter.drawing(source)
    setter.hurry("c")
    qtbot.waitUntil(lambda: pen.begun == ["c"])
    setter.hurry("d")
    pen.may_draw.set()
    qtbot.waitUntil(lambda: setter.drawing("b") is not None)
    assert pen.begun == ["c", "d", "a", "b"]


def test_a_formula_that_breaks_is_not_in_the_log(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def break_down(source: str) -> FormulaDrawing:
        raise ZeroDivisionError(f"in {source}")

    monkeypatch.setattr(formula_setter, "draw_formula", break_down)
    setter = FormulaSetter()
    with qtbot.waitSignal(setter.drawn):
        setter.drawing("my secret")
    assert "ZeroDivisionError" in caplog.text
    assert "break_down" in caplog.text
    assert "secret" not in caplog.text


def test_a_formula_that_is_painted_goes_before_others(qtbot: QtBot, pen: Pen, monkeypatch: pytest.MonkeyPatch) -> None:
    setter = FormulaSetter()
    monkeypatch.setattr(formula_view, "formula_setter", lambda: setter)
    view = FormulaView(500)
    qtbot.addWidget(view)
    pen.may_draw.set()
    for source in "pq":
        setter.drawing(source)
    view.show_formula(formula("r"))
    view.grab()
    qtbot.waitUntil(lambda: view.is_drawn)
    assert pen.begun[0] == "r"
