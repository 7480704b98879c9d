"""Owns what a chat shows of models: the button to pick one, and the line that reminds of the one it used.

Does not know how a model is loaded.
"""

from __future__ import annotations

from collections.abc import Callable

from app.chat.tab import ChatTab
from app.models.model_controller import ModelController
from app.models.model_picker import ModelPicker
from app.models.model_reminder import ModelReminder


def show_models_in(tab: ChatTab, models: ModelController, manage: Callable[[], None]) -> None:
    """Puts both into the chat. `manage` opens the page of models, where a model goes that is given to the chat."""

    def take_in(path: str) -> None:
        manage()
        models.take_in(path)

    tab.panel.model_given.connect(take_in)
    picker = ModelPicker()
    picker.manage_requested.connect(manage)
    models.add_picker(picker)
    shortenings = [(3, picker.show_shorter), (6, picker.show_short), (7, picker.show_icon_only)]
    tab.row.add_left(picker, picker.text, shortenings, place=0)
    reminder = ModelReminder(tab.session)
    reminder.focus_freed.connect(tab.setFocus)
    picker.load_requested.connect(reminder.note_choice)
    tab.panel.add_line(reminder)
    models.add_picker(reminder)
    tab.changed.connect(reminder.refresh)
    tab.show_model(models.loaded, models.loading_name)
