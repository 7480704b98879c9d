"""The licence that a model's files tell: their own keys, the head of the README beside them, or a file of the licence.

Standard library only; knows nothing of what a licence allows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

_README, _LICENSE_FILES = "README.md", ("LICENSE", "LICENSE.txt", "LICENSE.md", "license")
_MAX_READ_BYTES = 1 << 16
_MAX_LENGTH = 80
_UNNAMED = "other"
"""What the hub calls a licence that is none of the usual ones; its name stands beside it then."""


def read_license(folder: Path, keys: Mapping[str, Any], prefix: str = "") -> str | None:
    """The name of the licence ("apache-2.0"), None if nothing tells one; what is damaged counts as telling nothing.

    `keys` are those of the model's own file, with the licence under `license` after `prefix`.
    """
    readme = dict(_front_matter(_head(folder / _README)))
    names = (
        _named(keys.get(f"{prefix}license"), keys.get(f"{prefix}license.name", keys.get(f"{prefix}license_name"))),
        _named(readme.get("license"), readme.get("license_name")),
        *(_title(_head(folder / name)) for name in _LICENSE_FILES),
    )
    return next((name for name in names if name is not None), None)


def _named(license: object, name: object) -> str | None:
    if isinstance(license, list):
        license = ", ".join(str(item) for item in license)
    if isinstance(name, str) and (license is None or license == _UNNAMED):
        license = name
    return _clean(license) if isinstance(license, str) else None


def _front_matter(text: str) -> Iterator[tuple[str, str | list[str]]]:
    """Keys and values at the top of a model card, between two lines of dashes: YAML, of which this reads the plain."""
    lines = text.splitlines()
    if not lines or lines[0].rstrip() != "---":
        return
    key, items = "", list[str]()
    for line in lines[1:]:
        if line.rstrip() == "---":
            break
        if line.lstrip().startswith("- ") and key:
            items.append(_unquoted(line.lstrip()[2:]))
            yield key, list(items)
        elif not line.startswith((" ", "\t", "#")):
            key, _, value = line.partition(":")
            key, items = key.strip(), []
            if value.strip():
                yield key, _unquoted(value)


def _unquoted(value: str) -> str:
    return value.partition(" #")[0].strip().strip("\"'")


def _title(text: str) -> str | None:
    """The first line of a licence's text, which is its name in all that are usual."""
    return next((name for line in text.splitlines() if (name := _clean(line.strip(" #*=-\t")))), None)


def _clean(name: str) -> str | None:
    name = " ".join(name.split())
    return name[:_MAX_LENGTH] if name and name.isprintable() else None


def _head(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_MAX_READ_BYTES).decode("utf-8", errors="replace").removeprefix("\ufeff")
    except OSError:
        return ""
