"""Owns the diagnostics file: what a report of a fault needs, and nothing that a person wrote.

Does not know the window.
"""

from __future__ import annotations

import json
import platform
import sys
import zipfile
from importlib import metadata
from pathlib import Path
from typing import Any

import psutil

from app import __version__
from app.desktop.personal_paths import without_people
from app.state.options import LAST_FOLDERS, SYSTEM_PROMPT
from engine.api import list_models

_PRIVATE_SETTINGS = frozenset({SYSTEM_PROMPT.key, LAST_FOLDERS.key, "hub_token"})
_LOGS = ("app.log", "app.log.1")
_DISTRIBUTIONS = (
    "deepinfer",
    "torch",
    "numpy",
    "PySide6-Essentials",
    "qasync",
    "tokenizers",
    "gguf",
    "huggingface_hub",
)


def write_diagnostics(home: Path, path: Path) -> None:
    """Writes a zip archive to `path`: log, machine, versions, models and settings; no chat, prompt or token.

    Home folders and what their people are called are cut out of all paths. Raises OSError if it cannot be written.
    """
    facts = {
        "program": __version__,
        "python": sys.version,
        "system": platform.platform(),
        "processor": platform.processor() or platform.machine(),
        "cores": psutil.cpu_count(logical=False),
        "memory_bytes": psutil.virtual_memory().total,
        "free_memory_bytes": psutil.virtual_memory().available,
        "free_disk_bytes": psutil.disk_usage(str(home)).free,
        "packages": {name: _version(name) for name in _DISTRIBUTIONS},
        "models": [{"id": model.model_id, "bytes": model.size_bytes} for model in list_models(home)],
        "settings": _settings(home),
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("facts.json", without_people(json.dumps(facts, indent=2, ensure_ascii=False), Path.home()))
        for name in _LOGS:
            if (home / name).is_file():
                log = (home / name).read_text(encoding="utf-8", errors="replace")
                archive.writestr(name, without_people(log, Path.home()))


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _settings(home: Path) -> dict[str, Any]:
    try:
        values = json.loads((home / "settings.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        return {"unreadable": str(error)}
    return {key: value for key, value in values.items() if key not in _PRIVATE_SETTINGS}
