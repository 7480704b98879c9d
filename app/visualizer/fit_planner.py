"""Owns the question how many chats of what length fit in the loaded model's cache: two sliders and an answer.

Knows nothing of what is in the cache now.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from app.i18n import sentences, translate
from app.visualizer.memory_bar import MemoryBar
from app.widgets.fields import CheckBox, Slider
from app.widgets.text_label import TextLabel
from app.widgets.units import memory_size
from engine.messages import ModelLoaded
from engine.planner import POOL_CONTEXTS, chat_blocks

_SHORTEST_CONTEXT = 512
_MAX_CHATS = 32
_FIRST_NUM_CHATS = 3
_FIRST_CONTEXT = 8192


class FitPlanner(QWidget):
    """Counts whole blocks, and none of them shared: with a common beginning more chats may fit."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model: ModelLoaded | None = None
        self._contexts: list[int] = [_SHORTEST_CONTEXT]
        self.context_slider = _slider(translate("app", "Tokens in each chat"))
        self.chats_slider = _slider(translate("app", "Number of chats"))
        self.chats_slider.setRange(1, _MAX_CHATS)
        self.chats_slider.setValue(_FIRST_NUM_CHATS)
        self._context_label, self._chats_label = QLabel(), QLabel()
        self.eight_bits = CheckBox(translate("app", "Chats in eight bits"))
        self.eight_bits.setToolTip(translate("app", "As with “Precision of chats in memory” in the settings"))
        self._bar = MemoryBar()
        self.verdict = TextLabel("")
        self._assumed = TextLabel("", "muted")
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setColumnStretch(1, 1)
        rows = (
            (translate("app", "length"), self.context_slider, self._context_label),
            (translate("app", "chats"), self.chats_slider, self._chats_label),
        )
        for row, (word, slider, label) in enumerate(rows):
            grid.addWidget(QLabel(word), row, 0)
            grid.addWidget(slider, row, 1)
            label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            label.setMinimumWidth(self.fontMetrics().horizontalAdvance("888,888 "))
            grid.addWidget(label, row, 2)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(grid)
        column.addWidget(self.eight_bits)
        column.addWidget(self._bar)
        column.addWidget(self.verdict)
        column.addWidget(self._assumed)
        for slider in (self.context_slider, self.chats_slider):
            slider.valueChanged.connect(self._show)
        self.eight_bits.toggled.connect(self._show)

    def show_model(self, model: ModelLoaded | None) -> None:
        self._model = model
        if model is None:
            return
        contexts = [_SHORTEST_CONTEXT]
        while contexts[-1] * 2 < model.max_context:
            contexts.append(contexts[-1] * 2)
        self._contexts = sorted({min(context, model.max_context) for context in (*contexts, model.max_context)})
        self.context_slider.setRange(0, len(self._contexts) - 1)
        fitting = [index for index, context in enumerate(self._contexts) if context <= _FIRST_CONTEXT]
        self.context_slider.setValue(fitting[-1] if fitting else 0)
        self.eight_bits.setVisible(0 < model.eight_bit_kv_bytes_per_token < model.kv_bytes_per_token)
        self.eight_bits.setChecked(False)
        self._assumed.setText(_assumed_words(model))
        self._show()

    @property
    def context(self) -> int:
        return self._contexts[self.context_slider.value()]

    @property
    def num_chats(self) -> int:
        return self.chats_slider.value()

    def num_fitting(self) -> int:
        """How many chats of the chosen length fit."""
        assert self._model is not None, "no model is shown"
        model = self._model
        return self._pool_bytes(model) // self._block_bytes(model) // self._blocks_of_chat(model)

    def text(self) -> str:
        return self.verdict.text()

    def _blocks_of_chat(self, model: ModelLoaded) -> int:
        return chat_blocks(model, self.context)

    @staticmethod
    def _pool_bytes(model: ModelLoaded) -> int:
        return model.num_blocks * model.block_size * model.kv_bytes_per_token

    def _block_bytes(self, model: ModelLoaded) -> int:
        is_eight = self.eight_bits.isChecked()
        return model.block_size * (model.eight_bit_kv_bytes_per_token if is_eight else model.kv_bytes_per_token)

    def _show(self) -> None:
        model = self._model
        if model is None:
            return
        self._context_label.setText(f"{self.context:,}")
        self._chats_label.setText(f"{self.num_chats:,}")
        needed = self.num_chats * self._blocks_of_chat(model) * self._block_bytes(model)
        pool = self._pool_bytes(model)
        self._bar.set_parts(
            [("bar_used", min(needed, pool)), ("error", max(0, needed - pool)), ("bar_free", max(0, pool - needed))]
        )
        words = self._words(self.num_fitting(), memory_size(needed), memory_size(pool))
        self.verdict.setText(words)
        self._bar.setAccessibleName(words)
        for slider, label in ((self.context_slider, self._context_label), (self.chats_slider, self._chats_label)):
            slider.setAccessibleDescription(f"{label.text()}. {words}")

    def _words(self, num_fitting: int, needed: str, pool: str) -> str:
        chats = translate("app", "%n chat(s) of {length} tokens", None, self.num_chats).format(
            length=f"{self.context:,}"
        )
        if num_fitting >= self.num_chats:
            words = translate("app", "There is room for {chats}: {needed} of the {pool} for chats.")
            return sentences(words.format(chats=chats, needed=needed, pool=pool), self._at_most(num_fitting))
        words = translate("app", "No room for {chats} together: {needed} needed, {pool} there.")
        advice = translate(
            "app",
            "They take turns then; for more room raise “Memory for chats” in the settings, or load a smaller model.",
        )
        return sentences(words.format(chats=chats, needed=needed, pool=pool), self._at_most(num_fitting), advice)

    def _at_most(self, num_fitting: int) -> str:
        if not num_fitting:
            return translate("app", "Not even one of this length fits.")
        return translate("app", "Of this length, %n fit(s) at once.", None, num_fitting)


def _assumed_words(model: ModelLoaded) -> str:
    words = translate(
        "app", "Counted as if each chat filled its length and shared nothing: with a common beginning more fit."
    )
    words = sentences(_pool_origin(model), words)
    if model.cache_window is None:
        return words
    window = translate("app", "Of each chat this model keeps the newest {window} tokens alone.")
    return sentences(words, window.format(window=f"{model.cache_window:,}"))


def _pool_origin(model: ModelLoaded) -> str:
    """By which rule so much is there, as the verdicts on models tell it."""
    words = translate(
        "app",
        "The {size} for chats were kept when the model was loaded: a quarter of the memory that was free beside it, "
        "but no more than {number} chats as long as it allows take, "
        "unless “Memory for chats” in the settings says how much.",
    )
    size_bytes = model.num_blocks * model.block_size * model.kv_bytes_per_token
    return words.format(size=memory_size(size_bytes), number=POOL_CONTEXTS)


def _slider(name: str) -> Slider:
    slider = Slider()
    slider.setAccessibleName(name)
    slider.setToolTip(name)
    slider.setPageStep(1)
    return slider
