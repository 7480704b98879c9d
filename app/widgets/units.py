"""Owns how sizes, rates and times are written for a person.

Knows nothing of what is measured. Memory counts in powers of 1024 (GiB), files and downloads in powers of 1000 (GB).
"""

from __future__ import annotations

import re

from app.i18n import translate

_MEMORY_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
_FILE_UNITS = ("B", "kB", "MB", "GB", "TB")
_NO_BREAK_SPACE = "\u00a0"
_NO_BREAK = re.compile(
    r"(?<=[0-9]) (?=(?:[KMGT]iB|[kMGT]?B|ms|s|min|h|tok|秒|%)(?![A-Za-z]))|(?<=[0-9] h) (?=[0-9]+ min)"
    r"|(?<=\w) (?=[0-9.]+[MB](?![\w]))| (?=· )"
)


def memory_size(size_bytes: int) -> str:
    """`1.7 GiB`, `940 MiB`."""
    exponent = _exponent(size_bytes, 1024)
    return f"{_number(size_bytes / 1024**exponent, exponent)} {_MEMORY_UNITS[exponent]}"


def file_size(size_bytes: int) -> str:
    """`1.8 GB`, `94 MB`."""
    exponent = _exponent(size_bytes, 1000)
    return f"{_number(size_bytes / 1000**exponent, exponent)} {_FILE_UNITS[exponent]}"


def shown_size(size_bytes: int) -> int:
    """The size rounded as `file_size` writes it: a sum of such ones agrees with its parts as they are read."""
    unit = 1000 ** _exponent(size_bytes, 1000)
    value = size_bytes / unit
    return round(round(value, 0 if round(value, 1) >= 10 else 1) * unit)


def done_of_total(done_bytes: int, total_bytes: int) -> str:
    """`1.2 of 1.8 GB`: both numbers in the unit of the total."""
    exponent = _exponent(total_bytes, 1000)
    done, total = (_number(size / 1000**exponent, exponent) for size in (done_bytes, total_bytes))
    words = translate("app", "{done} of {total} {unit}")
    return words.format(done=done, total=total, unit=_FILE_UNITS[exponent])


def duration(duration_s: float) -> str:
    """`27 s`, `4 min`, `2 h 5 min`; at least one second."""
    seconds = max(1, round(duration_s))
    if seconds < 90:
        return translate("app", "{number} s").format(number=seconds)
    minutes = round(seconds / 60)
    if minutes < 60:
        return translate("app", "{number} min").format(number=minutes)
    return translate("app", "{hours} h {minutes} min").format(hours=minutes // 60, minutes=minutes % 60)


def with_good_breaks(text: str) -> str:
    """The text with spaces at which no line breaks.

    Those between a number and its unit, between a model's name and its size, and before a dot that parts words.
    """
    return _NO_BREAK.sub(_NO_BREAK_SPACE, text)


def unbroken(text: str) -> str:
    """The text in one line: where it does not fit, all of it goes to the next one."""
    return text.replace(" ", _NO_BREAK_SPACE)


def with_digits_grouped(words: str, number: int) -> str:
    """A plural comes with the bare number: `12,345 downloads` of `12345 downloads`."""
    return words.replace(str(number), f"{number:,}")


def _exponent(size_bytes: int, base: int) -> int:
    exponent = 0
    # 999.5 would be written as 1000, so it belongs to the next unit.
    while exponent < len(_FILE_UNITS) - 1 and size_bytes / base**exponent >= 999.5:
        exponent += 1
    return exponent


def _number(value: float, exponent: int) -> str:
    """One digit after the point below 10, none for bytes or above."""
    if exponent == 0 or round(value, 1) >= 10 or value == 0:
        return f"{value:.0f}"
    return f"{value:.1f}"
