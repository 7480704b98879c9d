"""Dialogs for files begin where the last one for such files ended, and show what is in them."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QStandardPaths
from PySide6.QtWidgets import QApplication, QComboBox, QFileDialog, QHeaderView, QSplitter, QToolButton, QTreeView
from pytestqt.qtbot import QtBot

from app.theme import apply_theme
from app.widgets.combo_arrow import ComboArrow
from app.widgets.file_dialog import begin_in
from app.widgets.last_folders import LastFolders, Place, last_folders
from tests.app.fake_engine import FakeEngines
from tests.app.windows import OpenWindow, wait_until_started


def test_a_dialog_begins_in_the_usual_folder_and_then_in_the_last_one(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path
) -> None:
    last_folders().restore("")
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


def test_the_last_folders_are_known_at_the_next_start(
    qtbot: QtBot, open_window: OpenWindow, engines: FakeEngines, tmp_path: Path
) -> None:
    window = open_window()
    wait_until_started(qtbot, engines)
    chosen = tmp_path / "wörter"
    chosen.mkdir()
    last_folders().keep(Place.DocumentsLocation, str(chosen / "a.md"))
    window.close()
    last_folders().restore("")
    open_window()
    wait_until_started(qtbot, engines)
    assert last_folders().of(Place.DocumentsLocation) == chosen


@pytest.mark.parametrize("text", ["", "none", "[1]", '{"DocumentsLocation": 3}', '{"DocumentsLocation": "/gone/away"}'])
def test_what_was_kept_wrongly_or_is_gone_is_passed_over(qapp: QApplication, text: str) -> None:
    folders = LastFolders()
    folders.restore(text)
    assert folders.of(Place.DocumentsLocation).is_dir()


def test_the_choices_of_a_dialog_of_qt_have_an_arrow(qtbot: QtBot, qapp: QApplication) -> None:
    apply_theme(qapp, "light")
    dialog = QFileDialog()
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    qtbot.addWidget(dialog)
    begin_in(dialog)
    dialog.show()
    boxes = dialog.findChildren(QComboBox)
    assert len(boxes) == 2
    for box in boxes:
        arrow = box.findChild(ComboArrow)
        assert arrow is not None
        assert box.rect().contains(arrow.geometry())
        image = box.grab(arrow.geometry()).toImage()
        colors = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
        assert len(colors) > 1, "nothing but the background is there"


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
