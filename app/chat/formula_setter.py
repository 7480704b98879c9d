"""Owns the thread on which formulas are set, and the drawings that are there.

Does not know who shows them.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache

from PySide6.QtCore import QObject, Signal

from app.chat.formula_drawing import FormulaDrawing, draw_formula

MAX_DRAWINGS = 512
_log = logging.getLogger(__name__)


class FormulaSetter(QObject):
    """One formula after the other; each is set once for as long as its drawing is kept."""

    drawn = Signal(str)
    """The LaTeX of a formula whose drawing is there now, or that has none."""
    _done = Signal(str, object)
    """Leads from the thread back to the window's."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        # Begun with the first formula.
        self._thread = ThreadPoolExecutor(1, "formulas")
        self._drawings: OrderedDict[str, FormulaDrawing | None] = OrderedDict()
        self._asked: set[str] = set()
        self._done.connect(self._on_done)

    def drawing(self, source: str) -> FormulaDrawing | None:
        """The drawing if there is one by now. Else it is asked for, and `drawn` tells when it is there."""
        if source in self._drawings:
            self._drawings.move_to_end(source)
            return self._drawings[source]
        if source not in self._asked:
            self._asked.add(source)
            self._thread.submit(draw_formula, source).add_done_callback(lambda done: self._take(source, done))
        return None

    def _take(self, source: str, done: Future[FormulaDrawing | None]) -> None:
        """On the thread."""
        error = done.exception()
        if error is not None:
            _log.error("a formula could not be set: %r", source, exc_info=error)
        self._done.emit(source, None if error is not None else done.result())

    def _on_done(self, source: str, drawing: FormulaDrawing | None) -> None:
        self._asked.discard(source)
        self._drawings[source] = drawing
        while len(self._drawings) > MAX_DRAWINGS:
            self._drawings.popitem(last=False)
        self.drawn.emit(source)


@cache
def formula_setter() -> FormulaSetter:
    """The one of all chats."""
    return FormulaSetter()
