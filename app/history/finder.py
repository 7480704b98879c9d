"""Owns finding a text in one chat: all its places, which one is shown, and their marks.

Does not know the other chats. Places in messages that have no view yet are counted in the messages' source, where the
marks of Markdown are text too; once a message is shown, what it shows counts. Of attachments it only says which has the
text: they are read in windows of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QVBoxLayout

from app.bridge.throttle import Throttle
from app.chat.message_view import MessageView
from app.chat.tab import ChatTab
from app.chat.transcript import Transcript
from app.history.find_bar import FindBar
from app.history.message_marks import mark, places_in
from app.state.message import Message
from app.state.search_words import pattern_of, words_of
from app.state.session import Session
from app.widgets.focus import holds_focus

_INTERVAL_MS = 100
_SETTLE_MS = 60


def finder_of(tab: ChatTab) -> Finder:
    """The tab's finder, made when it is first asked for."""
    finder = tab.findChild(Finder)
    if finder is None:
        finder = Finder(tab.session, tab.transcript, tab)
        layout = tab.layout()
        assert isinstance(layout, QVBoxLayout), f"the tab's layout is {layout!r}"
        layout.insertWidget(0, finder.bar)
    return finder


def leave_finder(tab: ChatTab) -> None:
    """Another chat is opened: what was looked for in this one is done with."""
    # One of hundreds of tabs, perhaps: only where finders are is looked.
    finder = tab.findChild(Finder, options=Qt.FindChildOption.FindDirectChildrenOnly)
    if finder is not None and not finder.bar.isHidden():
        finder.leave()


def leave_search(tab: ChatTab) -> None:
    """The search in all chats is cleared: the bar goes that it opened, unless the person made it a search here."""
    finder = tab.findChild(Finder, options=Qt.FindChildOption.FindDirectChildrenOnly)
    if finder is not None and finder.is_of_search:
        if holds_focus(finder.bar):
            finder.close()
        else:
            finder.leave()


