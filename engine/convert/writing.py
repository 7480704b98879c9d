"""A source's layers into a partial checkpoint, one after the other, and what that has cost, measured.

Knows nothing of the library and of what is in it already.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from engine.convert.calibrated import Calibration
from engine.convert.fidelity import measure_fidelity, num_scored
from engine.convert.options import QuantizeOptions
from engine.convert.packing import IsCancelled, pack
from engine.convert.sample_texts import calibration_windows, held_windows
from engine.convert.source import Source, layer_matrices, matrices, with_packed
from engine.convert.time_left import LayerPace, TimeLeft
from engine.environment import return_free_memory
from engine.messages import JobStage
from engine.planning.conversion_time import HELD_TOKENS, Work
from engine.store import layout
from engine.store.checkpoint import Checkpoint
from engine.store.files import check_cancelled
from engine.store.manifest import Fidelity, Manifest
from engine.store.partial import PartialCheckpoint
from engine.text.tokenizer import Tokenizer
from engine.weights import HeadWeights


class OnProgress(Protocol):
    """Told of each stage's counts, and of the time that is left where that is estimated."""

    def __call__(self, stage: JobStage, done: int, total: int, left_s: float | None = None) -> None: ...


def settled_options(source: Source, options: QuantizeOptions) -> QuantizeOptions:
    """The options as they work out for this source."""
    num_bits = num_weights = 0.0
    row_lengths = set()
    for _, matrix in matrices(source):
        size = matrix.num_rows * matrix.num_columns
        num_bits += size * matrix.bits_per_weight
        num_weights += size
        row_lengths.add(matrix.num_columns)
    return options.fitted(row_lengths, num_bits / num_weights)


