"""Stop strings across pieces of text."""

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


def test_earliest_of_several_wins():
    assert run(["world", "lo w"], ["hello world"]) == ("hel", True)


@given(st.lists(st.text("ab", max_size=4), max_size=12), st.lists(st.text("ab", min_size=1, max_size=4), max_size=3))
def test_pieces_do_not_matter(pieces, stops):
    text = "".join(pieces)
    found = [text.find(stop) for stop in stops if stop in text]
    shown, has_matched = run(stops, pieces)
    assert has_matched == bool(found)
    if has_matched:
        # In a stream the stop that is complete first ends the text, so nothing after the first end is shown.
        first_end = min(text.find(stop) + len(stop) for stop in stops if stop in text)
        assert text.startswith(shown)
        assert len(shown) <= first_end
        assert not any(stop in shown for stop in stops)
    else:
        assert shown == text
