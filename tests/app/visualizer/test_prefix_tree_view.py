"""The tree of cached texts: its rows from one tree to the next, what is asked of the engine, and the answers."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from app.visualizer.owners import Owners
from app.visualizer.prefix_tree_view import PrefixTreeView
from engine.messages import DropNode, PinNode, PrefixDropped, PrefixNode, PrefixPinned, PrefixTree

ROOT = PrefixNode(None, b"r1", b"r2", (0, 1), 0, 32, 3, ("t", "r"), "r", (), "You are a\nhelpful agent")
TRIP = PrefixNode(0, b"t1", b"t1", (2,), 32, 16, 0, (), "t", (), "Plan a trip")
REGEX = PrefixNode(0, b"x1", b"x1", (3,), 32, 16, 0, (), "r", (), "Explain")


@pytest.fixture
def view(qtbot) -> PrefixTreeView:
    owners = Owners()
    owners.set_titles({"t": "Trip plan", "r": "Regex help"})
    widget = PrefixTreeView(owners)
    qtbot.addWidget(widget)
    with qtbot.waitExposed(widget):
        widget.show()
    return widget


def shown(view: PrefixTreeView) -> list[str]:
    return view.text().splitlines()[1:]


def choose(view: PrefixTreeView, *path: int) -> None:
    item = view.tree.topLevelItem(path[0])
    for place in path[1:]:
        item = item.child(place)
    view.tree.setCurrentItem(item)


def asked(view: PrefixTreeView) -> list[object]:
    commands: list[object] = []
    view.command_wanted.connect(commands.append)
    return commands


def test_each_text_tells_tokens_hits_and_who_uses_it(view: PrefixTreeView):
    view.show_tree(PrefixTree("m", (ROOT, TRIP, REGEX)))
    assert shown(view) == [
        "“You are a helpful agent”\t32\t3\tTrip plan, Regex help",
        "  “Plan a trip”\t16\t0\tlast Trip plan",
        "  “Explain”\t16\t0\tlast Regex help",
    ]


def test_where_the_column_of_hits_has_no_room_the_notes_tell_them(view: PrefixTreeView):
    view.show_tree(PrefixTree("m", (ROOT, TRIP, REGEX)))
    notes = []
    for width in (300, 1200):
        view.resize(width, 300)
        root = view.tree.topLevelItem(0)
        notes.append((view.tree.isColumnHidden(2), root.text(3), root.child(0).text(3)))
    assert notes == [
        (True, "3× reused · Trip plan, Regex help", "last Trip plan"),
        (False, "Trip plan, Regex help", "last Trip plan"),
    ]
    assert shown(view)[0].endswith("\t3\tTrip plan, Regex help")


def test_choice_outlives_the_next_tree_and_ends_with_its_text(view: PrefixTreeView):
    view.show_tree(PrefixTree("m", (ROOT, TRIP, REGEX)))
    choose(view, 0, 1)
    view.show_tree(PrefixTree("m", (replace(ROOT, num_hits=4), TRIP, REGEX)))
    assert [item.text(0) for item in view.tree.selectedItems()] == ["“Explain”"]
    view.show_tree(PrefixTree("m", (ROOT, TRIP)))
    assert "“Explain”" not in [item.text(0) for item in view.tree.selectedItems()]


def test_text_whose_beginning_is_gone_stays(view: PrefixTreeView):
    view.show_tree(PrefixTree("m", (ROOT, TRIP, REGEX)))
    view.show_tree(PrefixTree("m", (replace(TRIP, parent=None), replace(REGEX, parent=None))))
    assert [view.tree.topLevelItem(place).text(0) for place in range(2)] == ["“Plan a trip”", "“Explain”"]
    view.show_tree(PrefixTree("m", (ROOT, TRIP, REGEX)))
    assert view.tree.topLevelItemCount() == 1
    assert view.tree.topLevelItem(0).childCount() == 2


def test_pin_and_drop_name_the_place_by_its_digests(view: PrefixTreeView, qtbot):
    commands = asked(view)
    view.show_tree(PrefixTree("m", (ROOT, TRIP)))
    choose(view, 0)
    qtbot.mouseClick(view.pin_button, Qt.MouseButton.LeftButton)
    view.show_tree(PrefixTree("m", (replace(ROOT, pins=("t",)), TRIP)))
    for button in (view.unpin_button, view.drop_button):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert commands == [PinNode(b"r2", True), PinNode(b"r2", False, b"r1"), DropNode(b"r1")]


def test_delete_key_drops(view: PrefixTreeView, qtbot):
    commands = asked(view)
    view.show_tree(PrefixTree("m", (ROOT,)))
    choose(view, 0)
    view.tree.setFocus()
    qtbot.keyClick(view.tree, Qt.Key.Key_Delete)
    assert commands == [DropNode(b"r1")]


def test_without_a_choice_nothing_can_be_asked(view: PrefixTreeView):
    view.show_tree(PrefixTree("m", (ROOT,)))
    assert not any(button.isEnabled() for button in (view.pin_button, view.unpin_button, view.drop_button))


def test_what_is_pinned_can_be_unpinned_and_what_is_not_can_be_pinned(view: PrefixTreeView):
    view.show_tree(PrefixTree("m", (ROOT,)))
    choose(view, 0)
    assert (view.pin_button.isEnabled(), view.unpin_button.isEnabled()) == (True, False)
    view.show_tree(PrefixTree("m", (replace(ROOT, pins=("t",)),)))
    assert (view.pin_button.isEnabled(), view.unpin_button.isEnabled()) == (False, True)
    assert shown(view) == ["“You are a helpful agent”\t32\t3\tpinned · Trip plan, Regex help"]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (PrefixPinned("t", 12, 12 * 2**20), "Pinned: 12 blocks, 12 MiB."),
        (PrefixPinned("t", 0, 0), "Unpinned “Trip plan”."),
        (PrefixPinned("prefix 00ff", 0, 0), "Unpinned this text."),
        (PrefixPinned("prefix 00ff", 0, 0, True), "There is nothing left to pin: this text is no longer cached."),
        (PrefixDropped(b"", 1, 0), "Dropped 1 block."),
        (PrefixDropped(b"", 5, 3), "Dropped 5 blocks. 3 more are in use or pinned, and stay."),
    ],
)
def test_answers_are_told_in_words(view: PrefixTreeView, answer: PrefixPinned | PrefixDropped, words: str):
    view.show_answer(answer)
    assert view.answer.text() == words


def test_texts_that_begin_alike_are_shown_from_where_they_part(view: PrefixTreeView):
    story = replace(TRIP, text="user\nWrite a short story about cats")
    poem = replace(REGEX, text="user\nWrite a short poem about dogs")
    view.show_tree(PrefixTree("m", (ROOT, story, poem)))
    items = [view.tree.topLevelItem(0).child(place) for place in (0, 1)]
    assert [item.text(0) for item in items] == ["“…story about cats”", "“…poem about dogs”"]
    assert items[0].toolTip(0) == story.text


def test_dropped_text_leaves_nothing_chosen_for_a_second_press(view: PrefixTreeView):
    view.show_tree(PrefixTree("m", (ROOT, TRIP, REGEX)))
    choose(view, 0, 1)
    view.show_answer(PrefixDropped(b"", 1, 0))
    view.show_tree(PrefixTree("m", (ROOT, TRIP)))
    assert view.tree.selectedItems() == []
    assert view.answer.text() == "Dropped 1 block."
    assert not view.drop_button.isEnabled()


def test_dropped_text_may_have_a_neighbour_that_has_changed_meanwhile(view: PrefixTreeView):
    view.show_tree(PrefixTree("m", (ROOT, TRIP, REGEX)))
    choose(view, 0, 1)
    view.show_tree(PrefixTree("m", (ROOT, replace(TRIP, num_hits=1))))
    assert view.tree.selectedItems() == []
    assert not view.drop_button.isEnabled()


def test_an_answer_takes_no_room_of_its_own(view: PrefixTreeView):
    view.show_tree(PrefixTree("m", (ROOT,)))
    before = view.sizeHint().height()
    view.show_answer(PrefixPinned("t", 12, 12 * 2**20))
    assert view.sizeHint().height() == before


def test_what_an_unpin_lets_go_of_is_told_before(view: PrefixTreeView):
    pinned = [replace(node, pins=("t",)) for node in (ROOT, TRIP)]
    view.show_tree(PrefixTree("m", (*pinned, REGEX)))
    choose(view, 0)
    assert view.answer.text().startswith("Unpin: this text and what follows, 48 token")
    choose(view, 0, 0)
    assert view.answer.text().startswith("Unpin lets go of all that “Trip plan” keeps: 48 token")
    assert view.unpin_button.accessibleDescription() == view.answer.text()
    choose(view, 0, 1)
    assert view.answer.text() == " "
    assert not view.unpin_button.isEnabled()
