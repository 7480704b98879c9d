"""Uses the tools of a chat's messages in the real window with the real engine, and prints as JSON what it saw.

Run as a program of its own, as `window_driver` is: `python -m tests.e2e.chat_driver HOME`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.chat.message_tools import WORDS, Tool
from app.chat.message_view import AnswerMessageView, MessageView
from app.chat.tab import ChatTab
from app.state.parameters import ChatParameters
from engine.messages import Submit
from tests.e2e.window_driver import Driver, main

ATTACHED = "The secret word of this file is marmalade.\n" * 20


class ChatDriver(Driver):
    async def _use(self) -> None:
        await self._model()
        tab = self._tabs["chat"] = await self._ask("Name a colour.")
        tab.session.parameters = ChatParameters(max_tokens=12, temperature=1.0)
        await self._ended(tab)
        await self._again_with_the_same_seed(tab)
        await self._edit_and_versions(tab)
        await self._go_on(tab)
        await self._attach(tab)
        await self._branch_and_delete(tab)
        await self._beside(tab)

    async def _again_with_the_same_seed(self, tab: ChatTab) -> None:
        await self._click(self._view(tab, 1).tools.buttons["again"])
        await self._ended(tab)
        first, seed = tab.session.answer.text, tab.session.answer.seed
        await self._choose(self._view(tab, 1), "again_same_seed")
        await self._ended(tab)
        self.report["same_seed_same_answer"] = (tab.session.answer.text, tab.session.answer.seed) == (first, seed)
        self.report["versions"] = self._view(tab, 1).versions.text()

    async def _edit_and_versions(self, tab: ChatTab) -> None:
        view = self._view(tab, 0)
        await self._click(view.tools.buttons["edit"])
        assert view.editor is not None
        field = view.editor.field
        await self._type(field, " Please.")
        await self._key(field, Qt.Key.Key_Return)
        await self._ended(tab)
        self.report["edited"] = self._texts(tab)[0]
        await self._click(self._view(tab, 0).versions.before_button)
        self.report["version_before"] = self._texts(tab)[0]
        await self._click(self._view(tab, 0).versions.behind_button)
        self.report["version_behind"] = self._texts(tab)[0]

    async def _go_on(self, tab: ChatTab) -> None:
        before = tab.session.answer.text
        view = self._view(tab, -1)
        assert isinstance(view, AnswerMessageView)
        await self._click(view.continue_button if view.continue_button.isVisible() else view.tools.buttons["go_on"])
        await self._ended(tab)
        self.report["went_on"] = tab.session.answer.text.startswith(before)
        submit = next(entry for entry in reversed(self.log) if isinstance(entry, Submit))
        self.report["continued"] = submit.continues_answer and submit.messages[-1].content == before

    async def _attach(self, tab: ChatTab) -> None:
        tab.panel.attach_text(ATTACHED)
        await self._wait("the count", lambda: tab.panel.attachments.attachments[0].num_tokens is not None)
        await self._wait("the gauge", lambda: tab.gauge.parts is not None and tab.gauge.parts.draft > 0)
        num_counted = tab.panel.attachments.attachments[0].num_tokens
        await self._type(tab.composer, "Which word is it?")
        await self._key(tab.composer, Qt.Key.Key_Return)
        await self._ended(tab)
        stats = tab.session.answer.stats
        self.report["counted"] = num_counted
        self.report["prompt_tokens_with_file"] = None if stats is None else stats.num_prompt_tokens

    async def _branch_and_delete(self, tab: ChatTab) -> None:
        before = self._texts(tab)
        await self._choose(self._view(tab, 1), "branch")
        made = self._window.tabs.current_tab()
        assert made is not None
        self.report["branch"] = self._texts(made) == before[:2] and made is not tab
        self._window.tabs.setCurrentWidget(tab)
        await self._choose(self._view(tab, 0), "delete_turn")
        self.report["deleted"] = self._texts(tab) == before[2:]
        await self._click(tab.undo_bar.undo_button)
        self.report["undone"] = self._texts(tab) == before

    async def _beside(self, tab: ChatTab) -> None:
        other = next(one for one in self._window.tabs.tabs() if one is not tab)
        self._window.tabs.show_beside(other)
        await self._wait("both chats", lambda: tab.isVisible() and other.isVisible())
        for one in (tab, other):
            one.submit("And another?")
        for one in (tab, other):
            await self._ended(one)
        self.report["both_answered"] = all(one.session.answer.text for one in (tab, other))

    def _view(self, tab: ChatTab, index: int) -> MessageView:
        return tab.transcript.views[index]

    def _texts(self, tab: ChatTab) -> list[str]:
        return [view.message.text for view in tab.transcript.views]

    async def _ended(self, tab: ChatTab) -> None:
        await self._wait("an answer's end", lambda: not tab.session.is_busy)

    async def _choose(self, view: MessageView, tool: Tool) -> None:
        menu = view.tools.open_menu()
        entry = next(action for action in menu.actions() if action.text() == WORDS[tool])
        place = menu.actionGeometry(entry).center()
        await self._in_qt_loop(lambda: QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=place))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), ChatDriver))
