"""Dialogs for files begin where the last one ended."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QStandardPaths
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from app.widgets.file_dialog import begin_in


def test_a_dialog_begins_in_the_usual_folder_and_then_in_the_last_one(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path
) -> None:
    qapp.setProperty("last_folder", None)
    first, second = QFileDialog(), QFileDialog()
    for dialog in (first, second):
        qtbot.addWidget(dialog)
    usual = Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation))
    begin_in(first)
    assert Path(first.directory().path()) == (usual if usual.is_dir() else Path.home())
    first.filesSelected.emit([str(tmp_path / "a.md")])
    begin_in(second)
    assert Path(second.directory().path()) == tmp_path
