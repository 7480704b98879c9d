"""`rename`, `move`, `remove`, `trash`, `verify`, `storage` and `clean`: models on disk, and where each byte is.

Imports no torch.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any

from engine.commands.exit_codes import EXIT_INTERRUPTED, EXIT_OK
from engine.commands.progress import ProgressLine
from engine.jobs import model_care
from engine.messages import (
    CleanUp,
    DeleteModel,
    EmptyTrash,
    MoveJob,
    RenameModel,
    RestoreModel,
    SpaceFreed,
    StorageItem,
    VerifyJob,
)
from engine.store.files import file_size
from engine.store.library import Library
from engine.store.trash import KEPT_DAYS

_HEADINGS = {
    "model": "models",
    "partial": "unfinished conversions",
    "download": "downloads",
    "trash": "trash",
    "leftover": "remains",
    "cache": "caches",
    "chats": "chats",
    "other": "other files",
}


def add_parsers(subparsers: argparse._SubParsersAction[Any]) -> None:
    rename = _add(subparsers, "rename", run_rename, "call a model otherwise; its id stays")
    rename.add_argument("model", metavar="MODEL")
    rename.add_argument("name", metavar="NAME")
    move = _add(subparsers, "move", run_move, "move a model into another folder, on another drive too")
    move.add_argument("model", metavar="MODEL")
    move.add_argument("folder", metavar="FOLDER", type=Path)
    remove = _add(subparsers, "remove", run_remove, "put a model into the trash")
    remove.add_argument("model", metavar="MODEL")
    remove.add_argument("--forever", action="store_true", help="delete it at once")
    trash = _add(subparsers, "trash", run_trash, f"models that were removed; they are kept for {KEPT_DAYS} days")
    trash.add_argument("action", choices=("list", "restore", "empty"), nargs="?", default="list")
    trash.add_argument("trash_ids", metavar="ID", nargs="*", help="as `trash` lists them; for `empty` all if none")
    verify = _add(subparsers, "verify", run_verify, "read every file of models and compare its sha256")
    verify.add_argument("models", metavar="MODEL", nargs="*", help="(all)")
    _add(subparsers, "storage", run_storage, "where each byte is")
    clean = _add(subparsers, "clean", run_clean, "remove abandoned downloads and unfinished conversions")
    clean.add_argument("paths", metavar="PATH", nargs="*", help="as `storage` lists them (all but caches)")


def run_rename(args: argparse.Namespace) -> int:
    event = model_care.rename(args.home, RenameModel(args.model, args.name))
    return _tell(args, asdict(event), f"{event.model_id} is now called {event.name}")


def run_move(args: argparse.Namespace) -> int:
    """Exit code 130 when interrupted: the model is still whole where it was."""
    try:
        with ProgressLine() as line:
            model_id = model_care.move(args.home, MoveJob(args.model, str(args.folder)), line.show, lambda: False)
    except KeyboardInterrupt:
        print("interrupted: the model is whole where it was, run the command again to go on", file=sys.stderr)
        return EXIT_INTERRUPTED
    path = str(Library(args.home / "models").find(model_id).path)
    return _tell(args, {"model_id": model_id, "path": path}, f"{model_id} is in {path}")


def run_remove(args: argparse.Namespace) -> int:
    event = model_care.delete(args.home, DeleteModel(args.model, args.forever))
    if event.trash_id is None:
        text = f"{event.model_id} is deleted, {file_size(event.size_bytes)} are free again"
    else:
        back = f"python -m engine trash restore {event.trash_id}"
        text = f"{event.model_id} is in the trash for {KEPT_DAYS} days, take it back with `{back}`"
    return _tell(args, asdict(event), text)


def run_trash(args: argparse.Namespace) -> int:
    if args.action == "restore":
        for trash_id in args.trash_ids:
            event = model_care.restore(args.home, RestoreModel(trash_id))
            _tell(args, asdict(event), f"{event.model_id} is back")
        return EXIT_OK
    if args.action == "empty":
        return _tell_freed(args, model_care.empty_trash(args.home, EmptyTrash(tuple(args.trash_ids))))
    items = [item for item in model_care.storage(args.home).items if item.kind == "trash"]
    if args.json:
        print(json.dumps([asdict(item) for item in items], ensure_ascii=False, indent=1))
        return EXIT_OK
    for item in items:
        print(f"{item.trash_id}  {file_size(item.size_bytes):>10}  {_date(item)}  {item.name}")
    return EXIT_OK


def run_verify(args: argparse.Namespace) -> int:
    """Exit code 130 when interrupted."""
    models = args.models or [model.model_id for model in Library(args.home / "models").list()]
    verified = []
    for model in models:
        with ProgressLine() as line:
            verified.append(model_care.verify(args.home, VerifyJob(model), line.show, lambda: False))
        if not args.json:
            print(f"{verified[-1]}: all files as recorded")
    if args.json:
        print(json.dumps({"verified": verified}))
    return EXIT_OK


def run_storage(args: argparse.Namespace) -> int:
    report = model_care.storage(args.home)
    if args.json:
        print(json.dumps(asdict(report), ensure_ascii=False, indent=1))
        return EXIT_OK
    for kind, group in groupby(report.items, lambda item: item.kind):
        print(f"{file_size(report.total_bytes(kind)):>10}  {_HEADINGS[kind]}")
        for item in group:
            print(f"            {file_size(item.size_bytes):>10}  {_date(item)}  {item.name}{_note(item)}")
            print(f"                        {item.path}")
    print(f"{file_size(report.total_bytes()):>10}  in all")
    for folder in report.folders:
        free = "not there now" if folder.free_bytes is None else f"{file_size(folder.free_bytes)} free"
        print(f"models in {folder.path}: {free}")
    return EXIT_OK


def run_clean(args: argparse.Namespace) -> int:
    return _tell_freed(args, model_care.clean_up(args.home, CleanUp(tuple(args.paths))))


def _tell_freed(args: argparse.Namespace, freed: SpaceFreed) -> int:
    things = "1 thing is" if freed.num_items == 1 else f"{freed.num_items} things are"
    return _tell(args, asdict(freed), f"{things} removed, {file_size(freed.freed_bytes)} are free again")


def _tell(args: argparse.Namespace, facts: dict[str, Any], text: str) -> int:
    print(json.dumps(facts, ensure_ascii=False) if args.json else text)
    return EXIT_OK


def _note(item: StorageItem) -> str:
    return ", in use" if item.is_in_use else ", can be removed" if item.is_removable else ""


def _date(item: StorageItem) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(item.changed_at))


def _add(
    subparsers: argparse._SubParsersAction[Any], name: str, run: Callable[[argparse.Namespace], int], text: str
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = subparsers.add_parser(name, help=text)
    parser.set_defaults(run=run)
    return parser
