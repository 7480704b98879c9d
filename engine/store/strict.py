"""Records of plain values out of JSON, with every type looked at: a file on disk may say anything.

Standard library only; knows nothing of what the records are for.
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Mapping
from typing import Any, TypeVar

T = TypeVar("T")


def record_of(kind: type[T], data: object) -> T:
    """A dataclass of the fields in `data`. Raises TypeError or ValueError naming the field that is wrong."""
    if not isinstance(data, Mapping):
        raise TypeError(f"{kind.__name__} is no group of keys")
    record = kind(**data)
    hints = typing.get_type_hints(kind)
    for field in dataclasses.fields(kind):  # type: ignore[arg-type]
        if not _fits(getattr(record, field.name), hints[field.name]):
            raise TypeError(f"{field.name} is {str(data.get(field.name))[:40]!r}")
    return record


def text_of(value: object, name: str) -> str:
    """Raises TypeError unless it is text, ValueError if it is none that can be written again."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is no text")
    value.encode()
    return value


def table_of(value: object, name: str) -> Mapping[str, Any]:
    """Raises TypeError unless it is a group of keys."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} is no group of keys")
    return value


def _fits(value: object, hint: Any) -> bool:
    """Whether a value is of a type: plain ones, unions of them, and tuples of one of them."""
    origin = typing.get_origin(hint)
    if origin in (types.UnionType, typing.Union):
        return any(_fits(value, each) for each in typing.get_args(hint))
    if hint is float:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return is_number and math.isfinite(typing.cast(float, value))
    if hint is int:
        return type(value) is int
    if hint is str:
        return isinstance(value, str) and value.isprintable()
    if hint in (bool, types.NoneType):
        return isinstance(value, hint)
    raise AssertionError(f"no rule for {hint}")
