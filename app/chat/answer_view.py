"""Owns the body of one answer: a column of text, code and table views that grows with its Markdown.

Does not know the chat. Finished blocks are never touched again; only what is still open is written anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.chat.code_view import CodeView
from app.chat.formula_view import FormulaView
from app.chat.markdown import Block, CodeBlock, Paragraph, Rule, Table
from app.chat.markdown_stream import MarkdownStream, Update
from app.chat.text_view import ProseView, TableView
from app.chat.transcript_page import keep_pixels

# A stretch of text is cut here: laying a document out again at another width is one unbroken piece of work.
MAX_BLOCKS_PER_PROSE = 40
_GAP_PX = 8

BlockView = ProseView | CodeView | TableView | FormulaView


@dataclass(slots=True)
class _Group:
    """Neighbouring blocks that one view shows."""

    kind: type[BlockView]
    blocks: list[Block] = field(default_factory=list)
    num_finished: int = 0


class AnswerView(QWidget):
    """Shows an answer's source text, which only ever gets longer."""

    def __init__(self, width_px: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        keep_pixels(self)
        self._width_px = width_px
        self._stream = MarkdownStream()
        self._read: Update | None = None
        """What has been read and not been shown."""
        self._views: list[BlockView] = []
        self._first_open = 0
        """The first view that may still change; it alone may hold finished blocks beside open ones."""
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(_GAP_PX)

    @property
    def views(self) -> Sequence[BlockView]:
        return self._views

    def append(self, text: str) -> None:
        self.read(text)
        self.show_read()

    def read(self, text: str) -> None:
        """Takes text that came, for a later `show_read`: a part of the work that can be done in a turn of its own."""
        self._read = _both(self._read, self._stream.feed(text))

    def show_read(self) -> None:
        if self._read is not None:
            read, self._read = self._read, None
            self._show(read)

    def finish(self) -> None:
        """The text is complete."""
        self._read = _both(self._read, self._stream.finish())
        self.show_read()

    def _show(self, update: Update) -> None:
        begun = self._begun_prose()
        groups = _groups(update, 0 if begun is None else begun.num_finished)
        index = self._first_open
        if begun is not None and (not groups or groups[0].kind is not ProseView):
            begun.show_blocks([], 0)
            index += 1
        for group in groups:
            view = self._view_at(index, group.kind)
            _fill(view, group)
            if group.num_finished:
                is_closed = group.num_finished == len(group.blocks) and not _has_room(view)
                self._first_open = index + 1 if is_closed else index
            index += 1
        while len(self._views) > index:
            self._remove(index)

    def _begun_prose(self) -> ProseView | None:
        """The text view that holds finished blocks and has room for more."""
        if self._first_open < len(self._views):
            view = self._views[self._first_open]
            if isinstance(view, ProseView) and view.num_finished:
                return view
        return None

    def _view_at(self, index: int, kind: type[BlockView]) -> BlockView:
        """The view at `index`, made anew unless one of this kind is there."""
        if index < len(self._views):
            if isinstance(self._views[index], kind):
                return self._views[index]
            self._remove(index)
        view = CodeView() if issubclass(kind, CodeView) else kind(self._width_px)
        self._views.insert(index, view)
        self._column.insertWidget(index, view)
        return view

    def _remove(self, index: int) -> None:
        view = self._views.pop(index)
        self._column.removeWidget(view)
        view.hide()
        view.deleteLater()


def _both(first: Update | None, second: Update) -> Update:
    """What two pieces of text changed, one after the other."""
    return second if first is None else Update((*first.finished, *second.finished), second.rest)


def _groups(update: Update, num_in_first: int) -> list[_Group]:
    """Divides the blocks among views. The first text view already holds `num_in_first` blocks."""
    groups: list[_Group] = []
    num_in_group = num_in_first
    for number, block in enumerate((*update.finished, *update.rest)):
        kind = _view_kind(block)
        is_full = num_in_group >= MAX_BLOCKS_PER_PROSE
        if not groups or kind is not ProseView or groups[-1].kind is not ProseView or is_full:
            num_in_group = num_in_first if not groups and kind is ProseView else 0
            groups.append(_Group(kind))
        num_in_group += 1
        groups[-1].blocks.append(block)
        if number < len(update.finished):
            groups[-1].num_finished += 1
    return groups


def _view_kind(block: Block) -> type[BlockView]:
    match block:
        case CodeBlock():
            return CodeView
        case Table():
            return TableView
        # One behind the marker of a list's item stands in its line, and one in a quotation beside its bar.
        case Paragraph() if block.is_formula and not block.marker and not block.quote_depth:
            return FormulaView
        case Paragraph() | Rule():
            return ProseView


def _has_room(view: BlockView) -> bool:
    return isinstance(view, ProseView) and view.num_finished < MAX_BLOCKS_PER_PROSE


def _fill(view: BlockView, group: _Group) -> None:
    first = group.blocks[0]
    if isinstance(view, ProseView):
        prose = [block for block in group.blocks if isinstance(block, Paragraph | Rule)]
        view.show_blocks(prose, group.num_finished)
    elif isinstance(view, TableView) and isinstance(first, Table):
        view.show_table(first)
    elif isinstance(view, FormulaView) and isinstance(first, Paragraph):
        view.show_formula(first)
    elif isinstance(view, CodeView) and isinstance(first, CodeBlock):
        view.show_code(first)
