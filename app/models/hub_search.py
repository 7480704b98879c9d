"""Owns the search of the hub: the words, what was found, and the cards of what was opened.

Knows no network: it asks by signals, and only after a click or Enter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.i18n import translate
from app.models.hub_card import HubCard
from app.models.hub_link import repository_in
from app.models.hub_offer import HubOffer, named_offer, searched_offer
from app.widgets.card import Card
from app.widgets.error_note import ErrorNote
from app.widgets.icon_field import IconField
from app.widgets.icons import show_icon
from app.widgets.text_label import TextLabel
from engine.messages import HubFailed, HubModel, HubResults

if TYPE_CHECKING:
    from app.models.host import Host

MAX_WORDS = 200
FIRST_RESULTS, MAX_RESULTS = 30, 100


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
    more_requested = Signal(str, int)
    """The same words again, and how many models at most."""
    cards_changed = Signal()
    """Some are gone."""
    card_opened = Signal(HubCard)
    """A card that is new; whoever answers for the hub listens to it."""

    def __init__(self, read_host: Callable[[], Host], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._read_host = read_host
        self._words = ""
        self._limit = FIRST_RESULTS
        self.field = IconField()
        self.field.setMaxLength(MAX_WORDS)
        self.field.setPlaceholderText(translate("app", "Search the hub, such as qwen 3b, or paste a model's address"))
        self.field.setAccessibleName(translate("app", "Search the hub"))
        self.button = QPushButton(translate("app", "Search"))
        show_icon(self.button, "search")
        self.note = TextLabel("", "muted")
        self.error = ErrorNote()
        self.rows: list[ResultRow | HubCard] = []
        self.more_button = QPushButton(translate("app", "Show more"))
        self.more_button.setAccessibleName(translate("app", "Show more of what was found"))
        self.more_button.clicked.connect(self._search_on)
        self.more_button.hide()
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
        self.note.setText(self._found_words(len(results.models)))
        self.more_button.setVisible(FIRST_RESULTS == self._limit <= len(results.models))
        shown = {row.offer.repo_id for row in self.rows}
        for model in results.models:
            if model.repo_id not in shown:
                self._add(model)

    def show_failure(self, failed: HubFailed) -> bool:
        """Whether it was about the search."""
        if failed.about != self._words or not self._words:
            return False
        self._end()
        self.note.hide()
        self.error.show_error(failed.message, translate("app", "Error: {code}").format(code=failed.code))
        return True

    def _found_words(self, num_models: int) -> str:
        if not num_models:
            return translate("app", "Nothing found for {words}: try fewer words").format(words=self._words)
        if num_models < self._limit:
            return translate("app", "%n model(s) found, the most downloaded first", None, num_models)
        return translate("app", "The first %n model(s), the most downloaded first", None, num_models)

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
        _open_card(card)

    def _open_repository(self, repo_id: str) -> None:
        """The card of what was named itself, which needs no search."""
        self._words = ""
        self._end()
        self.note.setText(translate("app", "The hub is asked for {repository} alone.").format(repository=repo_id))
        card = next((card for card in self.cards() if card.offer.repo_id == repo_id), None)
        if card is None:
            card = HubCard(named_offer(repo_id), self._read_host())
            self.rows.append(card)
            self._results.addWidget(card)
            self.card_opened.emit(card)
        _open_card(card)

    def _search(self) -> None:
        words = self.field.text().strip()
        if not words:
            self.field.setFocus()
            return
        self._clear()
        self.error.clear()
        self.more_button.hide()
        self.note.show()
        if (repo_id := repository_in(words)) is not None:
            self._open_repository(repo_id)
            return
        self._words = words
        self._limit = FIRST_RESULTS
        self.note.setText(translate("app", "Searching for {words}").format(words=words))
        self.button.setEnabled(False)
        self.search_requested.emit(words)

    def _search_on(self) -> None:
        """More of the same words; what is shown stays."""
        self._limit = MAX_RESULTS
        self.more_button.hide()
        self.field.setFocus()
        self.button.setEnabled(False)
        self.more_requested.emit(self._words, self._limit)

    def _clear(self) -> None:
        """Cards whose job has begun stay: their progress stands in them."""
        for row in list(self.rows):
            if not (isinstance(row, HubCard) and row.is_busy):
                self.rows.remove(row)
                self._results.removeWidget(row)
                row.hide()
                row.deleteLater()
        self.cards_changed.emit()

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
        column.addWidget(self.more_button, 0, Qt.AlignmentFlag.AlignLeft)


def _open_card(card: HubCard) -> None:
    card.open_button.setChecked(True)
    card.open_button.setFocus()
