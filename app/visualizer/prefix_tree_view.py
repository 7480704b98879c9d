"""Owns the tree of cached texts: what is kept, how often it was used again, who uses it, and what becomes of it.

Knows neither the block grid nor how a pin is set; it asks for it and is told what came of it.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import takewhile

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QAction, QIcon
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.i18n import translate
from app.theme import theme_signals
from app.visualizer.block_model import BlockKind
from app.visualizer.cell_tiles import CellLook
from app.visualizer.owner_chip import look_chip, owner_chip
from app.visualizer.owners import Owners
from app.visualizer.row_heights import RowHeights
from app.visualizer.text_tree import HITS, TEXT, TOKENS, USERS, TextTree
from app.widgets.elided_label import ElidedLabel
from app.widgets.icons import icon
from app.widgets.units import memory_size
from engine.messages import DropNode, PinNode, PrefixDropped, PrefixNode, PrefixPinned, PrefixTree

_NODE_ROLE = Qt.ItemDataRole.UserRole
_MIN_ROWS = 3
_LONGEST_TEXT = 200
_LONGEST_WORD = 16
_MANY_ROWS = 20


class PrefixTreeView(QWidget):
    """Rows keep their place, choice and folds from one tree to the next, for as long as their text is cached."""

    command_wanted = Signal(object)
    """PinNode | DropNode"""

    def __init__(self, owners: Owners, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._owners = owners
        self._nodes: tuple[PrefixNode, ...] = ()
        self._beginnings: dict[bytes, int] = {}
        """How many characters a text begins with that another one in its place begins with too."""
        self._items: dict[bytes, QTreeWidgetItem] = {}
        self.tree = TextTree(self._chips)
        self.heights = RowHeights(self.tree, _MIN_ROWS)
        self.tree.setAccessibleName(translate("app", "Cached texts"))
        # Short: what it saves goes to the texts.
        short = {TOKENS: translate("app", "tok", "tokens")}
        self.tree.setHeaderLabels([short.get(column, words) for column, words in enumerate(self.headers())])
        self.tree.headerItem().setToolTip(TOKENS, self.headers()[TOKENS])
        self.tree.itemSelectionChanged.connect(self._on_chosen)
        self.tree.narrowed.connect(self._show_notes)
        # Always there, and one line: what stands below must not jump when there is an answer.
        self.answer = ElidedLabel(" ", "muted")
        self._is_warning = False
        """What stands there is of the chosen text, not what came of a command."""
        self.pin_button = QPushButton(translate("app", "Pin", "keep in memory"))
        self.pin_button.setToolTip(
            translate("app", "Keep this text in memory, from its beginning, as long as the model is loaded")
        )
        self.unpin_button = QPushButton(translate("app", "Unpin", "keep in memory"))
        self.unpin_button.setToolTip(translate("app", "No longer keep this text"))
        self.drop_button = QPushButton(translate("app", "Drop"))
        self.drop_button.setToolTip(translate("app", "Forget this text and all that follows it (Del)"))
        self.pin_button.clicked.connect(lambda: self._send_pin(True))
        self.unpin_button.clicked.connect(lambda: self._send_pin(False))
        self.drop_button.clicked.connect(self._send_drop)
        delete = QAction(self.tree)
        delete.setShortcut(Qt.Key.Key_Delete)
        delete.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        delete.triggered.connect(self._send_drop)
        self.tree.addAction(delete)
        theme_signals().theme_changed.connect(self._show_pins)
        self._lay_out()
        self._enable_buttons()

    def _show_pins(self) -> None:
        """In the look's colour."""
        for node in self._nodes:
            if node.pins:
                self._items[node.first_digest].setIcon(TEXT, icon("pin"))

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(6)
        for button in (self.pin_button, self.unpin_button, self.drop_button):
            buttons.addWidget(button)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.tree, 1)
        column.addLayout(buttons)
        column.addWidget(self.answer)

    @staticmethod
    def headers() -> list[str]:
        return [
            translate("app", "text"),
            translate("app", "tokens"),
            translate("app", "hits"),
            translate("app", "used by"),
        ]

    @property
    def nodes(self) -> tuple[PrefixNode, ...]:
        """What is shown, parents before children."""
        return self._nodes

    def show_tree(self, tree: PrefixTree) -> None:
        self._nodes = tree.nodes
        self._beginnings = _common_beginnings(tree.nodes)
        chosen = self._chosen()
        gone = self._items.keys() - {node.first_digest for node in tree.nodes}
        is_much = len(gone) + len(tree.nodes) - (len(self._items) - len(gone)) > _MANY_ROWS
        # Painted once for many new rows, and not at all for a tree that rests.
        self.tree.setUpdatesEnabled(not is_much)
        # Qt goes on to a neighbour of what is taken out, whose node is still that of the tree before.
        was_blocked = self.tree.blockSignals(True)
        for digest in gone:
            self._take_out(digest)
        for node in tree.nodes:
            self._put(node, None if node.parent is None else tree.nodes[node.parent].first_digest)
        self.tree.setUpdatesEnabled(True)
        is_gone = chosen is not None and chosen.first_digest in gone
        if is_gone:
            # A second press would drop the neighbour too.
            self.tree.setCurrentIndex(QModelIndex())
            self.tree.clearSelection()
        self.tree.blockSignals(was_blocked)
        self.heights.fit()
        self._enable_buttons()
        if is_gone:
            self._on_chosen()

    def clear(self) -> None:
        self._nodes = ()
        self._beginnings = {}
        self._items.clear()
        self.tree.clear()
        self.answer.setText(" ")
        self.heights.fit()
        self._enable_buttons()

    def show_answer(self, answer: PrefixPinned | PrefixDropped) -> None:
        """What came of a pin or a drop, in words."""
        if isinstance(answer, PrefixDropped):
            words = translate("app", "Dropped %n block(s).", None, answer.num_blocks)
            if answer.num_kept:
                words += " " + translate("app", "%n more are in use or pinned, and stay.", None, answer.num_kept)
        elif answer.is_gone:
            words = translate("app", "There is nothing left to pin: this text is no longer cached.")
        elif answer.num_blocks:
            words = translate("app", "Pinned: %n block(s), {size}.", None, answer.num_blocks)
            words = words.format(size=memory_size(answer.size_bytes))
        elif _is_place(answer.owner):
            words = translate("app", "Unpinned this text.")
        else:
            words = translate("app", "Unpinned “{name}”.").format(name=self._owners.title(answer.owner))
        self.answer.setText(words)
        self._is_warning = False

    def text(self) -> str:
        """A line for each text, indented by its depth, columns parted by tabs."""
        depths: list[int] = []
        lines = ["\t".join(self.headers())]
        for node in self._nodes:
            depths.append(0 if node.parent is None else depths[node.parent] + 1)
            title, *others = self._texts(node)
            lines.append("\t".join(["  " * depths[-1] + title, *others]))
        return "\n".join(lines)

    def _texts(self, node: PrefixNode) -> list[str]:
        beginning = self._beginnings.get(node.first_digest, 0)
        text = " ".join(node.text[beginning:].split())[:_LONGEST_TEXT]
        text = f"…{text}" if beginning else text
        users = [self._owners.title(owner) for owner in node.sharers]
        last = translate("app", "last {titles}").format(titles=self._owners.title(node.last_owner))
        notes = ", ".join(users) if users else last
        if node.pins:
            notes = translate("app", "pinned · {notes}").format(notes=notes)
        return [f"“{text}”", f"{node.num_tokens:,}", f"{node.num_hits:,}", notes]

    def _row_texts(self, node: PrefixNode) -> list[str]:
        """As they stand in the columns: where there is no room for that of the hits, the notes begin with them."""
        *texts, notes = self._texts(node)
        if self.tree.is_narrow and node.num_hits:
            reused = translate("app", "{count}× reused").format(count=f"{node.num_hits:,}")
            notes = f"{reused} · {notes}"
        return [*texts, notes]

    def _show_notes(self) -> None:
        for node in self._nodes:
            notes = self._row_texts(node)[USERS]
            self._items[node.first_digest].setText(USERS, notes)
            self._items[node.first_digest].setToolTip(USERS, notes)

    def _chips(self, index: QModelIndex | QPersistentModelIndex, scale: float) -> list[QIcon]:
        """Those of the chats that use the row's text, or that of the last one that did, hollow as its cells are."""
        node: PrefixNode | None = index.sibling(index.row(), TEXT).data(_NODE_ROLE)
        if node is None:
            return []
        if not node.sharers:
            return [look_chip(CellLook(BlockKind.CACHED, (self._owners.color_index(node.last_owner),)), scale)]
        return [owner_chip(self._owners.color_index(owner), scale) for owner in node.sharers]

    def _pin_name(self, name: str) -> str:
        """A pin is named by its chat, or by a place of the tree, which has no name that says anything."""
        return translate("app", "this text") if _is_place(name) else self._owners.title(name)

    def _take_out(self, digest: bytes) -> None:
        item = self._items.pop(digest)
        # What follows it may still be cached; it is put elsewhere below.
        children = item.takeChildren()
        parent = item.parent() or self.tree.invisibleRootItem()
        parent.removeChild(item)
        self.tree.addTopLevelItems(children)

    def _put(self, node: PrefixNode, parent_digest: bytes | None) -> None:
        parent = self.tree.invisibleRootItem() if parent_digest is None else self._items[parent_digest]
        item = self._items.get(node.first_digest)
        if item is None:
            item = self._items[node.first_digest] = QTreeWidgetItem()
            for column in (TOKENS, HITS):
                item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            parent.addChild(item)
            item.setExpanded(True)
        elif (item.parent() or self.tree.invisibleRootItem()) is not parent:
            (item.parent() or self.tree.invisibleRootItem()).removeChild(item)
            parent.addChild(item)
            item.setExpanded(True)
        former, texts = item.data(0, _NODE_ROLE), self._row_texts(node)
        if former == node and (item.text(0), item.text(USERS)) == (texts[0], texts[USERS]):
            # Most of a large tree rests.
            return
        item.setData(0, _NODE_ROLE, node)
        for column, text in enumerate(texts):
            if item.text(column) != text:
                item.setText(column, text)
        if former is None or former.pins != node.pins:
            item.setIcon(0, icon("pin") if node.pins else QIcon())
        item.setToolTip(0, node.text)
        item.setToolTip(TOKENS, f"{self.headers()[HITS]}: {texts[HITS]}")
        item.setToolTip(USERS, item.text(USERS))

    def _chosen(self) -> PrefixNode | None:
        selected = self.tree.selectedItems()
        return selected[0].data(0, _NODE_ROLE) if selected else None

    def _enable_buttons(self) -> None:
        node = self._chosen()
        self.pin_button.setEnabled(node is not None and not node.pins)
        self.unpin_button.setEnabled(node is not None and bool(node.pins))
        self.drop_button.setEnabled(node is not None)

    def _on_chosen(self) -> None:
        self._enable_buttons()
        node = self._chosen()
        words = "" if node is None else self._unpin_words(node)
        self.unpin_button.setToolTip(words or translate("app", "No longer keep this text"))
        self.unpin_button.setAccessibleDescription(words)
        if words or self._is_warning:
            # What came of a drop stays, although the text it was of is no longer chosen.
            self.answer.setText(words or " ")
        self._is_warning = bool(words)

    def _unpin_words(self, node: PrefixNode) -> str:
        """What else goes with a text: what follows it, and where a pin ends in it, all that this pin keeps."""
        place = self._nodes.index(node)
        followers = {place}
        for number, other in enumerate(self._nodes):
            # Parents come before their children.
            if other.parent in followers:
                followers.add(number)
        going_on = {name for number in followers - {place} for name in self._nodes[number].pins}
        ending = set(node.pins) - going_on
        gone = [
            other
            for number, other in enumerate(self._nodes)
            if other.pins and set(other.pins) <= (set(node.pins) if number in followers else ending)
        ]
        if len(gone) < 2:
            return ""
        num_tokens = sum(other.num_tokens for other in gone)
        if not ending:
            return translate("app", "Unpin: this text and what follows, %n token(s).", None, num_tokens)
        names = ", ".join(f"“{self._pin_name(name)}”" for name in node.pins if name in ending)
        words = translate("app", "Unpin lets go of all that {pins} keeps: %n token(s).", None, num_tokens)
        return words.format(pins=names)

    def _send_pin(self, is_pinned: bool) -> None:
        node = self._chosen()
        if node is not None:
            self.command_wanted.emit(PinNode(node.digest, is_pinned, None if is_pinned else node.first_digest))

    def _send_drop(self) -> None:
        node = self._chosen()
        if node is not None:
            self.command_wanted.emit(DropNode(node.first_digest))