class Writer:
    """One conversion with settled options: `write`, then `measure`. Takes up what an earlier run has left.

    `manifest` gives that of the files that are there so far. Raises `SourceError`, `StorageError`, `CheckpointError`,
    `JobCancelledError`.
    """

    def __init__(
        self,
        partial: PartialCheckpoint,
        source: Source,
        options: QuantizeOptions,
        manifest: Callable[[], Manifest],
        on_progress: OnProgress,
        is_cancelled: IsCancelled,
    ) -> None:
        self._partial = partial
        self._source = source
        self._spec = source.spec
        self._options = options
        self._manifest = manifest
        self._on_progress = on_progress
        self._is_cancelled = is_cancelled
        self._clock: TimeLeft | None = None
        self._work = Work(0.0, 0.0, 0.0)
        self._pace: LayerPace | None = None

    def write(self) -> None:
        """Every file but the manifest."""
        partial, num_layers = self._partial, self._spec.num_layers
        self._write_texts()
        if not partial.has(layout.EMBED_FILE):
            self._write_embedding()
        calibration = self._calibration()
        if calibration is None:
            self._pace = LayerPace(num_layers, Work.of(self._spec, 0, HELD_TOKENS).measure)
        self._tell("convert", 0, 0.0)
        for index in range(num_layers):
            check_cancelled(self._is_cancelled)
            is_there = partial.has(layout.layer_file(index))
            if not is_there:
                self._write_layer(index, calibration)
            elif calibration is not None:
                calibration.pass_over(self._written().read_layer(index), self._source.layer(index), index)
            self._tell("convert", index + 1, self._layer_work(is_there))
        if not partial.has(layout.HEAD_FILE):
            self._write_head(calibration)

    def measure(self) -> Fidelity | None:
        """How far what was written is from the source; None if it is the same, or if no text has tokens to score."""
        windows = self._windows(held_windows)
        if not num_scored(windows) or all(form.is_exact for form in self._partial.formats.values()):
            return None
        work = Work.of(self._spec, 0, sum(map(len, windows))).measure
        self._clock = self._clock or TimeLeft(work)

        def on_layer(index: int) -> None:
            check_cancelled(self._is_cancelled)
            self._tell("measure", index, work / self._spec.num_layers)

        (found,) = measure_fidelity(self._source, [self._written()], windows, on_layer)
        return found.mean()

    def _calibration(self) -> Calibration | None:
        """None if there is nothing left to calibrate."""
        are_there = [self._partial.has(layout.layer_file(index)) for index in range(self._spec.num_layers)]
        if self._options.method != "calibrated" or all((*are_there, self._partial.has(layout.HEAD_FILE))):
            return None
        windows, held = (self._windows(texts) for texts in (calibration_windows, held_windows))
        self._work = Work.of(self._spec, sum(map(len, windows)), sum(map(len, held)))
        self._clock = TimeLeft(sum(map(self._layer_work, are_there)) + self._work.measure)
        calibration = Calibration(self._spec, windows, self._options, self._is_cancelled)
        calibration.start(self._written().read_embedding(), self._source.embedding())
        return calibration

    def _write_texts(self) -> None:
        tokenizer = self._source.tokenizer
        self._partial.write_text(layout.TOKENIZER_FILE, tokenizer.tokenizer_json)
        if tokenizer.chat_template is not None:
            self._partial.write_text(layout.TEMPLATE_FILE, tokenizer.chat_template)
        self._partial.write_text(layout.GENERATION_FILE, tokenizer.generation.to_text())

    def _write_embedding(self) -> None:
        packed = pack(self._source.embedding(), self._options.of_matrix("embedding"), self._is_cancelled)
        self._partial.note_formats({layout.EMBEDDING: packed.form})
        self._partial.write_embedding(packed.weight)

    def _write_layer(self, index: int, calibration: Calibration | None) -> None:
        layer = self._source.layer(index)
        if calibration is not None:
            packed = calibration.quantize(layer, index)
        else:
            packed = {
                name: pack(matrix, self._options.of_matrix(name), self._is_cancelled)
                for name, matrix in layer_matrices(layer).items()
            }
        self._partial.note_formats({layout.layer_tensor(index, name): item.form for name, item in packed.items()})
        self._partial.write_layer(index, with_packed(layer, {name: item.weight for name, item in packed.items()}))

    def _write_head(self, calibration: Calibration | None) -> None:
        head = self._source.head()
        if head.matrix is None:
            self._partial.write_head(HeadWeights(head.norm, None, head.norm_bias))
            return
        if calibration is not None:
            packed = calibration.quantize_head(head, head.matrix)
        else:
            packed = pack(head.matrix, self._options.of_matrix("head"), self._is_cancelled)
        self._partial.note_formats({layout.HEAD: packed.form})
        self._partial.write_head(HeadWeights(head.norm, packed.weight, head.norm_bias))

    def _written(self) -> Checkpoint:
        return Checkpoint(self._partial.folder, self._manifest())

    def _windows(self, texts: Callable[[Tokenizer, int, int], list[list[int]]]) -> list[list[int]]:
        windows = texts(self._tokenizer(), self._spec.max_context, self._spec.vocab_size)
        # A tokenizer of 150,000 words is 80 MB of small blocks, which would lie free below all that follows.
        return_free_memory()
        return windows

    def _tokenizer(self) -> Tokenizer:
        generation = self._source.tokenizer.generation
        path = self._partial.folder / layout.TOKENIZER_FILE
        return Tokenizer(path, generation.bos_token_id, generation.adds_bos)

    def _layer_work(self, is_there: bool) -> float:
        return (self._work.pass_over if is_there else self._work.calibrate) / self._spec.num_layers

    def _tell(self, stage: JobStage, num_done: int, layer_work: float) -> None:
        """A layer is done, unless it is the first word of the stage."""
        if self._clock is not None and num_done:
            self._clock.did(layer_work)
        left_s = None if self._clock is None else self._clock.left_s
        if stage == "convert" and self._pace is not None:
            is_exact = all(form.is_exact for form in self._partial.formats.values())
            left_s = self._pace.left_s(num_done, is_measured=not is_exact)
        self._on_progress(stage, num_done, self._spec.num_layers, left_s)
