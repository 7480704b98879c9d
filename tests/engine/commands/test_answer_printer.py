"""What a chat on the terminal shows."""

import io

from engine.commands.answer_printer import AnswerPrinter


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def printed(stream, *pieces):
    printer = AnswerPrinter(stream)
    for text, reasoning in pieces:
        printer.add(text, reasoning)
    printer.end()
    return stream.getvalue()


def test_thinking_is_dim_and_stands_apart_from_the_answer():
    pieces = (("", "h"), ("", "m"), ("4", ""), ("2", ""))
    assert printed(Terminal(), *pieces) == "\x1b[2mhm\x1b[0m\n\n42\n"


def test_thinking_and_answer_may_come_at_once():
    assert printed(Terminal(), ("4", "hm")) == "\x1b[2mhm\x1b[0m\n\n4\n"


def test_thinking_without_an_end_leaves_the_terminal_bright():
    assert printed(Terminal(), ("", "hm")) == "\x1b[2mhm\x1b[0m\n"


def test_a_file_gets_the_answer_alone():
    assert printed(io.StringIO(), ("", "hm"), ("4", "")) == "4\n"


def test_an_answer_without_thinking_has_no_colour():
    assert printed(Terminal(), ("4", "")) == "4\n"
