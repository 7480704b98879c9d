"""`plan`: what a model would need and what fits beside it, before anything is downloaded."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.commands.exit_codes import EXIT_OK
from engine.commands.kv_option import add_kv_dtype
from engine.config import EngineConfig
from engine.errors import InvalidRequestError, ModelNotFoundError, SourceError
from engine.models.adapters import spec_from_config
from engine.planning.known_models import find_known, known_models
from engine.planning.plan import Plan, gib, plans
from engine.spec import ModelSpec
from engine.store.files import file_size
from engine.store.library import Library

CONFIG_FILE = "config.json"
DEFAULT_MEMORY = "4GiB"
_UNITS = {"gib": 2**30, "mib": 2**20, "gb": 10**9, "mb": 10**6, "g": 2**30, "m": 2**20}


def add_parsers(subparsers: argparse._SubParsersAction[Any]) -> None:
    parser = subparsers.add_parser("plan", help="what a model needs, by quality, and how many chats fit beside it")
    parser.add_argument(
        "model",
        metavar="CONFIG|MODEL",
        nargs="?",
        help="a config.json, a GGUF file, a model here or a well-known one (all of these)",
    )
    parser.add_argument("--memory", type=memory_size, default=memory_size(DEFAULT_MEMORY), help="such as 4GiB (4GiB)")
    add_kv_dtype(parser)
    parser.set_defaults(run=run_plan)


def memory_size(text: str) -> int:
    """Bytes of "4GiB", "800 MB" or a plain number."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]*)\s*", text)
    unit = match[2].lower() if match else "?"
    if match is None or (unit and unit not in _UNITS):
        raise argparse.ArgumentTypeError(f"{text!r} is no size: write 4GiB or 800MB")
    return round(float(match[1]) * (_UNITS[unit] if unit else 1))


def run_plan(args: argparse.Namespace) -> int:
    if args.memory <= 0:
        raise InvalidRequestError("A memory of 0 bytes holds nothing: give a size such as 4GiB")
    if args.model is None:
        models = [(model.name, model.spec) for model in known_models()]
    else:
        models = [find_spec(args.model, args.home)]
    config = EngineConfig(home=args.home, kv_dtype=args.kv_dtype)
    rows = [(name, plans(spec, args.memory, config)) for name, spec in models]
    if args.json:
        print(json.dumps([{"name": name, "plans": [asdict(item) for item in found]} for name, found in rows], indent=1))
        return EXIT_OK
    for line in table(rows):
        print(line)
    if args.model is not None:
        for item in rows[0][1]:
            for sentence in item.advice:
                print(f"{item.quality}: {sentence}")
    return EXIT_OK


def find_spec(name: str, home: Path) -> tuple[str, ModelSpec]:
    """A model's name and numbers. Raises `SourceError` for a bad config, `ModelNotFoundError` for an unknown name."""
    path = Path(name).expanduser()
    if path.is_dir() and (path / CONFIG_FILE).is_file():
        path /= CONFIG_FILE
    if path.suffix == ".gguf":
        # Imported here, so that the other plans do not wait for torch.
        from engine.convert.opening import open_source

        with open_source(path) as source:
            return path.stem, source.spec
    if path.is_file():
        return path.parent.name or path.name, _read_config(path)
    if (known := find_known(name)) is not None:
        return known.name, known.spec
    try:
        entry = Library(home / "models").find(name)
    except ModelNotFoundError as error:
        names = ", ".join(model.name for model in known_models())
        raise ModelNotFoundError(f"{name!r} is no config.json, no model here and none of these: {names}") from error
    return entry.name, entry.spec


def _read_config(path: Path) -> ModelSpec:
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{path} is no JSON text ({error}): give a model's config.json") from error
    if not isinstance(config, dict):
        raise SourceError(f"{path} is no JSON object: give a model's config.json")
    return spec_from_config(config)


def table(rows: Sequence[tuple[str, Sequence[Plan]]]) -> list[str]:
    """A table in Markdown, which reads as plain text too."""
    heads = (
        "model",
        "quality",
        "on disk",
        "weights in memory",
        "KV per 1,000 tokens",
        "in all, with 4,096 tokens",
        "longest chat",
        "chats",
        "about",
    )
    cells = [heads, *(_cells(name, item) for name, found in rows for item in found)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(heads))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in cells
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return [lines[0], rule, *lines[1:]]


def _cells(name: str, item: Plan) -> tuple[str, ...]:
    tabs = next((tabs for tabs in reversed(item.tabs) if tabs.num_tabs >= 2), None) or next(iter(item.tabs), None)
    return (
        name,
        item.quality,
        file_size(item.need.disk_bytes),
        gib(item.need.resident_bytes),
        gib(1000 * item.need.kv_bytes_per_token),
        gib(item.need.total_bytes(4096)),
        f"{item.context:,} tokens" if item.context else "does not fit",
        "–" if tabs is None else f"{tabs.num_tabs} of {tabs.context:,}",
        f"{item.need.tokens_per_s:.0f} tokens/s",
    )
