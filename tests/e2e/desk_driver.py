"""Uses what stands around a chat's messages in the real window with the real engine, and prints as JSON what it saw.

Tabs by keys and mouse, the composer's prompts and long pastes, the chat's options, following and leaving the end of an
answer, copying, editing an answer. Run as a program of its own, as `window_driver` is: `python -m tests.e2e.desk_driver
HOME`.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QGuiApplication, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.chat.chat_options import ChatOptions
from app.chat.code_view import CodeView
from app.chat.tab import ChatTab
from app.state import options
from app.state.parameters import ChatParameters
from engine.messages import Submit
from tests.e2e.window_driver import Driver, main
from tests.e2e.window_user import ROOT

_DRAG_STEPS = 10
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
CTRL_SHIFT = CTRL | SHIFT
LONG_TEXT = "A line of a long text that somebody keeps.\n" * 200
FILE = ROOT / "LICENSE"
STORIES = ("Write a long story about the sea.", "Write a long story about a ship.")
SYSTEM_PROMPT = "You answer in French."
EDITED = "**Bold** words:\n\n```python\nprint(1)\n```\n"


class DeskDriver(Driver):
    async def _use(self) -> None:
        await self._model()
        await self._tabs_by_keys_and_mouse()
        tab = self._window.tabs.current_tab()
        assert tab is not None, "no tab is open"
        await self._write_with_prompts(tab)
        await self._choose_options(tab)
        self._tabs["chat"] = tab
        await self._leave_the_end_and_come_back(tab)
        await self._copy_and_edit(tab)
        await self._change_theme_while_two_answer()

    async def _tabs_by_keys_and_mouse(self) -> None:
        tabs, window = self._window.tabs, self._window
        for question in ("One?", "Two?"):
            tab = await self._ask(question)
            await self._wait("an answer's begin", lambda tab=tab: bool(tab.session.answer.text))  # type: ignore[misc]
            tab.stop()
            await self._wait("its end", lambda tab=tab: not tab.session.is_busy)  # type: ignore[misc]
        first, second = tabs.count() - 2, tabs.count() - 1
        await self._key(window, Qt.Key.Key_Tab, CTRL_SHIFT)
        self.report["shift_tab"] = tabs.currentIndex() == first
        await self._drag_tab(first, second)
        self.report["dragged"] = self._titles()[-2:]
        await self._click_tab(second, Qt.MouseButton.MiddleButton)
        self.report["after_middle_click"] = self._titles()[-1]
        await self._key(window, Qt.Key.Key_T, CTRL_SHIFT)
        await self._wait("the closed chat", lambda: "One?" in self._titles())
        self.report["reopened"] = self._current().session.messages[0].text
        await self._key(window, Qt.Key.Key_T, CTRL)

    async def _write_with_prompts(self, tab: ChatTab) -> None:
        await self._type(tab.composer, "/summ")
        await self._key(tab.composer, Qt.Key.Key_Return)
        self.report["prompt"] = tab.composer.toPlainText()
        QGuiApplication.clipboard().setText(LONG_TEXT)
        await self._key(tab.composer, Qt.Key.Key_V, CTRL)
        cards = tab.panel.attachments.attachments
        self.report["pasted"] = [card.text == LONG_TEXT for card in cards]
        await self._wait("its tokens", lambda: tab.panel.attachments.attachments[0].num_tokens is not None)
        await self._click(tab.panel.attachments.cards[0].remove_button)
        self.report["after_removal"] = len(tab.panel.attachments.attachments)
        await self._drop_file(tab)
        tab.composer.clear()

    async def _drop_file(self, tab: ChatTab) -> None:
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(FILE))])
        field = tab.composer.viewport()
        await self._drop(field, data, field.rect().center(), Qt.DropAction.CopyAction)
        await self._wait("the file", lambda: len(tab.panel.attachments.attachments) == 1)
        (attachment,) = [card.attachment for card in tab.panel.attachments.cards]
        self.report["dropped"] = [attachment.name, attachment.text, tab.send_button.isEnabled()]
        await self._click(tab.panel.attachments.cards[0].remove_button)

    async def _choose_options(self, tab: ChatTab) -> None:
        dialog = tab.open_options()
        await self._wait("the options", dialog.isVisible)
        box = dialog.preset_box
        await self._key(box, Qt.Key.Key_Down)
        self.report["preset"] = box.currentText() == getattr(tab.session.preset, "name", None)
        dialog.prompt_field.selectAll()
        await self._type(dialog.prompt_field, SYSTEM_PROMPT)
        dialog.full_choice.actions_by_choice["drop_oldest"].trigger()
        await self._click(dialog.close_button)
        await self._wait("the options' end", lambda: tab.findChild(ChatOptions) is None)
        self.report["when_full"] = [tab.session.when_full, tab.full_choice.text()]

    async def _leave_the_end_and_come_back(self, tab: ChatTab) -> None:
        # The likeliest words, which are many: one that is drawn by lot may be the last one at once.
        tab.session.parameters = ChatParameters(temperature=0.0, max_tokens=400)
        self._window.resize(1000, 420)
        await self._type(tab.composer, STORIES[0])
        await self._key(tab.composer, Qt.Key.Key_Return)
        bar = tab.transcript.verticalScrollBar()
        await self._wait("more than fits", lambda: bar.maximum() > 60)
        submit = next(entry for entry in reversed(self.log) if isinstance(entry, Submit))
        self.report["system"] = [message.content for message in submit.messages if message.role == "system"]
        await self._key(bar, Qt.Key.Key_Home)
        self.report["left"] = [tab.transcript.is_following, tab.transcript.latest_button.isVisible(), bar.value()]
        height = bar.maximum()
        await self._wait("more of it", lambda: bar.maximum() > height or not tab.session.is_busy)
        self.report["stayed"] = bar.value()
        await self._click(tab.transcript.latest_button)
        self.report["followed"] = [tab.transcript.is_following, bar.value() == bar.maximum()]
        await self._click(tab.stop_button)
        await self._wait("its end", lambda: not tab.session.is_busy)

    async def _copy_and_edit(self, tab: ChatTab) -> None:
        view = self._answer(tab)
        await self._click(view.tools.buttons["edit"])
        assert view.editor is not None, "no editor came"
        view.editor.field.setPlainText(EDITED)
        await self._click(view.editor.take_button)
        await self._wait("the new text", lambda: tab.session.answer.text.strip() == EDITED.strip())
        view = self._answer(tab)
        await self._click(view.tools.buttons["copy"])
        self.report["copied"] = QGuiApplication.clipboard().text()
        view.tools.used.emit("copy_text")
        self.report["copied_text"] = QGuiApplication.clipboard().text()
        code = view.findChild(CodeView)
        assert code is not None, "no code is shown"
        await self._click(code.copy_button)
        self.report["copied_code"] = QGuiApplication.clipboard().text()

    async def _change_theme_while_two_answer(self) -> None:
        window, tabs = self._window, []
        for story in STORIES:
            await self._key(window, Qt.Key.Key_T, CTRL)
            tabs.append(self._current())
            tabs[-1].session.parameters = ChatParameters(temperature=0.0, max_tokens=400)
            await self._type(tabs[-1].composer, story)
            await self._key(tabs[-1].composer, Qt.Key.Key_Return)
        await self._wait("two answers", lambda: all(tab.session.answer.text for tab in tabs))
        before = [tab.session.answer.text for tab in tabs]
        busy = [tab.session.is_busy for tab in tabs]
        window.change_setting(options.THEME, "contrast")
        await self._wait(
            "more of both",
            lambda: all(len(tab.session.answer.text) > len(text) for tab, text in zip(tabs, before, strict=True)),
        )
        pixel = window.grab().toImage().pixelColor(tabs[-1].transcript.mapTo(window, QPoint(2, 2)))
        kept = [tab.session.answer.text.startswith(text) for tab, text in zip(tabs, before, strict=True)]
        shown = tabs[-1].transcript.is_following
        self.report["contrast"] = [busy, kept, shown, pixel.name()]
        for tab in tabs:
            tab.stop()
            await self._wait("its end", lambda tab=tab: not tab.session.is_busy)  # type: ignore[misc]
        window.change_setting(options.THEME, "light")

    def _titles(self) -> list[str]:
        return [tab.session.title for tab in self._window.tabs.tabs()]

    def _tab_center(self, index: int) -> QPoint:
        return self._window.tabs.tabBar().tabRect(index).center()

    async def _click_tab(self, index: int, button: Qt.MouseButton) -> None:
        bar = self._window.tabs.tabBar()
        await self._in_qt_loop(lambda: QTest.mouseClick(bar, button, pos=self._tab_center(index)))

    async def _drag_tab(self, index: int, to: int) -> None:
        # QTest moves a pointer whose button is up.
        bar: QWidget = self._window.tabs.tabBar()
        start, end = self._tab_center(index), self._tab_center(to)
        left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
        steps = [start + (end - start) * part / _DRAG_STEPS for part in range(1, _DRAG_STEPS + 1)]
        for kind, place, button, held in (
            (QEvent.Type.MouseButtonPress, start, left, left),
            *((QEvent.Type.MouseMove, place, none, left) for place in steps),
            (QEvent.Type.MouseButtonRelease, end, left, none),
        ):
            await self._in_qt_loop(partial(_send_mouse, bar, kind, place, button, held))


def _send_mouse(
    widget: QWidget, kind: QEvent.Type, place: QPoint, button: Qt.MouseButton, held: Qt.MouseButton
) -> None:
    where, on_screen = QPointF(place), QPointF(widget.mapToGlobal(place))
    event = QMouseEvent(kind, where, on_screen, button, held, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(widget, event)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), DeskDriver))
