"""Writes messages with all that can go with them in the real window with the real engine, and prints as JSON what came.

Files, prompts, presets, the figures of an answer, finding in a chat, thinking. Run as a program of its own:
`python -m tests.e2e.writing_driver HOME`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QPainter, QPdfWriter
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QLineEdit, QPlainTextEdit

from app.chat.chat_options import ChatOptions
from app.chat.message_view import QuestionView
from app.chat.tab import ChatTab
from app.history.finder import finder_of
from app.state.message import Message
from app.state.session import Session
from engine.messages import Submit
from tests.e2e.desk_driver import CTRL, SHIFT
from tests.e2e.window_driver import Driver, main

PDF_TEXT, CODE = "Marmalade is made in May", "x = 1\n"
QUESTION = "Which fruit is it?"
KEPT_PROMPT = "Answer as a pirate would:"
THOUGHT = "An orange, surely."


class WritingDriver(Driver):
    folder = Path()

    async def _use(self) -> None:
        await self._model()
        tab = self._current()
        self._tabs["chat"] = tab
        await self._choose_options(tab)
        await self._attach(tab)
        await self._send_and_read(tab)
        await self._keep_prompt(tab)
        await self._find(tab)
        await self._copy_and_delete(tab)
        await self._unfold_thinking()

    async def _choose_options(self, tab: ChatTab) -> None:
        """A preset is made of what a chat sets, taken by a second chat, and deleted and brought back."""
        await self._click(tab.options_button)
        dialog = await self._options(tab)
        for name, text in (("temperature", "0.25"), ("max_tokens", "24")):
            await self._click(dialog.fields.ticks[name])
            line = dialog.fields.boxes[name].lineEdit()
            line.selectAll()
            await self._type(line, text)
        await self._click(dialog.save_button)
        await self._answer_question(dialog, "Short")
        await self._wait("the preset", lambda: dialog.preset_box.currentText() == "Short")
        self.report["preset_words"] = tab.options_button.text()
        await self._click(dialog.delete_button)
        await self._click(dialog.close_button)
        await self._wait("the way back", tab.undo_bar.undo_button.isVisible)
        await self._click(tab.undo_bar.undo_button)
        await self._click(tab.options_button)
        dialog = await self._options(tab)
        self.report["presets"] = [dialog.preset_box.itemText(row) for row in range(dialog.preset_box.count())][-1]
        await self._key(dialog, Qt.Key.Key_Escape)

    async def _attach(self, tab: ChatTab) -> None:
        writer = QPdfWriter(str(self.folder / "paper.pdf"))
        painter = QPainter(writer)
        painter.drawText(1000, 1000, PDF_TEXT)
        painter.end()
        (self.folder / "one.py").write_text(CODE, encoding="utf-8")
        await self._click(tab.panel.attach_button)
        await self._choose_entry(self._open_menu(), "Attach files")
        await self._wait("the files", lambda: self._dialogs(tab) != [])
        line = self._dialogs(tab)[0].findChild(QLineEdit)
        assert line is not None, "the dialog has no line"
        names = " ".join(f'"{self.folder / name}"' for name in ("paper.pdf", "one.py"))
        await self._paste(line, names)
        await self._key(line, Qt.Key.Key_Return)
        cards = tab.panel.attachments.cards
        await self._wait("both files", lambda: len(cards) == 2 and all(card.attachment.num_tokens for card in cards))
        self.report["sizes"] = [card.size_label.text() for card in cards]
        await self._click(cards[0].open_button)
        field = self._shown_text()
        self.report["pdf"] = " ".join(field.toPlainText().split())
        await self._key(field, Qt.Key.Key_Escape)

    async def _send_and_read(self, tab: ChatTab) -> None:
        await self._type(tab.composer, QUESTION)
        await self._wait("the draft's count", lambda: tab.gauge.parts is not None and tab.gauge.parts.draft > 30)
        self.report["gauge_before"] = tab.gauge.toolTip()
        await self._click(tab.send_button)
        await self._ended(tab)
        submit = next(entry for entry in reversed(self.log) if isinstance(entry, Submit))
        self.report["sent"] = submit.messages[-1].content
        self.report["params"] = [submit.params.temperature, submit.params.max_tokens]
        question = tab.transcript.views[0]
        assert isinstance(question, QuestionView)
        await self._click(question.cards[1].open_button)
        field = self._shown_text()
        self.report["code"] = field.toPlainText()
        await self._key(field, Qt.Key.Key_Escape)
        await self._type(tab.composer, "And which fruit is yours?")
        await self._key(tab.composer, Qt.Key.Key_Return)
        await self._ended(tab)
        await self._wait("the history's count", lambda: tab.gauge.parts is not None and tab.gauge.parts.history > 60)
        self.report["gauge_after"] = tab.gauge.toolTip()
        label = self._answer(tab).stats_label
        self.report["figures"] = [label.accessibleName(), label.accessibleDescription()]

    async def _keep_prompt(self, tab: ChatTab) -> None:
        composer = tab.composer
        await self._type(composer, KEPT_PROMPT)
        await self._click(tab.panel.attach_button)
        await self._choose_entry(self._open_menu(), "Keep this text")
        await self._answer_question(tab, "Pirate")
        await self._key(composer, Qt.Key.Key_A, CTRL)
        await self._type(composer, "/pir")
        await self._key(composer, Qt.Key.Key_Return)
        self.report["prompt"] = composer.toPlainText()
        await self._key(composer, Qt.Key.Key_A, CTRL)
        await self._type(composer, "/pir")
        await self._key(composer, Qt.Key.Key_Delete)
        self.report["prompt_is_gone"] = not tab.panel.prompts.isVisible()
        await self._click(tab.undo_bar.undo_button)
        await self._key(composer, Qt.Key.Key_A, CTRL)
        await self._type(composer, "/pira")
        self.report["prompt_is_back"] = tab.panel.prompts.isVisible()
        await self._key(composer, Qt.Key.Key_A, CTRL)
        await self._key(composer, Qt.Key.Key_Delete)

    async def _find(self, tab: ChatTab) -> None:
        await self._key(self._window, Qt.Key.Key_F, CTRL)
        bar = finder_of(tab).bar
        await self._wait("the line", bar.isVisible)
        await self._type(bar.field, "which fruit")
        await self._wait("the places", lambda: " of " in bar.count_label.text())
        places = [bar.count_label.text()]
        for key, modifier in ((Qt.Key.Key_F3, SHIFT), (Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier)):
            await self._key(bar.field, key, modifier)
            places.append(bar.count_label.text())
        await self._click(bar.previous_button)
        self.report["places"] = [*places, bar.count_label.text()]
        await self._click(bar.close_button)
        self.report["focus_is_back"] = tab.composer.hasFocus() and not bar.isVisible()

    async def _copy_and_delete(self, tab: ChatTab) -> None:
        question, answer = tab.transcript.views[-2:]
        await self._click(question.tools.buttons["copy"])
        self.report["copied"] = QGuiApplication.clipboard().text()
        await self._click(answer.tools.more_button)
        await self._choose_entry(self._open_menu(), "Copy as plain text")
        self.report["copied_text"] = QGuiApplication.clipboard().text()
        before = [message.id for message in tab.session.messages]
        await self._click(answer.tools.more_button)
        await self._choose_entry(self._open_menu(), "Delete this message")
        await self._wait("one fewer", lambda: [message.id for message in tab.session.messages] == before[:-1])
        await self._key(self._window, Qt.Key.Key_Z, CTRL)
        self.report["undone"] = [message.id for message in tab.session.messages] == before

    async def _unfold_thinking(self) -> None:
        """The starter does not think, so a chat with thoughts is put into the history first."""
        messages = [Message("user", "What is it?"), Message("assistant", "Fruit.", end="stop", reasoning=THOUGHT)]
        messages[1].parent_id = messages[0].id
        chat = Session(title="Thoughts", messages=messages)
        self._window.chats._history.save(chat, messages)
        self._window.chats.open(chat.id)
        view = self._answer(self._current()).reasoning
        assert view is not None, "no thoughts are shown"
        seen = [view.body.isVisible()]
        for _ in range(2):
            await self._click(view.fold_button)
            seen.append(view.body.isVisible())
        self.report["thoughts"] = [view.fold_button.text(), seen, view.body.toPlainText()]

    async def _options(self, tab: ChatTab) -> ChatOptions:
        await self._wait("the options", lambda: any(one.isVisible() for one in tab.findChildren(ChatOptions)))
        return next(one for one in tab.findChildren(ChatOptions) if one.isVisible())

    def _dialogs(self, tab: ChatTab) -> list[QFileDialog]:
        return [dialog for dialog in tab.findChildren(QFileDialog) if dialog.isVisible()]

    def _shown_text(self) -> QPlainTextEdit:
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, QDialog), f"what is open is {dialog!r}"
        field = dialog.findChild(QPlainTextEdit)
        assert field is not None, "the dialog shows no text"
        return field

    async def _ended(self, tab: ChatTab) -> None:
        await self._wait("an answer's end", lambda: bool(tab.session.messages) and not tab.session.is_busy)


if __name__ == "__main__":
    WritingDriver.folder = Path(sys.argv[1])
    sys.exit(main(Path(sys.argv[1]), WritingDriver))
