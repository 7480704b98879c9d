"""`fetch`, `convert`, `models` and `inspect`: what is in the library and how it gets there.

Imports torch only where weights are made or read, so that listing stays quick.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from engine import catalog
from engine.commands.exit_codes import EXIT_INTERRUPTED, EXIT_OK
from engine.commands.inspection import inspect_model, print_inspection
from engine.commands.progress import ProgressLine
from engine.store.files import mebibytes
from engine.store.library import Library


def add_parsers(subparsers: argparse._SubParsersAction[Any]) -> None:
    known = ", ".join(f"{entry.catalog_id} ({entry.name})" for entry in catalog.entries())
    fetch = subparsers.add_parser("fetch", help=f"download a model of the catalogue: {known}")
    fetch.add_argument("catalog_id", metavar="ID")
    fetch.set_defaults(run=run_fetch)
    convert = subparsers.add_parser("convert", help="convert a GGUF file into the library")
    convert.add_argument("source", metavar="SOURCE", type=Path)
    convert.add_argument("--name", help="the model's name (the file's name)")
    convert.add_argument("--bits", choices=("auto", "3", "4", "8"), default="auto", help="per weight (%(default)s)")
    convert.add_argument("--group", type=int, choices=(32, 64, 128), default=32, help="weights per scale (%(default)s)")
    convert.set_defaults(run=run_convert)
    subparsers.add_parser("models", help="list the models of the library").set_defaults(run=run_models)
    remove = subparsers.add_parser("remove", help="delete a model from the library")
    remove.add_argument("model", metavar="MODEL")
    remove.set_defaults(run=run_remove)
    inspect = subparsers.add_parser("inspect", help="what a model is, and how its weights are stored and run")
    inspect.add_argument("model", metavar="MODEL")
    inspect.add_argument("--verify", action="store_true", help="read every file and compare its sha256")
    inspect.set_defaults(run=run_inspect)


def run_remove(args: argparse.Namespace) -> int:
    entry = Library(args.home / "models").remove(args.model)
    if args.json:
        print(json.dumps({"model_id": entry.model_id, "freed_bytes": entry.size_bytes}))
    else:
        print(f"{entry.model_id} is deleted, {mebibytes(entry.size_bytes)} are free again")
    return 0


def run_fetch(args: argparse.Namespace) -> int:
    """Exit code 130 when interrupted; what is finished is kept."""
    entry = catalog.require(args.catalog_id)
    from engine.jobs.fetch import fetch

    try:
        with ProgressLine() as line:
            converted = fetch(entry, args.home, line.show, lambda: False)
    except KeyboardInterrupt:
        return _interrupted()
    return _report(args, converted.model_id, converted.was_there)


def run_convert(args: argparse.Namespace) -> int:
    """Exit code 130 when interrupted; what is finished is kept."""
    from engine.convert.options import QuantizeOptions
    from engine.convert.pipeline import Conversion, convert_file

    options = QuantizeOptions(None if args.bits == "auto" else int(args.bits), args.group)
    try:
        with ProgressLine() as line:
            conversion = Conversion(args.source.expanduser(), args.name, options)
            converted = convert_file(args.home, conversion, line.show, lambda: False)
    except KeyboardInterrupt:
        return _interrupted()
    return _report(args, converted.model_id, converted.was_there)


def run_models(args: argparse.Namespace) -> int:
    models = Library(args.home / "models").list()
    if args.json:
        rows = [
            {
                "model_id": model.model_id,
                "name": model.name,
                "family": model.spec.family,
                "size_bytes": model.size_bytes,
                "license": model.license,
                "source": model.source,
                "path": str(model.path),
            }
            for model in models
        ]
        print(json.dumps(rows, ensure_ascii=False, indent=1))
        return EXIT_OK
    if not models:
        print("no models yet: get one with `python -m engine fetch starter`", file=sys.stderr)
    width = max((len(model.model_id) for model in models), default=0)
    for model in models:
        print(f"{model.model_id:{width}}  {mebibytes(model.size_bytes):>10}  {model.spec.family:6}  {model.name}")
    return EXIT_OK


def run_inspect(args: argparse.Namespace) -> int:
    from engine.backends import choose_backend
    from engine.commands.execution import describe_execution, print_execution
    from engine.store.checkpoint import Checkpoint

    model = Library(args.home / "models").find(args.model)
    checkpoint = Checkpoint.open(model.path)
    if args.verify:
        with ProgressLine() as line:
            checkpoint.verify(lambda done, total: line.show("verify", done, total))
    backend = choose_backend(args.backend)
    facts = inspect_model(model) | {"is_verified": args.verify}
    execution = describe_execution(checkpoint, backend)
    if args.json:
        facts["execution"] = {"backend": backend.name, "weights": execution}
        print(json.dumps(facts, ensure_ascii=False, indent=1))
        return EXIT_OK
    print_inspection(facts)
    print_execution(backend.name, execution)
    return EXIT_OK


def _report(args: argparse.Namespace, model_id: str, was_there: bool) -> int:
    if args.json:
        print(json.dumps({"model_id": model_id, "was_there": was_there}))
    else:
        print(f"{model_id} is already there, nothing to do" if was_there else f"{model_id} is ready")
    return EXIT_OK


def _interrupted() -> int:
    print("interrupted: finished parts are kept, run the command again to go on", file=sys.stderr)
    return EXIT_INTERRUPTED
