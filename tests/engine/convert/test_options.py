"""Options that no format has are refused before any file is opened."""

import pytest

from engine.convert.options import QuantizeOptions
from engine.errors import InvalidRequestError


@pytest.mark.parametrize(("bits", "group_size"), [(5, 32), (0, 32), (4, 16), (None, 0)])
def test_options_that_no_format_has_are_refused(bits: int | None, group_size: int) -> None:
    with pytest.raises(InvalidRequestError, match="not supported"):
        QuantizeOptions(bits, group_size)
