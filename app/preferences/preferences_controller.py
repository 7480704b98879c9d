"""Owns what the settings page hears of the engine, the model and the hub.

Does not know the page's rows; it brings what is told to the page.
"""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.bridge.engine_client import EngineClient
from app.models.model_controller import ModelController
from app.preferences.settings_page import SettingsPage
from engine.messages import ModelLoaded


class PreferencesController(QObject):
    """Connects the page once."""

    def __init__(
        self, page: SettingsPage, client: EngineClient, models: ModelController, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._page = page
        self._models = models
        client.engine_started.connect(page.show_engine)
        models.hub.answer_token_row(page.token_row)
        models.loaded_changed.connect(self._show_model)

    def _show_model(self, model: ModelLoaded | None) -> None:
        specs = {entry.model_id: entry.spec for entry in self._models.models}
        self._page.show_model(model, None if model is None else specs.get(model.model_id))
