"""Owns the question before something is gone for good.

Does not know what goes; whoever asks listens to `accepted`.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from app.i18n import translate


def ask_before_loss(parent: QWidget, title: str, words: str, button: str) -> QMessageBox:
    """Opens the question, which is gone once it is answered; Enter and Esc mean no."""
    question = QMessageBox(QMessageBox.Icon.Question, title, words, parent=parent)
    question.setInformativeText(translate("app", "This cannot be undone."))
    question.addButton(button, QMessageBox.ButtonRole.AcceptRole)
    question.addButton(QMessageBox.StandardButton.Cancel)
    question.setDefaultButton(QMessageBox.StandardButton.Cancel)
    question.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    question.open()
    return question
