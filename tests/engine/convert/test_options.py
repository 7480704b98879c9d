"""Options that no format has are refused before any file is opened."""

import pytest

from engine.convert.options import QuantizeOptions
from engine.errors import InvalidRequestError


@pytest.mark.parametrize(("bits", "group_size"), [(6, 32), (0, 32), (4, 16), (None, 0)])
def test_options_that_no_format_has_are_refused(bits: int | None, group_size: int) -> None:
    with pytest.raises(InvalidRequestError, match="not supported"):
        QuantizeOptions(bits, group_size)


def test_a_method_that_there_is_not_is_refused() -> None:
    with pytest.raises(InvalidRequestError, match="use nearest or calibrated"):
        QuantizeOptions(4, method="best")  # type: ignore[arg-type]


def test_calibrating_needs_a_number_of_bits() -> None:
    with pytest.raises(InvalidRequestError, match="needs a number of bits"):
        QuantizeOptions(method="calibrated")


def test_each_kind_of_matrix_has_its_bits() -> None:
    options = QuantizeOptions.of_quality("smallest")
    bits = {kind: options.of_matrix(kind).bits for kind in ("embedding", "head", "qkv", "down", "gate_up")}
    assert bits == {"embedding": 4, "head": 4, "qkv": 4, "down": 4, "gate_up": 3}
    assert QuantizeOptions(4).of_matrix("head").bits == 4


def test_groups_are_fitted_to_the_rows_only_where_that_is_allowed() -> None:
    assert QuantizeOptions(4, 64).fitted({96, 64}, 16).group_size == 64
    assert QuantizeOptions.of_quality("smallest").fitted({96, 64}, 16).group_size == 32


def test_a_source_of_four_bits_is_taken_as_it_is_by_balanced_but_not_by_smallest() -> None:
    assert QuantizeOptions.of_quality("balanced").fitted({64}, 4.9).bits is None
    assert QuantizeOptions.of_quality("balanced").fitted({64}, 8.5).bits == 4
    assert QuantizeOptions.of_quality("smallest").fitted({64}, 4.9).bits == 4
