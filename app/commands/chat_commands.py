"""Owns the commands for the chat in sight and its newest answer, and for loading and unloading models.

Does not know how any of it is done; each is done as its button or menu does it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from app.chat.message_tools import WORDS, Tool
from app.commands.command_palette import Command
from app.i18n import QT_TRANSLATE_NOOP, translate

if TYPE_CHECKING:
    from app.chat.chat_controller import ChatController
    from app.chat.chat_tabs import ChatTabs
    from app.chat.message_view import MessageView
    from app.chat.tab import ChatTab
    from app.models.model_controller import ModelController

_OF_THE_ANSWER: tuple[Tool, ...] = ("again", "go_on", "branch", "edit", "copy", "copy_text", "delete_turn")
_ALSO = {
    "attach": QT_TRANSLATE_NOOP("app", "clip paperclip file add upload"),
    "rename": QT_TRANSLATE_NOOP("app", "title name"),
    "pin": QT_TRANSLATE_NOOP("app", "keep top favourite star"),
    "unpin": QT_TRANSLATE_NOOP("app", "loosen favourite star"),
    "remove": QT_TRANSLATE_NOOP("app", "remove trash bin"),
    "again": QT_TRANSLATE_NOOP("app", "regenerate retry redo another answer"),
    "go_on": QT_TRANSLATE_NOOP("app", "resume go on"),
    "branch": QT_TRANSLATE_NOOP("app", "fork duplicate"),
    "edit": QT_TRANSLATE_NOOP("app", "change correct"),
    "copy": QT_TRANSLATE_NOOP("app", "clipboard"),
    "copy_text": QT_TRANSLATE_NOOP("app", "clipboard"),
    "delete_turn": QT_TRANSLATE_NOOP("app", "remove"),
    "load": QT_TRANSLATE_NOOP("app", "use switch start choose"),
    "unload": QT_TRANSLATE_NOOP("app", "eject free memory stop"),
}
"""What a command may be called besides, in the window's language."""


def chat_commands(tabs: ChatTabs, chats: ChatController) -> list[Command]:
    """What can be done now with the chat that is in sight."""
    tab = tabs.current_tab()
    if tab is None or not tab.isVisible():
        return []
    session = tab.session
    found = [_of_chat("attach", translate("app", "Attach files…"), tab.panel.ask_for_files)]
    if session.messages:
        is_pinned = session.is_pinned
        pin = translate("app", "Unpin this chat") if is_pinned else translate("app", "Pin this chat")
        found += [
            _of_chat("rename", translate("app", "Rename this chat…"), partial(tabs.ask_for_title, tabs.indexOf(tab))),
            _of_chat("unpin" if is_pinned else "pin", pin, partial(chats.pin, session.id, not is_pinned)),
            _of_chat("remove", translate("app", "Delete this chat"), partial(chats.delete, session.id)),
        ]
    return [*found, *_of_answer(tab)]


def _of_answer(tab: ChatTab) -> list[Command]:
    views = tab.transcript.views
    if not views or views[-1].message.role != "assistant":
        return []
    kind = translate("app", "Newest answer")
    return [
        Command(translate("app", WORDS[tool]), kind, partial(_use, views[-1], tool), _called(tool))
        for tool in _OF_THE_ANSWER
        if views[-1].can(tool)
    ]


def _use(view: MessageView, tool: Tool) -> None:
    view.tools.used.emit(tool)


def model_commands(models: ModelController) -> list[Command]:
    """Loading each of the models that are there, and unloading the one that is loaded."""
    kind, loaded = translate("app", "Model"), models.loaded
    words = translate("app", "Load {model}")
    found = [
        Command(words.format(model=one.name), kind, partial(models.load, one.model_id), _called("load"))
        for one in models.models
        if loaded is None or one.model_id != loaded.model_id
    ]
    if loaded is not None:
        found.append(Command(translate("app", "Unload the model"), kind, models.unload, _called("unload")))
    return found


def _of_chat(name: str, words: str, run: object) -> Command:
    assert callable(run), f"{name} runs {run!r}"
    return Command(words, translate("app", "For this chat"), run, _called(name))


def _called(name: str) -> str:
    """The window's words and the English ones, which are typed in any language."""
    return f"{translate('app', _ALSO[name])} {_ALSO[name]}".casefold()
