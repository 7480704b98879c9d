"""Owns the language of the window: which one is spoken, and where its words come from.

Words are marked where they stand: `translate("app", "Stop")`, with literal texts, so that lupdate finds them; what
varies is put in afterwards, `translate("app", "Waiting, {place} in line").format(place=2)`. They are translated when
they are shown, never when a module is imported: by then no language has been chosen.
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

translate = QCoreApplication.translate
"""From the context (always "app"), a text, what tells equal texts apart or None, and n of a plural."""
