"""Owns the search of the hub: the words, what was found, and the cards of what was opened.

Knows no network: it asks by signals, and only after a click or Enter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.i18n import translate
from app.models.hub_card import HubCard
from app.models.hub_offer import HubOffer, searched_offer
from app.widgets.card import Card
from app.widgets.error_note import ErrorNote
from app.widgets.fields import add_clear_button
from app.widgets.icons import show_icon
from app.widgets.text_label import TextLabel
from engine.messages import HubFailed, HubModel, HubResults

if TYPE_CHECKING:
    from app.models.host import Host

MAX_WORDS = 200


class ResultRow(Card):
    """One thing that was found, small until it is opened."""

    open_requested = Signal(object)
    """HubOffer"""

    def __init__(self, offer: HubOffer, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.offer = offer
        self.button = QPushButton(translate("app", "Details"))
        self.button.setAccessibleName(translate("app", "Details of {model}").format(model=offer.title))
        self.button.clicked.connect(lambda: self.open_requested.emit(offer))
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(TextLabel(offer.title))
        words.addWidget(TextLabel(offer.summary, "muted"))
        row = QHBoxLayout()
        row.addLayout(words, 1)
        row.addWidget(self.button)
        self.column.addLayout(row)


class HubSearch(QWidget):
    """`read_host` is asked when a result is opened."""

    search_requested = Signal(str)
    card_opened = Signal(HubCard)
    """A card that is new; whoever answers for the hub listens to it."""

    def __init__(self, read_host: Callable[[], Host], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._read_host = read_host
        self._words = ""
        self.field = QLineEdit(maxLength=MAX_WORDS)
        self.field.setPlaceholderText(translate("app", "Search the hub for a model, such as qwen 3b"))
        self.field.setAccessibleName(translate("app", "Search the hub"))
        add_clear_button(self.field)
        self.button = QPushButton(translate("app", "Search"))
        show_icon(self.button, "search")
        self.note = TextLabel("", "muted")
        self.error = ErrorNote()
        self.rows: list[ResultRow | HubCard] = []
        self._results = QVBoxLayout()
        self._results.setSpacing(8)
        self._build()
        self.field.returnPressed.connect(self._search)
        self.button.clicked.connect(self._search)

    def show_address(self, address: str) -> None:
        """Where a search goes, which is told before the first one."""
        self.note.setText(
            translate("app", "Searching asks {address}. Nothing else leaves this computer.").format(address=address)
        )

    def show_results(self, results: HubResults) -> None:
        """What was found for the words that were asked for last; what comes later is of no use."""
        if results.words != self._words:
            return
        self._end()
        self.note.setText(
            translate("app", "%n model(s) found, the most downloaded first", None, len(results.models))
            if results.models
            else translate("app", "Nothing found for {words}: try fewer words").format(words=results.words)
        )
        for model in results.models:
            self._add(model)

    def show_failure(self, failed: HubFailed) -> bool:
        """Whether it was about the search."""
        if failed.about != self._words or not self._words:
            return False
        self._end()
        self.note.hide()
        self.error.show_error(failed.message, translate("app", "Error: {code}").format(code=failed.code))
        return True

    def cards(self) -> list[HubCard]:
        return [row for row in self.rows if isinstance(row, HubCard)]

    def _add(self, model: HubModel) -> None:
        row = ResultRow(searched_offer(model))
        row.open_requested.connect(lambda _: self._open(row))
        self.rows.append(row)
        self._results.addWidget(row)

    def _open(self, row: ResultRow) -> None:
        card = HubCard(row.offer, self._read_host())
        place = self.rows.index(row)
        self.rows[place] = card
        self._results.replaceWidget(row, card)
        row.hide()
        row.deleteLater()
        self.card_opened.emit(card)
        card.open_button.setChecked(True)
        card.open_button.setFocus()

    def _search(self) -> None:
        words = self.field.text().strip()
        if not words:
            self.field.setFocus()
            return
        self._words = words
        self._clear()
        self.error.clear()
        self.note.show()
        self.note.setText(translate("app", "Searching for {words}").format(words=words))
        self.button.setEnabled(False)
        self.search_requested.emit(words)

    def _clear(self) -> None:
        """Cards whose job has begun stay: their progress stands in them."""
        for row in list(self.rows):
            if not (isinstance(row, HubCard) and row.is_busy):
                self.rows.remove(row)
                self._results.removeWidget(row)
                row.hide()
                row.deleteLater()

    @property
    def awaited(self) -> str | None:
        """The words that are being searched."""
        return None if self.button.isEnabled() else self._words

    def _end(self) -> None:
        self.button.setEnabled(True)

    def _build(self) -> None:
        line = QHBoxLayout()
        line.addWidget(self.field, 1)
        line.addWidget(self.button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(line)
        column.addWidget(self.note)
        column.addWidget(self.error)
        column.addLayout(self._results)
