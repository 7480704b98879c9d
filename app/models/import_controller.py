"""Owns asking the engine what a file of one's own would become, for the cards that take such files.

Does not know how it is converted.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from app.bridge.engine_client import GONE_CODE, GONE_MESSAGE, EngineClient
from app.i18n import translate
from app.models.import_card import ImportCard
from engine.messages import InspectSource, LibraryEvent, LibraryFailed, SourceFacts


class ImportController(QObject):
    """Brings the cards' questions to the engine and its answers to them."""

    chat_requested = Signal()
    """With a model that has come."""
    load_requested = Signal(str)
    """The model id."""

    def __init__(self, client: EngineClient, cards: Sequence[ImportCard], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._cards = tuple(cards)
        for card in self._cards:
            card.inspect_requested.connect(lambda path: client.send(InspectSource(path)))
            card.load_requested.connect(self.load_requested)
            card.chat_requested.connect(self.chat_requested)
        client.library_answered.connect(self._on_answered)
        client.engine_left.connect(self._on_engine_left)

    def show_loaded(self, loaded_id: str | None, loading_id: str | None) -> None:
        """The models that are loaded and being loaded now, or None."""
        for card in self._cards:
            card.strip.show_loaded(loaded_id, loading_id)

    def _on_engine_left(self) -> None:
        for card in self._cards:
            if (path := card.awaited) is not None:
                card.show_refusal(path, GONE_CODE, translate("app", GONE_MESSAGE))

    def _on_answered(self, answer: LibraryEvent) -> None:
        match answer:
            case SourceFacts():
                for card in self._cards:
                    card.show_facts(answer)
            case LibraryFailed(InspectSource(path), code, message):
                for card in self._cards:
                    card.show_refusal(path, code, message)
