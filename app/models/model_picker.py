"""Owns the small button that says which model answers and lets another be picked.

Knows neither the library nor how a model is loaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QProgressBar, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from app.i18n import translate
from app.models.load_text import load_text
from app.widgets.icons import show_icon
from app.widgets.kept_room import keep_room
from app.widgets.menu_button import let_go_after_menu
from engine.messages import ModelLoaded, ModelLoadFailed, ModelLoadProgress

if TYPE_CHECKING:
    from engine.api import ModelEntry

_MAX_CHARACTERS = 28
_MAX_SHORTER_CHARACTERS = 16
_MAX_SHORT_CHARACTERS = 10
# As the stylesheet has it.
_BAR_HEIGHT_PX = 4


class ModelPicker(QWidget):
    """`SmolLM2 135M ▾`, with a thin line of progress beneath while a model is being loaded."""

    load_requested = Signal(str)
    """The model id."""
    manage_requested = Signal()
    """The page of models is wanted."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._models: dict[str, ModelEntry] = {}
        self._loaded_id: str | None = None
        self._loading_id: str | None = None
        self._loading_name = ""
        self._error = ""
        self._is_shorter = self._is_short = False
        self.menu = QMenu(self)
        self._actions: dict[str, QAction] = {}
        self.button = QToolButton(popupMode=QToolButton.ToolButtonPopupMode.InstantPopup)
        self.button.setMenu(self.menu)
        show_icon(self.button, "models")
        self.show_icon_only(False)
        let_go_after_menu(self.button)
        self.bar = QProgressBar(textVisible=False)
        self.bar.setFixedHeight(_BAR_HEIGHT_PX)
        # The room of the hidden line stays, so that the row does not jump.
        self.bar.setSizePolicy(QSizePolicy.Policy.Ignored, self.bar.sizePolicy().verticalPolicy())
        keep_room(self.bar)
        self.bar.hide()
        column = QVBoxLayout(self)
        # As much above as the line takes below: the words stand as high as those beside.
        column.setContentsMargins(0, _BAR_HEIGHT_PX, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.button)
        column.addWidget(self.bar)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._fill_menu()
        self._show()

    def set_models(self, models: Sequence[ModelEntry]) -> None:
        """The models that can be picked."""
        self._models = {model.model_id: model for model in models}
        self._fill_menu()
        self._show()

    def set_loaded(self, model_id: str | None) -> None:
        """The model that is loaded now, or None."""
        self._loaded_id = model_id
        if model_id is not None:
            self._error = ""
        if self._loading_id == model_id:
            self._loading_id = None
        self._show()

    def show_load(self, load: ModelLoadProgress | ModelLoaded | ModelLoadFailed) -> None:
        """Show how loading a model goes."""
        match load:
            case ModelLoaded():
                self._loading_id = None
                self.set_loaded(load.model_id)
            case ModelLoadFailed():
                self._loading_id = None
                self._error = load.message
                self._show()
            case ModelLoadProgress():
                self._error = ""
                self._loading_id = load.model_id
                self.bar.setRange(0, load.num_layers)
                self.bar.setValue(load.num_layers_loaded)
                self._show()
                self.button.setToolTip(load_text(load))

    def forget_failure(self) -> None:
        """Why a model could not be loaded is no longer so."""
        self._error = ""
        self._show()

    def show_loading(self, name: str) -> None:
        """The model that was asked for, of which there is no progress yet; empty if none is on its way."""
        self._loading_name = name
        self._show()

    def text(self) -> str:
        """What the button says, whole."""
        name = self._loading_name if self._loading_id is None else self._name(self._loading_id)
        if name:
            return translate("app", "Loading {model} …").format(model=name)
        return translate("app", "No model") if self._loaded_id is None else self._name(self._loaded_id)

    def show_shorter(self, is_shorter: bool) -> None:
        """Somewhat less of the name, or as much of it as is ever shown; all of it stands in the tip."""
        self._is_shorter = is_shorter
        self._show_words()

    def show_short(self, is_short: bool) -> None:
        """The beginning of the name."""
        self._is_short = is_short
        self._show_words()

    def show_icon_only(self, is_icon_only: bool) -> None:
        style = Qt.ToolButtonStyle.ToolButtonIconOnly if is_icon_only else Qt.ToolButtonStyle.ToolButtonTextOnly
        self.button.setToolButtonStyle(style)

    def sizeHint(self) -> QSize:
        return QSize(self.button.sizeHint().width(), super().sizeHint().height())

    def _name(self, model_id: str) -> str:
        model = self._models.get(model_id)
        return model_id if model is None else model.name

    def _show_words(self) -> None:
        most = _MAX_SHORTER_CHARACTERS if self._is_shorter else _MAX_CHARACTERS
        room = self.fontMetrics().averageCharWidth() * (_MAX_SHORT_CHARACTERS if self._is_short else most)
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room)
        self.button.setText(f"{text} ▾")

    def _show(self) -> None:
        self._show_words()
        self.button.setToolTip(self._error or self.text())
        self.button.setAccessibleName(translate("app", "Model: {model}").format(model=self.text()))
        self.bar.setVisible(self._loading_id is not None)
        for model_id, action in self._actions.items():
            action.setChecked(model_id == self._loaded_id)

    def _fill_menu(self) -> None:
        self.menu.clear()
        self._actions = {}
        for model in self._models.values():
            action = self._actions[model.model_id] = self.menu.addAction(model.name)
            action.setCheckable(True)
            action.triggered.connect(lambda _, model_id=model.model_id: self._on_model_picked(model_id))
        if self._models:
            self.menu.addSeparator()
        self.menu.addAction(translate("app", "Models…")).triggered.connect(lambda _: self.manage_requested.emit())

    def _on_model_picked(self, model_id: str) -> None:
        # The mark follows what is loaded, not what was clicked.
        self._show()
        if model_id != self._loaded_id:
            self.load_requested.emit(model_id)
