"""The bar that divides the memory into its parts."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.theme import apply_theme, current_theme
from app.visualizer.memory_bar import MemoryBar
from app.widgets.owner_mark import contrast


@pytest.mark.parametrize("name", ["light", "dark", "contrast"])
def test_what_is_free_is_seen_on_the_panel(qtbot: QtBot, qapp: QApplication, name: str) -> None:
    apply_theme(qapp, name)  # type: ignore[arg-type]
    try:
        bar = MemoryBar()
        qtbot.addWidget(bar)
        bar.resize(200, 10)
        bar.set_parts([("bar_used", 1), ("bar_free", 3)])
        image = bar.grab().toImage()
        edges = [image.pixelColor(150, 0), image.pixelColor(150, image.height() - 1)]
        assert all(contrast(edge, current_theme().color("panel")) >= 3 for edge in edges)
        assert image.pixelColor(150, 5) == current_theme().color("bar_free")
    finally:
        apply_theme(qapp, "light")
