"""`fetch`, `convert`, `models` and `inspect`: what is in the library and how it gets there.

Imports torch only where weights are made or read, so that listing stays quick.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine import catalog
from engine.commands import hub
from engine.commands.exit_codes import EXIT_INTERRUPTED, EXIT_OK
from engine.commands.inspection import conversion_facts, describe_conversion, inspect_model, print_inspection
from engine.commands.progress import ProgressLine
from engine.errors import InvalidRequestError
from engine.quality import METHODS, PRESETS
from engine.store.damaged import DamagedModel
from engine.store.files import file_size
from engine.store.library import Library, ModelEntry

if TYPE_CHECKING:
    from engine.convert.options import QuantizeOptions


def add_parsers(subparsers: argparse._SubParsersAction[Any]) -> None:
    known = ", ".join(f"{entry.catalog_id} ({entry.name})" for entry in catalog.entries())
    fetch = subparsers.add_parser("fetch", help=f"download a model of the hub, or of the catalogue: {known}")
    fetch.add_argument("model", metavar="ID|OWNER/NAME[:FILE]", help="FILE is a file's name or a quantisation")
    hub.add_fetch_options(fetch)
    fetch.set_defaults(run=run_fetch)
    convert = subparsers.add_parser(
        "convert", help="convert a GGUF file, or a folder with safetensors, into the library"
    )
    convert.add_argument("source", metavar="FILE|FOLDER", type=Path)
    convert.add_argument("--name", help="the model's name (that of the file or folder)")
    convert.add_argument("--quality", choices=tuple(PRESETS), help=_quality_help())
    convert.add_argument("--bits", choices=("auto", "3", "4", "5", "8"), help="per weight (auto)")
    convert.add_argument("--group", type=int, choices=(32, 64, 128), help="weights per scale (32)")
    convert.add_argument("--table-bits", type=int, choices=(3, 4, 5, 8), help="of embedding and head (as --bits)")
    convert.add_argument("--method", choices=METHODS, help="how codes are chosen (nearest)")
    convert.set_defaults(run=run_convert)
    subparsers.add_parser("models", help="list the models of the library").set_defaults(run=run_models)
    inspect = subparsers.add_parser("inspect", help="what a model is, and how its weights are stored and run")
    inspect.add_argument("model", metavar="MODEL")
    inspect.add_argument("--verify", action="store_true", help="read every file and compare its sha256")
    inspect.set_defaults(run=run_inspect)


def run_fetch(args: argparse.Namespace) -> int:
    """Exit code 130 when interrupted; what is finished is kept."""
    try:
        if hub.is_repository(args.model):
            return _report(args, *hub.run_fetch_job(hub.fetch_job(args, args.model), args.home))
        entry = catalog.require(args.model)
        from engine.jobs.fetch import fetch

        with ProgressLine() as line:
            converted = fetch(entry, args.home, line.show, lambda: False, args.quality)
    except KeyboardInterrupt:
        return _interrupted()
    return _report(args, converted.model_id, converted.was_there)


def run_convert(args: argparse.Namespace) -> int:
    """Exit code 130 when interrupted; what is finished is kept."""
    from engine.convert.pipeline import Conversion, convert_file

    options = _options(args)
    try:
        with ProgressLine() as line:
            # "." has no name of its own, and a link keeps its own: the hub's cache links to files named by digests.
            source = Path(os.path.abspath(args.source.expanduser()))
            conversion = Conversion(source, args.name, options)
            converted = convert_file(args.home, conversion, line.show, lambda: False)
    except KeyboardInterrupt:
        return _interrupted()
    return _report(args, converted.model_id, converted.was_there)


def _options(args: argparse.Namespace) -> QuantizeOptions:
    """Raises `InvalidRequestError` for a quality beside what it stands for."""
    from engine.convert.options import DEFAULT_GROUP_SIZE, QuantizeOptions

    details = (args.bits, args.group, args.table_bits, args.method)
    if args.quality is not None:
        if any(detail is not None for detail in details):
            raise InvalidRequestError("--quality stands for --bits, --group, --table-bits and --method: leave them out")
        return QuantizeOptions.of_quality(args.quality)
    bits = None if args.bits in (None, "auto") else int(args.bits)
    return QuantizeOptions(
        bits, args.group or DEFAULT_GROUP_SIZE, table_bits=args.table_bits, method=args.method or "nearest"
    )


def _quality_help() -> str:
    return "; ".join(f"{quality}: {preset.promise}" for quality, preset in PRESETS.items())


def run_models(args: argparse.Namespace) -> int:
    """Damaged models are listed behind the others, with what is wrong with them."""
    library = Library(args.home / "models")
    models, damaged = library.list(), library.damaged()
    if args.json:
        rows = [_model_record(model) for model in models] + [_damaged_record(lost) for lost in damaged]
        print(json.dumps(rows, ensure_ascii=False, indent=1))
        return EXIT_OK
    if not models and not damaged:
        print("no models yet: get one with `python -m engine fetch starter`", file=sys.stderr)
    width = max(map(len, [model.model_id for model in models] + [lost.model_id for lost in damaged]), default=0)
    for model in models:
        size = file_size(model.size_bytes)
        prepared = f" + {file_size(model.prepared_bytes)} prepared for this machine" if model.prepared_bytes else ""
        print(f"{model.model_id:{width}}  {size:>10}  {model.spec.family:6}  {model.name}{prepared}")
    for lost in damaged:
        print(f"{lost.model_id:{width}}  {file_size(lost.disk_bytes):>10}  cannot be loaded: {lost.problem}")
    return EXIT_OK


def _model_record(model: ModelEntry) -> dict[str, Any]:
    return {
        "model_id": model.model_id,
        "name": model.name,
        "family": model.spec.family,
        "size_bytes": model.size_bytes,
        "prepared_bytes": model.prepared_bytes,
        "license": model.license,
        "source": model.source,
        "path": str(model.path),
        "problem": None,
    }


def _damaged_record(model: DamagedModel) -> dict[str, Any]:
    return {
        "model_id": model.model_id,
        "name": model.name,
        "family": None,
        "size_bytes": model.disk_bytes,
        "prepared_bytes": 0,
        "license": None,
        "source": None,
        "path": str(model.path),
        "problem": model.problem,
    }


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
    model = Library(args.home / "models").find(model_id)
    if args.json:
        print(json.dumps({"model_id": model_id, "was_there": was_there} | conversion_facts(model)))
    elif was_there:
        print(f"{model_id} is already there, nothing to do")
    else:
        print(f"{model_id} is ready, {describe_conversion(model)}")
    return EXIT_OK


def _interrupted() -> int:
    print("interrupted: finished parts are kept, run the command again to go on", file=sys.stderr)
    return EXIT_INTERRUPTED
