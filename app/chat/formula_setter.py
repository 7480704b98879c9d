"""Owns the thread on which formulas are set, their order, and the drawings that are there.

Does not know who shows them.
"""

from __future__ import annotations

import logging
import traceback
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache

from PySide6.QtCore import QObject, QTimer, Signal

from app.chat.formula_drawing import FormulaDrawing, draw_formula

MAX_DRAWINGS = 512
_log = logging.getLogger(__name__)


class FormulaSetter(QObject):
    """One formula after the other, those in sight first; each is set once for as long as its drawing is kept."""

    drawn = Signal(str)
    """The LaTeX of a formula whose drawing is there now, or that has none."""
    _done = Signal(str, object)
    """Leads from the thread back to the window's."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        # Begun with the first formula.
        self._thread = ThreadPoolExecutor(1, "formulas")
        self._drawings: OrderedDict[str, FormulaDrawing | None] = OrderedDict()
        self._waiting: OrderedDict[str, None] = OrderedDict()
        self._at_work: str | None = None
        self._done.connect(self._on_done)

    def drawing(self, source: str) -> FormulaDrawing | None:
        """The drawing if there is one by now. Else it is asked for, and `drawn` tells when it is there."""
        if source in self._drawings:
            self._drawings.move_to_end(source)
            return self._drawings[source]
        if source != self._at_work:
            self._waiting.setdefault(source)
            # When all that come at once have been asked for: then it is seen which are in sight.
            QTimer.singleShot(0, self, self._begin_next)
        return None

    def hurry(self, source: str) -> None:
        """The formula is in sight: if it waits it is the next."""
        if source in self._waiting:
            self._waiting.move_to_end(source, last=False)

    def _begin_next(self) -> None:
        if self._at_work is None and self._waiting:
            source, _ = self._waiting.popitem(last=False)
            self._at_work = source
            self._thread.submit(draw_formula, source).add_done_callback(lambda done: self._take(source, done))

    def _take(self, source: str, done: Future[FormulaDrawing | None]) -> None:
        """On the thread."""
        error = done.exception()
        if error is not None:
            # Not the formula, which is a part of a chat, nor the error's own words, which may have it.
            where = "".join(traceback.format_tb(error.__traceback__))
            _log.error("a formula could not be set: %s\n%s", type(error).__name__, where)
        self._done.emit(source, None if error is not None else done.result())

    def _on_done(self, source: str, drawing: FormulaDrawing | None) -> None:
        self._at_work = None
        self._drawings[source] = drawing
        while len(self._drawings) > MAX_DRAWINGS:
            self._drawings.popitem(last=False)
        self.drawn.emit(source)
        # Behind what else the window has to do by now.
        QTimer.singleShot(0, self, self._begin_next)


@cache
def formula_setter() -> FormulaSetter:
    """The one of all chats."""
    return FormulaSetter()
