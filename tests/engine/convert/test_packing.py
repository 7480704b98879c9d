"""Which format a matrix gets, from what it comes in and what was asked for; and how true it is."""

from __future__ import annotations

import pytest
import torch
from gguf import GGML_QUANT_SIZES
from gguf import GGMLQuantizationType as Kind
from torch import Tensor

from engine.convert.matrix import KeptFormat, ReorderedRows, RowRange, SourceMatrix, StackedRows
from engine.convert.options import QuantizeOptions
from engine.convert.packing import Target, choose_target, pack
from engine.convert.sources.gguf_layouts import GROUP, KEPT_LAYOUTS
from engine.convert.sources.gguf_matrix import check_readable
from engine.errors import SourceError
from kernels.formats import PackedWeight, dequantize, quantize


class ValuesMatrix(SourceMatrix):
    """Plain values, or codes that can be kept, in memory."""

    def __init__(self, values: Tensor, kind: str = "F32", bits: float = 32.0, kept: PackedWeight | None = None) -> None:
        super().__init__("blk.0.x", (values.shape[0], values.shape[1]), kind, bits)
        self._values = values
        self._packed = kept
        if kept is not None:
            self.kept = KeptFormat(kept.bits, kept.group_size, kept.minimum is not None, False)

    def read_values(self, start: int, stop: int) -> Tensor:
        return self._values[start:stop]

    def read_kept(self, start: int, stop: int) -> PackedWeight:
        assert self._packed is not None
        p = self._packed
        minimum = None if p.minimum is None else p.minimum[start:stop]
        return PackedWeight(p.codes[start:stop], p.scale[start:stop], minimum, p.bits, p.group_size)


def of_kind(kind: Kind, num_columns: int = 256) -> SourceMatrix:
    block_size, block_bytes = GGML_QUANT_SIZES[kind]
    matrix = ValuesMatrix(torch.zeros(1, num_columns), kind.name, 8 * block_bytes / block_size)
    if (kept := KEPT_LAYOUTS.get(kind)) is not None:
        matrix.kept = KeptFormat(kept.bits, GROUP, kept.has_minimum, kept.is_exact)
    return matrix


KEPT_Q4_0, KEPT_Q4_1 = Target(4, 32, False, True, True), Target(4, 32, True, True, True)
KEPT_Q5_0 = Target(5, 32, False, True, True)
KEPT_Q8_0, KEPT_Q4_K = Target(8, 32, False, True, True), Target(4, 32, True, True, False)


def rounded(bits: int, group_size: int = 32) -> Target:
    return Target(bits, group_size, bits != 8, False, False)


@pytest.mark.parametrize(
    ("kind", "bits", "group_size", "target"),
    [
        (Kind.Q4_0, None, 32, KEPT_Q4_0),
        (Kind.Q4_1, None, 32, KEPT_Q4_1),
        (Kind.Q8_0, None, 32, KEPT_Q8_0),
        (Kind.Q4_K, None, 32, KEPT_Q4_K),
        (Kind.Q5_0, None, 32, KEPT_Q5_0),
        (Kind.Q5_0, 4, 32, rounded(4)),
        (Kind.Q4_1, None, 64, rounded(4, 64)),
        (Kind.Q8_0, None, 64, rounded(8, 64)),
        (Kind.Q3_K, None, 32, rounded(4)),
        (Kind.IQ4_XS, None, 32, rounded(4)),
        (Kind.Q6_K, None, 32, rounded(8)),
        (Kind.F16, None, 32, rounded(8)),
        (Kind.Q4_1, 8, 32, KEPT_Q4_1),
        (Kind.Q4_1, 4, 32, KEPT_Q4_1),
        (Kind.Q4_1, 3, 32, rounded(3)),
        (Kind.Q8_0, 4, 32, rounded(4)),
        (Kind.Q8_0, 8, 128, rounded(8, 128)),
        (Kind.F32, 4, 32, rounded(4)),
    ],
)
def test_a_matrix_is_kept_where_it_fits_and_rounded_otherwise(
    kind: Kind, bits: int | None, group_size: int, target: Target
) -> None:
    assert choose_target(of_kind(kind), QuantizeOptions(bits, group_size)) == target


@pytest.mark.parametrize(("asked", "kept"), [(32, True), (64, True), (128, False)])
def test_larger_groups_than_asked_for_are_kept_and_smaller_ones_are_not(asked: int, kept: bool) -> None:
    codes = quantize(torch.randn(4, 128), 4, 64, has_minimum=True)
    target = choose_target(ValuesMatrix(dequantize(codes), kept=codes), QuantizeOptions(None, asked))
    assert (target.is_kept, target.group_size) == (kept, 64 if kept else asked)


@pytest.mark.parametrize(
    ("columns", "group", "advice"),
    [(576, 128, "use groups of 32 or 64"), (96, 64, "groups of 32"), (40, 32, "no group")],
)
def test_a_group_that_does_not_divide_the_rows_names_those_that_do(columns: int, group: int, advice: str) -> None:
    with pytest.raises(SourceError, match=rf"blk\.0\.x has rows of {columns} weights, groups of {group} .*{advice}"):
        choose_target(of_kind(Kind.F32, columns), QuantizeOptions(4, group))


def test_a_type_that_cannot_be_read_is_named() -> None:
    with pytest.raises(SourceError, match="has the type I32"):
        check_readable("blk.0.x", Kind.I32)


def test_the_error_is_what_packing_changed_over_what_was_packed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.convert.packing.CHUNK_WEIGHTS", 100)
    values = torch.randn(17, 64)
    packed = pack(ValuesMatrix(values), QuantizeOptions(4))
    error = float((dequantize(packed.weight) - values).norm() / values.norm())
    assert packed.form.error == pytest.approx(error, rel=1e-5)
    assert not packed.form.is_exact


def test_kept_codes_that_turn_out_to_be_exact_are_called_so() -> None:
    codes = quantize(torch.randn(4, 64), 4, 32, has_minimum=True)
    form = pack(ValuesMatrix(dequantize(codes), kept=codes), QuantizeOptions()).form
    assert (form.is_exact, form.error) == (True, 0.0)


def test_rows_can_be_cut_stacked_and_reordered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.convert.packing.CHUNK_WEIGHTS", 200)
    codes = quantize(torch.randn(12, 64), 4, 32, has_minimum=False)
    values = dequantize(codes)
    whole = ValuesMatrix(values, kept=codes)
    order = torch.tensor([3, 2, 1, 0, 7, 6, 5, 4, 8, 9, 10, 11])
    stacked = StackedRows([RowRange(whole, 2, 9), StackedRows([ReorderedRows(whole, order), RowRange(whole, 0, 1)])])
    wanted = torch.cat([values[2:9], values[order], values[:1]])
    assert stacked.num_rows == 20
    assert len(stacked.parts) == 3
    assert torch.equal(stacked.read_values(0, 20), wanted)
    assert torch.equal(stacked.read_values(5, 13), wanted[5:13])
    assert torch.equal(dequantize(pack(stacked, QuantizeOptions()).weight), wanted)
