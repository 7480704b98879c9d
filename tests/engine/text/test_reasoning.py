"""Thinking and answer told apart, in whatever pieces the text comes."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.reasoning import ReasoningSplitter


def split(pieces, is_open=False):
    splitter = ReasoningSplitter(is_open)
    parts = [*(splitter.add(piece) for piece in pieces), splitter.finish()]
    return "".join(part.reasoning for part in parts), "".join(part.answer for part in parts)


@pytest.mark.parametrize(
    ("text", "reasoning", "answer"),
    [
        ("plain", "", "plain"),
        ("<think>\nhm, 2\n</think>\n\n4", "hm, 2", "4"),
        ("<think>\n\n</think>\n\n4", "", "4"),
        ("\n <think>hm</think>4", "hm", "4"),
        ("Let me see.\n<think>\nhm\n</think>\n4\n", "hm", "Let me see.\n4\n"),
        ("<think>\nno end\n", "no end", ""),
        ("<think>\nno end</thi", "no end</thi", ""),
        ("<think>a < b </ think> c\n\nd</think>x", "a < b </ think> c\n\nd", "x"),
        ("The tag <think> begins it, </think> ends it", "", "The tag <think> begins it, </think> ends it"),
        ("<think>a</think>b\n<think>c</think>", "a", "b\n<think>c</think>"),
        ("a </think> b", "", "a </think> b"),
        ("  indented", "", "  indented"),
        ("  ", "", "  "),
        ("<thin", "", "<thin"),
        ("", "", ""),
    ],
)
@pytest.mark.parametrize("piece_size", [1, 2, 5, 100])
def test_parts_of_an_answer(text, reasoning, answer, piece_size):
    assert split([text[i : i + piece_size] for i in range(0, len(text), piece_size)]) == (reasoning, answer)


@pytest.mark.parametrize(
    ("text", "reasoning", "answer"),
    [
        ("hm\n</think>\n\n4", "hm", "4"),
        ("\n\nhm", "hm", ""),
        ("</think>\n4", "", "4"),
        ("a<think>b</think>", "a<think>b", ""),
    ],
)
@pytest.mark.parametrize("piece_size", [1, 3, 100])
def test_parts_of_an_answer_whose_prompt_began_to_think(text, reasoning, answer, piece_size):
    pieces = [text[i : i + piece_size] for i in range(0, len(text), piece_size)]
    assert split(pieces, is_open=True) == (reasoning, answer)


def test_text_is_shown_as_soon_as_it_is_no_tag():
    splitter = ReasoningSplitter()
    assert splitter.add("<think>hm").reasoning == "hm"
    assert splitter.add(" </th").reasoning == ""
    assert splitter.add("ere").reasoning == " </there"
    assert splitter.add("</think>").answer == ""
    assert splitter.add("\n4").answer == "4"
    assert splitter.add("\n<").answer == "\n<"


def naive(text, is_open):
    if not is_open:
        begin = re.search(r"(?m)^[^\S\n]*<think>", text)
        if begin is None:
            return "", text
        before, text = text[: begin.end() - len("<think>")], text[begin.end() :]
    else:
        before = ""
    reasoning, _, answer = text.partition("</think>")
    return reasoning.strip(), (before if before.strip() else "") + answer.lstrip()


parts = st.sampled_from(["<think>", "</think>", "<th", "ink>", "</", "<", "a", " ", "\n", "\n\n", "é"])


@given(st.lists(parts, max_size=14).map("".join), st.lists(st.integers(1, 6)), st.booleans())
def test_any_pieces_give_what_the_whole_text_gives(text, sizes, is_open):
    pieces, rest = [], text
    for size in sizes:
        pieces.append(rest[:size])
        rest = rest[size:]
    assert split([*pieces, rest], is_open) == naive(text, is_open)