class Finder(QObject):
    """A bar above a chat's messages. Child of the chat's tab, and as long-lived."""

    def __init__(self, session: Session, transcript: Transcript, tab: ChatTab) -> None:
        super().__init__(tab)
        self._session = session
        self._transcript = transcript
        self._tab = tab
        self._words: tuple[str, ...] = ()
        """What is looked for: what was typed as a whole, the text of a search in all chats word by word."""
        self._searched: str | None = None
        """The text of the search that led here."""
        self._is_asked_for = False
        """Whether the person opened the bar, not a hit of the search."""
        self._counts: list[tuple[Message, int]] = []
        """The messages that have places, with their number, from top to bottom."""
        self._at = (0, 0)
        """The message's number in `_counts`, and the place's in the message."""
        self._attached: list[tuple[Message, str]] = []
        """The messages with attachments that have the text, with the name of one, from top to bottom."""
        self._goal: Message | None = None
        """The message that was gone to for an attachment, until a place is gone to."""
        self._marked: dict[MessageView, int | None] = {}
        """The views that are marked, each with the place in it that is shown."""
        self._origin_px: int | None = None
        """Where was read when the text was begun: while it is typed the first place is looked for from there on."""
        transcript.verticalScrollBar().actionTriggered.connect(lambda _: self._forget_origin())
        self.bar = FindBar()
        self.bar.hide()
        self._throttle = Throttle(_INTERVAL_MS, self._search, self)
        self.bar.text_changed.connect(lambda _: self._throttle.request())
        self.bar.step_requested.connect(self.step)
        self.bar.closed.connect(self.close)

    @property
    def is_of_search(self) -> bool:
        """Whether the bar is there only as the search in all chats led to this one."""
        return not self.bar.isHidden() and not self._is_asked_for and self.bar.field.text() == self._searched

    def open(self, text: str | None = None, message_id: str | None = None) -> None:
        """Shows the bar, with the caret in it; or with a text goes to its first place in this message."""
        self.bar.show()
        self._is_asked_for = text is None
        if text is None:
            self.bar.field.setFocus()
            self.bar.field.selectAll()
            return
        self.bar.field.setText(text)
        self._searched = text
        self._throttle.cancel()
        self._search()
        numbers = (number for number, (message, _) in enumerate(self._counts) if message.id == message_id)
        if (number := next(numbers, None)) is not None:
            self._at = (number, 0)
            self._show()
        elif (goal := next((one for one, _ in self._attached if one.id == message_id), None)) is not None:
            self._go_to_attachment(goal)

    def _go_to_attachment(self, message: Message) -> None:
        self._goal = message
        if self._transcript.reveal(message) is not None:
            self._transcript.show_line(message, 0)
            QTimer.singleShot(_SETTLE_MS, self, partial(self._scroll_again, self._at))

    def close(self) -> None:
        # First: when what has the focus is hidden, Qt gives it to whatever comes next, as to the chat beside.
        self._tab.setFocus()
        self.leave()

    def leave(self) -> None:
        """Hides the bar and the marks; the focus stays where it is."""
        self.bar.hide()
        self._forget_origin()
        self._throttle.cancel()
        for view in self._transcript.views:
            mark(view, (), None)
        self._marked.clear()

    def step(self, direction: int) -> None:
        """To the next place, or the one before; the chat is a ring."""
        self._throttle.flush()
        if not self._counts:
            return
        self._goal = None
        self._forget_origin()
        index, place = self._at
        place += direction
        if not 0 <= place < self._counts[index][1]:
            index = (index + direction) % len(self._counts)
            place = 0 if direction > 0 else -1
        self._at = (index, place)
        self._show()

    def _search(self) -> None:
        text = self.bar.field.text()
        self._words = words_of(text) if text == self._searched else (text,) * bool(text)
        messages = self._session.messages if self._words else ()
        pattern = pattern_of(self._words or ("",))
        views = {id(view.message): view for view in self._transcript.views}
        self._counts = []
        for message in messages:
            view = views.get(id(message))
            places = pattern.finditer(message.text) if view is None else iter(places_in(view, self._words))
            count = sum(1 for _ in places)
            if count:
                self._counts.append((message, count))
        self._attached = [
            (message, attachment.name)
            for message in messages
            for attachment in message.attachments
            if pattern.search(attachment.text) or pattern.search(attachment.name)
        ]
        self._goal = None
        self._marked.clear()
        self._at = self._first_from_here()
        self._show()

    def _first_from_here(self) -> tuple[int, int]:
        """The first place in sight or below it; where there is none, as in a hidden chat, the newest of all."""
        if self._origin_px is None:
            self._origin_px = self._transcript.verticalScrollBar().value()
        views = {id(view.message): view for view in self._transcript.views}
        for number, (message, _) in enumerate(self._counts):
            view = views.get(id(message))
            # Those without a view are the oldest.
            if view is None or view.y() + view.height() < self._origin_px:
                continue
            for place, y in enumerate(self._heights(view)):
                if view.y() + y >= self._origin_px:
                    return (number, place)
        return (len(self._counts) - 1, -1) if self._counts else (0, 0)

    def _forget_origin(self) -> None:
        self._origin_px = None

    def _heights(self, view: MessageView) -> Iterator[int]:
        """How far below the view's upper edge its places are."""
        for widget, cursor in places_in(view, self._words):
            yield widget.mapTo(view, widget.cursorRect(cursor).center()).y()

    def _show(self) -> None:
        """Shows the place and marks all that is in view."""
        current: MessageView | None = None
        if self._counts:
            current = self._transcript.reveal(self._counts[self._at[0]][0])
        place = None if current is None else self._settled_place(current)
        for view in self._transcript.views:
            # Of a long chat only those whose marks are to be others.
            if view is current or view not in self._marked or self._marked[view] is not None:
                self._marked[view] = place if view is current else None
                mark(view, self._words, self._marked[view])
        before = sum(count for _, count in self._counts[: self._at[0]])
        count = sum(count for _, count in self._counts)
        self.bar.show_count(before + self._at[1] + 1, count, self._attached[-1][1] if self._attached else None)
        if current is not None:
            self._scroll_to(current)
            # A view that was just made takes its height in several steps.
            QTimer.singleShot(_SETTLE_MS, self, partial(self._scroll_again, self._at))

    def _settled_place(self, view: MessageView) -> int:
        """The number of the place in the message, now that what the message shows is known."""
        index, place = self._at
        count = len(places_in(view, self._words))
        self._counts[index] = (view.message, count)
        place = max(0, count - 1) if place < 0 else min(place, max(0, count - 1))
        self._at = (index, place)
        return place

    def _scroll_again(self, at: tuple[int, int]) -> None:
        if self._goal is not None:
            self._transcript.show_line(self._goal, 0)
            return
        view = self._transcript.view_of(self._counts[at[0]][0]) if at == self._at and self._counts else None
        if view is not None and self.bar.isVisible():
            self._scroll_to(view)

    def _scroll_to(self, view: MessageView) -> None:
        places = places_in(view, self._words)
        offset_px = 0
        if places:
            widget, cursor = places[min(self._at[1], len(places) - 1)]
            offset_px = widget.mapTo(view, widget.cursorRect(cursor).center()).y()
        self._transcript.show_line(view.message, offset_px)
