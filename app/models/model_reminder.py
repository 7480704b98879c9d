"""Owns the line that says a chat used another model than the one that answers now, and offers to load it.

Knows neither the library nor how a model is loaded. A chat never loads its model by itself: there is one model for all,
and another chat may be in the middle of an answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QWidget

from app.i18n import translate
from app.state.session import Session
from app.widgets.focus import holds_focus
from app.widgets.text_label import TextLabel
from engine.messages import ModelLoaded, ModelLoadFailed, ModelLoadProgress

if TYPE_CHECKING:
    from engine.api import ModelEntry

_MARGIN_PX = 8


class ModelReminder(QFrame):
    """Hidden for a new chat, while the chat's model answers, and while a model is being loaded."""

    load_requested = Signal(str)
    """The model id."""
    focus_freed = Signal()
    """The line goes and had the focus."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "card")
        self._session = session
        self._names: dict[str, str] = {}
        self._loaded_id: str | None = None
        self._chosen_id: str | None = None
        """The model that the person chose in this very chat: that it is another one is no news."""
        self._loading_name = ""
        self.label = TextLabel(kind="muted")
        self.load_button = QPushButton()
        self.load_button.clicked.connect(self._on_clicked)
        row = QHBoxLayout(self)
        row.setContentsMargins(_MARGIN_PX, _MARGIN_PX // 2, _MARGIN_PX // 2, _MARGIN_PX // 2)
        row.addWidget(self.label, 1)
        row.addWidget(self.load_button)
        self.hide()

    def set_models(self, models: Sequence[ModelEntry]) -> None:
        self._names = {model.model_id: model.name for model in models}
        self.refresh()

    def set_loaded(self, model_id: str | None) -> None:
        """The model that answers now, or None."""
        self._loaded_id = model_id
        self.refresh()

    def note_choice(self, model_id: str) -> None:
        """The person has this model loaded from the chat itself."""
        self._chosen_id = model_id

    def show_load(self, load: ModelLoadProgress | ModelLoaded | ModelLoadFailed) -> None:
        """How loading goes is shown elsewhere."""

    def forget_failure(self) -> None:
        """Nor is why it failed shown here."""

    def show_loading(self, name: str) -> None:
        """The model that is on its way; empty if none is."""
        self._loading_name = name
        self.refresh()

    def refresh(self) -> None:
        """Once the chat may have asked another model."""
        used_id = self._session.parameters.model_id
        is_known = self._loaded_id is not None and self._loaded_id in (used_id, self._chosen_id)
        is_shown = bool(self._session.messages) and used_id is not None and not is_known and not self._loading_name
        if not is_shown and holds_focus(self):
            # Else Qt gives it to whatever comes next, such as a message's tools.
            self.focus_freed.emit()
        self.setVisible(is_shown)
        if used_id is None or not is_shown:
            return
        name = self._names.get(used_id)
        if name is None:
            words = translate("app", "This chat used {model}, which is not on this computer any more.")
        else:
            words = translate("app", "This chat used {model}.")
        self.label.setText(words.format(model=name or used_id))
        self.load_button.setText(translate("app", "Load it"))
        self.load_button.setAccessibleName(translate("app", "Load {model}").format(model=name or used_id))
        self.load_button.setToolTip(translate("app", "It takes the place of the model that answers in all chats now"))
        self.load_button.setVisible(name is not None)

    def _on_clicked(self) -> None:
        if self._session.parameters.model_id is not None:
            self.load_requested.emit(self._session.parameters.model_id)
