"""Gets a model from a hub and chats with it, all by clicks and keys, and prints as JSON what it saw.

Run as a program of its own: `python -m tests.e2e.models_driver HOME`, with HF_ENDPOINT naming a hub that has a
repository with "tiny" in its name.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.models.hub_card import HubCard
from app.models.hub_search import ResultRow
from tests.e2e.window_user import WindowUser, use_window


class ModelsDriver(WindowUser):
    async def _use(self) -> None:
        window, page = self._window, self._window.model_page
        await self._wait("the welcome", window.first_run_page.isVisible)
        await self._click(window.first_run_page.more_button)
        await self._wait("the search", page.get.search.field.isVisible)
        self.report["note"] = page.get.search.note.text()
        await self._type(page.get.search.field, "tiny")
        await self._key(page.get.search.field, Qt.Key.Key_Return)
        await self._wait("the results", lambda: bool(page.get.search.rows))
        row = page.get.search.rows[0]
        assert isinstance(row, ResultRow), row
        await self._click(row.button)
        card = await self._card()
        await self._wait("the facts", lambda: card.get_button.isVisible() and card.body.choices.isVisible())
        self.report["facts"] = card.summary.text()
        self.report["verdict"] = card.body.quality.verdict.line.text()
        await self._click(card.get_button)
        await self._wait("the model", lambda: window.models.loaded is not None)
        await self._wait("the list of jobs to be empty", lambda: not page.jobs.rows)
        await self._click(page.sections.button(0))
        model = window.models.loaded
        assert model is not None
        self.report["model_id"] = model.model_id
        await self._chat()
        (model_card,) = page.cards()
        await self._click_on_page(model_card.button)
        await self._wait("the unloading", lambda: window.models.loaded is None)
        await self._click(model_card.delete_button)
        await self._wait("the trash", lambda: not page.cards())
        await self._click(page.undo_bar.undo_button)
        await self._wait("the model again", lambda: len(page.cards()) == 1)
        self.report["restored"] = page.cards()[0].entry.name

    async def _card(self) -> HubCard:
        search = self._window.model_page.get.search
        await self._wait("the card", lambda: bool(search.cards()))
        return search.cards()[0]

    async def _chat(self) -> None:
        window = self._window
        await self._key(window, Qt.Key.Key_T, Qt.KeyboardModifier.ControlModifier)
        tab = window.tabs.current_tab()
        assert tab is not None
        await self._type(tab.composer, "hello cat")
        await self._key(tab.composer, Qt.Key.Key_Return)
        await self._wait("the answer", lambda: len(tab.session.messages) > 1 and not tab.session.is_busy)
        self.report["roles"] = [message.role for message in tab.session.messages]

    async def _click_on_page(self, button: QWidget) -> None:
        self._window.show_models()
        await self._click(button)

    async def _click(self, widget: QWidget) -> None:
        await self._wait(
            f"{widget.accessibleName() or widget}",
            lambda: widget.isVisible() and widget.isEnabled() and widget.height() >= widget.sizeHint().height() // 2,
        )
        await super()._click(widget)


if __name__ == "__main__":
    sys.exit(use_window(Path(sys.argv[1]), ModelsDriver))
