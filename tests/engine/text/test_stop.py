"""Stop strings across pieces of text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.stop import StopMatcher


def run(stops, pieces):
    matcher = StopMatcher(stops)
    shown = [matcher.add(piece) for piece in pieces]
    return "".join(shown) + matcher.finish(), matcher.has_matched


def test_text_without_stops_passes_at_once():
    matcher = StopMatcher(())
    assert matcher.add("anything") == "anything"


def test_stop_across_pieces_is_cut_off():
    assert run(["END"], ["one E", "N", "D two"]) == ("one ", True)


def test_possible_beginning_waits_until_it_is_decided():
    matcher = StopMatcher(["abc"])
    assert matcher.add("xa") == "x"
    assert matcher.add("b") == ""
    assert matcher.add("d") == "abd"


@pytest.mark.parametrize(
    ("stops", "text", "shown"),
    [
        (["world", "lo w"], "hello world", "hel"),  # overlapping
        (["abcd", "c"], "xabcd", "xab"),  # one inside another
        (["ab", "abc"], "xabc", "x"),  # one the beginning of another
        (["abc", "bc", "c"], "xabc", "x"),  # complete at once
        (["aab"], "aaab", "a"),  # begins again inside itself
        (["abab", "ba"], "xabab", "xa"),
    ],
)
@pytest.mark.parametrize("piece_size", [1, 2, 3, 20])
def test_the_stop_that_is_complete_first_wins(stops, text, shown, piece_size):
    pieces = [text[start : start + piece_size] for start in range(0, len(text), piece_size)]
    assert run(stops, [*pieces, "more"]) == (shown, True)


def naive(stops, text):
    """Letter by letter: the text before the stop that is complete first, the longest of several."""
    for end in range(1, len(text) + 1):
        complete = [len(stop) for stop in stops if text[:end].endswith(stop)]
        if complete:
            return text[: end - max(complete)], True
    return text, False


few_letters = st.lists(st.text("ab\u0301", max_size=4), max_size=12)
several_stops = st.lists(st.text("ab\u0301", min_size=1, max_size=5), max_size=4)


@given(few_letters, several_stops)
def test_any_pieces_give_what_the_whole_text_gives(pieces, stops):
    assert run(stops, pieces) == naive(stops, "".join(pieces))


@given(few_letters, several_stops)
def test_no_more_is_held_back_than_could_begin_a_stop(pieces, stops):
    matcher = StopMatcher(stops)
    text = shown = ""
    for piece in pieces:
        text += piece
        shown += matcher.add(piece)
        if matcher.has_matched:
            break
        held = text[len(shown) :]
        assert text == shown + held
        assert not held or any(stop.startswith(held) for stop in stops)
        assert not any(stop.startswith(text[start:]) for stop in stops for start in range(len(shown)))