def _is_place(pin: str) -> bool:
    return pin.startswith("prefix ")


def _common_beginnings(nodes: tuple[PrefixNode, ...]) -> dict[bytes, int]:
    """Of each text by its first digest, how far it is alike with the one it is most like of those in its place.

    Blocks are compared whole, so that texts which part within a block stand beside each other with the same beginning.
    """
    families: dict[int | None, list[PrefixNode]] = defaultdict(list)
    for node in nodes:
        families[node.parent].append(node)
    beginnings = {}
    for family in families.values():
        # In order, those most alike are neighbours.
        family.sort(key=lambda node: node.text)
        for place, node in enumerate(family):
            neighbours = family[max(0, place - 1) : place] + family[place + 1 : place + 2]
            alike = max((_num_alike(node.text, other.text) for other in neighbours), default=0)
            beginnings[node.first_digest] = _word_start(node.text, alike)
    return beginnings


def _num_alike(one: str, other: str) -> int:
    """How many characters both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _word_start(text: str, place: int) -> int:
    """Where the word begins in which the place lies; 0 if nothing would be left."""
    if not text[place:].strip():
        return 0
    start = max(text.rfind(blank, 0, place) for blank in " \n\t") + 1
    # Some scripts have no blanks.
    return start if place - start <= _LONGEST_WORD else place
