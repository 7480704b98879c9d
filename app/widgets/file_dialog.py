"""Owns where dialogs for files begin: in the folder that was used last for such files, else where they usually lie.
Where the desktop has no dialog of its own, also how Qt's looks.

Does not know what is chosen for.
"""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QComboBox, QFileDialog, QHeaderView, QSplitter, QToolButton, QTreeView

from app.theme import ICON_SIZE_PX, icon_size_px
from app.widgets.combo_arrow import ComboArrow
from app.widgets.icons import show_icon
from app.widgets.last_folders import Place, last_folders

__all__ = ["Place", "begin_in"]


_SIZE = QSize(860, 560)
_MAX_PART = 0.9
"""Of the screen."""
_SIDE_PX = 180
_ICONS = {
    "backButton": "chevron-left",
    "forwardButton": "chevron-right",
    "toParentButton": "chevron-up",
    "newFolderButton": "folder-new",
    "listModeButton": "memory",
    "detailModeButton": "list",
}
"""Of the buttons in Qt's dialog, by their names there."""


def begin_in(dialog: QFileDialog, usual: Place = Place.DocumentsLocation) -> QFileDialog:
    """Let a dialog begin in the folder that was used last, `usual` before the first time; it keeps what is chosen."""
    folders = last_folders()
    dialog.setDirectory(str(folders.of(usual)))
    dialog.filesSelected.connect(lambda paths: folders.keep(usual, paths[0]))
    _give_room(dialog)
    return dialog


def _give_room(dialog: QFileDialog) -> None:
    """Room for places and columns, and icons of the theme; the desktop's own dialog has neither and stays as it is."""
    splitter, tree = dialog.findChild(QSplitter), dialog.findChild(QTreeView)
    if not isinstance(splitter, QSplitter) or not isinstance(tree, QTreeView):
        return
    zoom = icon_size_px() / ICON_SIZE_PX
    size = (_SIZE * zoom).boundedTo(dialog.screen().availableSize() * _MAX_PART)
    dialog.resize(size)
    side_px = round(_SIDE_PX * zoom)
    splitter.setSizes([side_px, size.width() - side_px])
    header = tree.header()
    header.setStretchLastSection(False)
    # Of those in sight alone: a folder may have very many.
    header.setResizeContentsPrecision(0)
    header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
    for name, icon_name in _ICONS.items():
        button = dialog.findChild(QToolButton, name)
        if isinstance(button, QToolButton):
            show_icon(button, icon_name)
    for box in dialog.findChildren(QComboBox):
        ComboArrow(box)
