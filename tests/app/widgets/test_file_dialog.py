"""Dialogs for files begin where the last one for such files ended, and show what is in them."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QStandardPaths
from PySide6.QtWidgets import QApplication, QFileDialog, QHeaderView, QSplitter, QToolButton, QTreeView
from pytestqt.qtbot import QtBot

from app.theme import apply_theme
from app.widgets.file_dialog import begin_in


def test_a_dialog_begins_in_the_usual_folder_and_then_in_the_last_one(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path
) -> None:
    qapp.setProperty("last_folder_DocumentsLocation", None)
    qapp.setProperty("last_folder_DownloadLocation", None)
    first, second, of_models = QFileDialog(), QFileDialog(), QFileDialog()
    for dialog in (first, second, of_models):
        qtbot.addWidget(dialog)
    usual = Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation))
    begin_in(first)
    assert Path(first.directory().path()) == (usual if usual.is_dir() else Path.home())
    first.filesSelected.emit([str(tmp_path / "a.md")])
    begin_in(second)
    assert Path(second.directory().path()) == tmp_path
    begin_in(of_models, QStandardPaths.StandardLocation.DownloadLocation)
    assert Path(of_models.directory().path()) != tmp_path


def test_a_dialog_of_qt_has_room_for_places_and_columns_and_icons_of_the_theme(
    qtbot: QtBot, qapp: QApplication
) -> None:
    dialog = QFileDialog()
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    qtbot.addWidget(dialog)
    before = dialog.size()
    begin_in(dialog)
    assert dialog.width() > before.width()
    splitter, tree = dialog.findChild(QSplitter), dialog.findChild(QTreeView)
    assert isinstance(splitter, QSplitter)
    assert isinstance(tree, QTreeView)
    dialog.show()
    assert splitter.sizes()[0] > 100
    assert tree.header().sectionResizeMode(0) is QHeaderView.ResizeMode.Stretch
    assert tree.header().sectionResizeMode(3) is QHeaderView.ResizeMode.ResizeToContents
    back = dialog.findChild(QToolButton, "backButton")
    assert isinstance(back, QToolButton)
    back.setEnabled(True)
    apply_theme(qapp, "dark")
    try:
        image = back.icon().pixmap(16, 16).toImage()
        pixels = [image.pixelColor(x, y) for x in range(16) for y in range(16)]
        assert max(pixels, key=lambda color: color.alpha()).lightness() > 128
    finally:
        apply_theme(qapp, "light")
