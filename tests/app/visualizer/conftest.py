"""The memory view speaks English in its tests, plurals included."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from app.i18n import install_language


@pytest.fixture(autouse=True)
def english(qapp: QApplication) -> None:
    install_language(qapp, "en")
