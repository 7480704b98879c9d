"""Owns the scrolled column of a chat's messages, and whether it follows its end.

Does not know the engine; the tab tells it when the newest answer changed.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QPushButton, QScrollArea, QWidget
from shiboken6 import delete

from app.chat.chat_words import forgotten_words, state_words
from app.chat.empty_chat import EmptyChat
from app.chat.latest_button import LatestButton
from app.chat.limit_note import fills_context, limit_words
from app.chat.message_view import AnswerMessageView, MessageView, QuestionView
from app.chat.transcript_page import MARGIN_PX, TranscriptPage
from app.i18n import translate
from app.state.message import Message
from app.state.session import Session
from app.theme import theme_signals
from app.widgets.steady_bar import scroll_only_down

COLUMN_CHARACTERS = 80
# Building a view costs about a millisecond; a long chat opens with its newest messages.
MAX_FIRST_MESSAGES = 40
MAX_FIRST_CHARACTERS = 16_000
_BOTTOM_SLACK_PX = 24


class Transcript(QScrollArea):
    """Shows a session. Views are made when it is first shown, and made again when the look changes."""

    tool_used = Signal(object, str)
    """A `Message`, and the `Tool` that is to do something with it."""
    edited = Signal(object, str)
    """A `Message`, and the text that is to take its place."""
    models_requested = Signal()
    options_requested = Signal()
    """The person wants to change what stopped an answer."""
    focus_freed = Signal()
    """What had the focus is not there any more."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._num_hidden = _num_hidden_at_first(session)
        self._context_limit: int | None = None
        self._views: list[MessageView] = []
        self._is_stale = True
        self._is_busy: bool | None = None
        """What the tools of the messages were told last."""
        self._is_following = True
        self._edits: dict[str, str] = {}
        """What stands in the editors of messages whose views were taken away, by the messages' ids."""
        self._place: tuple[Message, float] | None = None
        """What was read when the views were made again: a message, and the part of it that is above the view.

        Heights come in several steps, so it holds until the person scrolls.
        """
        self._head_px = 0
        """How far below the view's upper edge the place is."""
        self.bar_px = scroll_only_down(self)
        self._make_column()
        self.latest_button = LatestButton(self)
        self.latest_button.clicked.connect(self.follow)
        bar = self.verticalScrollBar()
        bar.setProperty("kind", "page")
        # Of a person's scrolling only, and before the value changes.
        bar.actionTriggered.connect(lambda _: self._forget_place())
        bar.valueChanged.connect(self._on_scrolled)
        bar.rangeChanged.connect(self._on_range_changed)
        theme_signals().theme_changing.connect(self._drop_views)
        theme_signals().theme_changed.connect(self._on_theme_changed)

    def _make_column(self) -> None:
        page = self.page = TranscriptPage()
        self._content, self._column, self._page_row = page.content, page.column, page.row
        self.earlier_button = QPushButton(translate("app", "Earlier messages"))
        self.earlier_button.clicked.connect(self._show_earlier)
        self._column.addWidget(self.earlier_button, 0, Qt.AlignmentFlag.AlignHCenter)
        self.empty_chat = EmptyChat()
        self._column.addWidget(self.empty_chat)
        page.end_column()
        self.setWidget(page)
        self._limit_width()

    @property
    def views(self) -> list[MessageView]:
        return self._views

    @property
    def is_following(self) -> bool:
        """Whether the view stays at the end when text arrives."""
        return self._is_following

    def answer_view(self) -> AnswerMessageView | None:
        """The view of the newest answer, if it is shown."""
        newest = self._views[-1] if self._views else None
        return newest if isinstance(newest, AnswerMessageView) else None

    def view_of(self, message: Message) -> MessageView | None:
        """The message's view, if it has one."""
        return next((view for view in self._views if view.message is message), None)

    def reveal(self, message: Message) -> MessageView | None:
        """The message's view, made if it is not there yet; None if the message is not shown or the chat is hidden."""
        self._unhide(message)
        return self.view_of(message)

    def _unhide(self, message: Message) -> None:
        index = next((index for index, one in enumerate(self._session.messages) if one is message), None)
        if index is not None and index < self._num_hidden:
            self._num_hidden = max(0, index - MAX_FIRST_MESSAGES // 2)
            self._rebuild()

    def edit_again(self, message: Message, text: str) -> None:
        """Puts a text that could not be taken back into the message's editor."""
        if (view := self.view_of(message)) is not None:
            view.edit(text)

    def show_line(self, message: Message, offset_px: int) -> None:
        """Scrolls so that what stands this far below the message's upper edge is in the middle of the view."""
        view = self.view_of(message)
        if view is not None and view.height():
            top_px = offset_px - self.viewport().height() // 2
            self.stay_at(message, top_px / view.height())

    def place(self) -> tuple[Message, float] | None:
        """What is read: a message, and the part of it that is above the view; None at the chat's end."""
        if self._place is None and self._is_following:
            return None
        return self._place or self._read_place()

    def stay_at(self, message: Message, part: float) -> None:
        """Goes to a place, or if the chat is hidden does so when it is shown, until the person scrolls."""
        self._place, self._head_px = (message, part), 0
        self._is_following = False
        self._unhide(message)
        self._go_to_place()
        self._place_latest_button()

    def head_px(self, message: Message) -> int:
        """How far the message's upper edge is below that of the view; 0 for one that has no view."""
        view = self.view_of(message)
        return 0 if view is None else view.y() - self.verticalScrollBar().value()

    def hold_head(self, message: Message, head_px: int) -> None:
        """Puts the message's upper edge so far below that of the view, until the person scrolls.

        Where the messages end too early for that, the page is left empty below them.
        """
        view = self.reveal(message)
        if view is None:
            return
        self._place, self._head_px = (message, 0.0), head_px
        self._is_following = False
        self._lay_out()
        end_px = self._views[-1].geometry().bottom() + 1 + MARGIN_PX
        self.page.leave_below(view.y() - head_px + self.viewport().height() - end_px)
        self._lay_out()
        self._go_to_place()
        self._place_latest_button()

    def show_empty_words(self, words: str) -> None:
        """What stands in a chat that has no message yet."""
        self.empty_chat.setText(words)

    def follow(self) -> None:
        """Goes to the end and stays there."""
        self._forget_place()
        self._is_following = True
        self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())
        self._place_latest_button()

    def show_messages(self) -> None:
        """Brings the views in line with the session's messages; the same messages keep their views."""
        if not self.isVisible():
            self._is_stale = True
            return
        self._num_hidden = min(self._num_hidden, max(0, len(self._session.messages) - 1))
        self.page.leave_below(0)
        shown = self._session.messages[self._num_hidden :]
        pairs = zip(self._views, shown, strict=False)
        num_same = next((number for number, (view, one) in enumerate(pairs) if view.message is not one), len(shown))
        while len(self._views) > num_same:
            self._remove_last()
        for message in shown[len(self._views) :]:
            self._append(message)
        self._show_versions()
        self.earlier_button.setVisible(self._num_hidden > 0)
        self.empty_chat.setVisible(not self._session.messages)
        self._is_stale = False
        self.show_progress()

    def show_anew(self, message: Message) -> None:
        """Makes the message's view and those behind it again: what it shows is no longer what was only added to."""
        index = next((number for number, view in enumerate(self._views) if view.message is message), len(self._views))
        while len(self._views) > index:
            self._remove_last()
        self.show_messages()

    def _show_versions(self) -> None:
        places = self._session.tree.places()
        for view in self._views:
            view.show_version(*places.get(view.message.id, (1, 1)))
        self._allow_changes()

    def _allow_changes(self) -> None:
        is_allowed = not self._session.is_busy
        for view in self._views:
            is_newest = view is self._views[-1]
            if isinstance(view, AnswerMessageView):
                self._show_limit(view, is_allowed and is_newest)
                view.allow_changes(is_allowed, is_newest)
                view.tools.keep(is_newest)
            else:
                view.allow_changes(is_allowed)

    def _show_limit(self, view: AnswerMessageView, is_shown: bool) -> None:
        when_full = self._session.when_full
        words = limit_words(view.message, self._context_limit, when_full) if is_shown else ""
        view.show_limit(words, when_full == "stop" and fills_context(view.message, self._context_limit))

    def show_context_limit(self, context_limit: int | None) -> None:
        """The most tokens that the chat can have, None while nobody knows; again when it does otherwise once full."""
        self._context_limit = context_limit
        self._allow_changes()

    def show_progress(self) -> None:
        """Shows what the newest answer gained: text, a state in words, its end."""
        view = self.answer_view()
        if self._is_stale or view is None or not self.isVisible():
            return
        if not self._session.is_busy:
            view.show_end()
        before = view.extent()
        view.show_text()
        if view.extent() != before:
            self._settle(view.body.views[-1] if view.body.views else view.body)
        view.show_notice(forgotten_words(self._session, view.message))
        view.show_state(state_words(self._session))
        if self._is_busy is not self._session.is_busy:
            self._is_busy = self._session.is_busy
            self._allow_changes()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_stale:
            self.show_messages()
        else:
            self.show_progress()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_latest_button()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._limit_width()

    def _settle(self, grown: QWidget) -> None:
        """Gives a grown part its room and goes to the end at once; else that takes a turn of the loop for each layout.

        The page is moved before anything in it is: its pixels are still those on the screen by then, and are not
        painted again.
        """
        part: QWidget | None = grown
        while part is not None and part is not self.viewport():
            part.updateGeometry()
            part = part.parentWidget()
        if self._is_following:
            column, bar = self._page_row, self.verticalScrollBar()
            by_width = column.totalHeightForWidth(self.viewport().width()) if column.hasHeightForWidth() else 0
            maximum = max(by_width, column.totalMinimumSize().height()) - self.viewport().height()
            if maximum > bar.maximum():
                bar.setMaximum(maximum)
        super().event(QEvent(QEvent.Type.LayoutRequest))

    def _lay_out(self) -> None:
        """At once, with what was just made."""
        for view in self._views:
            # What has come into a layout is shown a turn of the loop later, and has no room until then.
            view.show()
        self._column.activate()
        self._settle(self._content)
        self._page_row.activate()

    def _append(self, message: Message) -> None:
        width_px = min(self._content.maximumWidth(), self.viewport().width() - 2 * MARGIN_PX)
        view: MessageView
        if message.role == "user":
            view = QuestionView(message, width_px)
        else:
            view = AnswerMessageView(message, width_px)
            view.models_requested.connect(self.models_requested)
            view.limit_note.options_requested.connect(self.options_requested)
            view.show_notice(forgotten_words(self._session, message))
        view.tool_used.connect(lambda tool: self.tool_used.emit(message, tool))
        view.edited.connect(lambda text: self.edited.emit(message, text))
        view.editor_left.connect(self.focus_freed)
        if (text := self._edits.pop(message.id, None)) is not None:
            view.edit(text)
        self._views.append(view)
        self._column.insertWidget(self._column.count() - 1, view)

    def _remove_last(self) -> None:
        view = self._views.pop()
        if view.editor is not None:
            self._edits[view.message.id] = view.editor.text()
        self._column.removeWidget(view)
        focus = self.window().focusWidget()
        had_focus = focus is not None and view.isAncestorOf(focus)
        view.hide()
        view.deleteLater()
        if had_focus:
            self.focus_freed.emit()

    def _rebuild(self) -> None:
        self._keep_place()
        while self._views:
            self._remove_last()
        self.show_messages()

    def _keep_place(self) -> None:
        if self._place is None and not self._is_following:
            self._place = self._read_place()

    def _drop_views(self) -> None:
        """At once, not when the loop comes round: no look is worked out for what is made again."""
        self._keep_place()
        views = list(self._views)
        while self._views:
            self._remove_last()
        for view in views:
            delete(view)
        self._is_stale = True

    def _read_place(self) -> tuple[Message, float] | None:
        top = self.verticalScrollBar().value()
        for view in self._views:
            if view.height() and view.y() + view.height() > top:
                return view.message, (top - view.y()) / view.height()
        return None

    def _go_to_place(self) -> None:
        view = next((view for view in self._views if self._place and view.message is self._place[0]), None)
        if view is not None and self._place is not None:
            top_px = view.y() + round(self._place[1] * view.height())
            self.verticalScrollBar().setValue(top_px - self._head_px)

    def _forget_place(self) -> None:
        self._place, self._head_px = None, 0

    def _show_earlier(self) -> None:
        self._num_hidden = max(0, self._num_hidden - MAX_FIRST_MESSAGES)
        self._is_following = False
        self._place, self._head_px = self._read_place(), 0
        self._rebuild()

    def _limit_width(self) -> None:
        self._content.setMaximumWidth(COLUMN_CHARACTERS * self.fontMetrics().averageCharWidth())

    def _on_theme_changed(self) -> None:
        self._limit_width()
        self._rebuild()

    def _on_scrolled(self, _: int) -> None:
        if self._place is None:
            self._is_following = self._is_at_end()
        self._place_latest_button()

    def _on_range_changed(self, minimum: int, maximum: int) -> None:
        if self._place is not None:
            self._go_to_place()
        elif self._is_following:
            self.verticalScrollBar().setValue(maximum)
        self._place_latest_button()

    def _is_at_end(self) -> bool:
        bar = self.verticalScrollBar()
        return bar.value() >= bar.maximum() - _BOTTOM_SLACK_PX

    def _place_latest_button(self) -> None:
        # A place that is kept may be in the last screenful: then there is nowhere to go, and it would cover text.
        self.latest_button.place(not self._is_following and not self._is_at_end())


def _num_hidden_at_first(session: Session) -> int:
    """Of the oldest messages: the newest are shown as far as building them takes no time that can be felt."""
    num_shown = num_characters = 0
    for message in reversed(session.messages[-MAX_FIRST_MESSAGES:]):
        num_characters += len(message.text)
        if num_shown and num_characters > MAX_FIRST_CHARACTERS:
            break
        num_shown += 1
    return len(session.messages) - num_shown
