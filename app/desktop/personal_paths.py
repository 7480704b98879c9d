"""Owns taking the names of people out of a text: those of their home folders, however a path is written.

Does not know what the text is for.
"""

from __future__ import annotations

import json
import re
from pathlib import PurePath
from urllib.parse import quote

_MARK = "~"
# Of this system or another, once more escaped in JSON and in what is quoted, or as an address writes it.
_SEPARATOR = r"(?:[\\/]|%5C|%2F)+"
# A backslash that begins a letter's number is none between folders.
_LETTER = r"(?:[^\\/\s\"'<>|*?:,;()%]|%(?!5C|2F)|\\+(?:u[0-9a-f]{4}|x[0-9a-f]{2}))"
_NAME = rf"(?:{_LETTER}+(?: {_LETTER}+){{0,3}}(?={_SEPARATOR})|{_LETTER}+)"
_ANY_HOME = re.compile(rf"(?:\b[a-z]:)?{_SEPARATOR}(?:Users|home|Documents and Settings){_SEPARATOR}{_NAME}", re.I)


def without_people(text: str, home: PurePath) -> str:
    """`text` with `~` for each home folder, above all for `home`, and for its name wherever it names a folder."""
    parts = home.parts[1:] if home.anchor else home.parts
    if parts:
        drive = re.escape(home.drive)
        own = "".join(_SEPARATOR + _spellings(part) for part in parts)
        text = re.sub(rf"{drive}{own}(?![\w-])", _MARK, text, flags=re.I)
        text = re.sub(rf"({_SEPARATOR}){_spellings(parts[-1])}(?![\w-])", rf"\1{_MARK}", text, flags=re.I)
    return _ANY_HOME.sub(_MARK, text)


def _spellings(name: str) -> str:
    """A pattern for a folder's name: as it is, with the escapes of JSON or Python, or as in an address."""
    escaped = (json.dumps(name)[1:-1], ascii(name)[1:-1])
    # Each time that it is quoted once more, its backslashes double.
    patterns = [re.escape(spelling).replace(r"\\", r"\\+") for spelling in (name, *escaped, quote(name))]
    return f"(?:{'|'.join(dict.fromkeys(patterns))})"
