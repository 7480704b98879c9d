"""Which format a tensor gets, from what it comes in and what was asked for."""

import pytest
from gguf import GGMLQuantizationType as Kind

from engine.convert.options import QuantizeOptions
from engine.convert.sources.gguf_quantize import Target, check_tensor, choose_target
from engine.errors import SourceError

KEPT_Q4_0, KEPT_Q4_1 = Target(4, False, True, True), Target(4, True, True, True)
KEPT_Q8_0, KEPT_Q4_K = Target(8, False, True, True), Target(4, True, True, False)
ROUNDED_3, ROUNDED_4, ROUNDED_8 = (Target(bits, bits != 8, False, False) for bits in (3, 4, 8))


@pytest.mark.parametrize(
    ("kind", "bits", "group_size", "target"),
    [
        (Kind.Q4_0, None, 32, KEPT_Q4_0),
        (Kind.Q4_1, None, 32, KEPT_Q4_1),
        (Kind.Q8_0, None, 32, KEPT_Q8_0),
        (Kind.Q4_K, None, 32, KEPT_Q4_K),
        (Kind.Q5_0, None, 32, KEPT_Q8_0),
        (Kind.Q4_1, None, 64, ROUNDED_4),
        (Kind.Q8_0, None, 64, ROUNDED_8),
        (Kind.Q3_K, None, 32, ROUNDED_4),
        (Kind.IQ4_XS, None, 32, ROUNDED_4),
        (Kind.Q6_K, None, 32, ROUNDED_8),
        (Kind.F16, None, 32, ROUNDED_8),
        (Kind.Q4_1, 8, 32, KEPT_Q4_1),
        (Kind.Q4_1, 4, 32, KEPT_Q4_1),
        (Kind.Q4_1, 3, 32, ROUNDED_3),
        (Kind.Q8_0, 4, 32, ROUNDED_4),
        (Kind.Q8_0, 8, 128, ROUNDED_8),
        (Kind.F32, 4, 32, ROUNDED_4),
    ],
)
def test_a_tensor_is_kept_where_it_fits_and_rounded_otherwise(
    kind: Kind, bits: int | None, group_size: int, target: Target
) -> None:
    assert choose_target(kind, QuantizeOptions(bits, group_size)) == target


@pytest.mark.parametrize(
    ("columns", "group", "advice"),
    [(576, 128, "use groups of 32 or 64"), (96, 64, "groups of 32"), (40, 32, "no group")],
)
def test_a_group_that_does_not_divide_the_rows_names_those_that_do(columns: int, group: int, advice: str) -> None:
    with pytest.raises(SourceError, match=rf"blk\.0\.x has rows of {columns} weights, groups of {group} .*{advice}"):
        check_tensor("blk.0.x", Kind.F32, columns, group)


def test_a_type_that_cannot_be_read_is_named() -> None:
    with pytest.raises(SourceError, match="has the type I32"):
        check_tensor("blk.0.x", Kind.I32, 32, 32)
