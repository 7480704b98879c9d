"""`hub search|show|discover|login|logout`, and `fetch OWNER/NAME[:FILE]`: models from the Hugging Face hub.

Imports what asks the hub only where it is asked.
"""

from __future__ import annotations

import argparse
import getpass
import json
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, get_args

from engine.commands.exit_codes import EXIT_OK
from engine.commands.progress import ProgressLine
from engine.config import EngineConfig
from engine.errors import DownloadError, InvalidRequestError, SourceError
from engine.hub.discovery import discover, usual_places
from engine.hub.selection import usual
from engine.messages import HubJob, HubModel, Quality, RepositoryFacts
from engine.planner import machine, plan_here, verdict_of
from engine.planning.plan import gib
from engine.spec import ModelSpec
from engine.store.files import file_size
from engine.store.reserve import DiskReserve


def add_parsers(subparsers: argparse._SubParsersAction[Any]) -> None:
    hub = subparsers.add_parser("hub", help="find models on the Hugging Face hub and on this machine")
    commands = hub.add_subparsers(metavar="COMMAND", required=True, parser_class=type(hub))
    search = _add(commands, "search", run_search, "models by name, most downloaded first")
    search.add_argument("words", metavar="WORD", nargs="+")
    search.add_argument("--limit", type=int, default=20, help="at most so many (%(default)s)")
    show = _add(commands, "show", run_show, "what a repository holds, nothing is downloaded")
    show.add_argument("repo_id", metavar="OWNER/NAME")
    show.add_argument("--revision", help="a branch, tag or commit (main)")
    found = _add(commands, "discover", run_discover, "GGUF files that other programs have here, for `convert`")
    found.add_argument("folders", metavar="FOLDER", nargs="*", type=Path, help="look here too")
    _add(commands, "login", run_login, "keep an access token in the system's keyring")
    _add(commands, "logout", run_logout, "forget the access token")


def add_fetch_options(fetch: argparse.ArgumentParser) -> None:
    """What `fetch` takes for a repository."""
    fetch.add_argument("--revision", help="of a repository: a branch, tag or commit (main)")
    fetch.add_argument("--quality", choices=get_args(Quality), help="how far weights are rounded")
    fetch.add_argument("--name", help="of a repository: the model's name (the file's)")


def is_repository(name: str) -> bool:
    """Whether `fetch` is asked for a repository, not for a model of the catalogue."""
    return "/" in name


def fetch_job(args: argparse.Namespace, name: str) -> HubJob:
    """The job for OWNER/NAME, or OWNER/NAME:FILE, FILE being a file or a quantisation."""
    repo_id, _, file = name.partition(":")
    files = (file,) if file else ()
    return HubJob(repo_id, args.revision, files, args.quality or "balanced", args.name)


def run_fetch_job(job: HubJob, home: Path) -> tuple[str, bool]:
    """The model's id, and whether it was there already. Raises `EngineError`, KeyboardInterrupt."""
    from engine.jobs.hub import JobReport, fetch_repository
    from engine.jobs.pause import run_despite_full_disk

    with ProgressLine() as line:
        report = JobReport(line.show, line.tell, lambda: False)
        converted = run_despite_full_disk(
            lambda: fetch_repository(job, home, report, DiskReserve()), line.tell, report.is_cancelled
        )
    return converted.model_id, converted.was_there


def run_search(args: argparse.Namespace) -> int:
    from engine.hub.client import HubClient
    from engine.hub.tokens import find_token

    models = HubClient(find_token()).search(" ".join(args.words), args.limit)
    if args.json:
        print(json.dumps([asdict(model) for model in models], ensure_ascii=False, indent=1))
        return EXIT_OK
    for model in models:
        print(_line(model))
    return EXIT_OK


def run_show(args: argparse.Namespace) -> int:
    from engine.hub.client import HubClient
    from engine.hub.tokens import find_token
    from engine.jobs.hub_header import with_header
    from engine.jobs.hub_spec import with_spec

    client = HubClient(find_token())
    facts = with_spec(client, client.inspect(args.repo_id, args.revision))
    try:
        if (choice := usual(facts.choices)) is not None:
            facts = with_header(client, facts, choice, lambda: False)
    except (DownloadError, SourceError) as error:
        # What is known is shown all the same.
        print(f"the model's numbers cannot be read: {error}", file=sys.stderr)
    if args.json:
        print(json.dumps(asdict(facts), ensure_ascii=False, indent=1))
    else:
        _print_facts(facts)
        _print_verdicts(facts, args.home)
    return EXIT_OK


def run_discover(args: argparse.Namespace) -> int:
    places = replace(usual_places(), folders=tuple(folder.expanduser() for folder in args.folders))
    models = discover(places)
    if args.json:
        rows = [asdict(model) | {"path": str(model.path)} for model in models]
        print(json.dumps(rows, ensure_ascii=False, indent=1))
        return EXIT_OK
    if not models:
        looked = "\n".join(f"  {folder}{'' if folder.is_dir() else ' (not there)'}" for folder in places.all_folders())
        print(f"no GGUF files found; looked in\n{looked}", file=sys.stderr)
    for model in models:
        print(f"{file_size(model.size_bytes):>10}  {model.program}  {model.name}\n            {model.path}")
    return EXIT_OK


def run_login(args: argparse.Namespace) -> int:
    """The token is typed unseen, never given on the command line, where other users can read it."""
    from engine.hub.client import HubClient
    from engine.hub.tokens import store_token

    token = getpass.getpass("access token of the hub: ").strip()
    if not token:
        raise InvalidRequestError("No token was given: make one in the settings of your account on the hub")
    name = HubClient(token).account()
    store_token(token)
    print(f"logged in as {name}")
    return EXIT_OK


def run_logout(args: argparse.Namespace) -> int:
    from engine.hub.tokens import forget_token

    print("the token is forgotten" if forget_token() else "there was no token")
    return EXIT_OK


def _add(
    commands: argparse._SubParsersAction[Any], name: str, run: Callable[[argparse.Namespace], int], text: str
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=text)
    parser.set_defaults(run=run)
    return parser


def _line(model: HubModel) -> str:
    downloads = "?" if model.downloads is None else f"{model.downloads:,}"
    gate = ", gated" if model.gate is not None else ""
    return (
        f"{model.repo_id}  {'/'.join(model.kinds) or '-'}, {model.license or 'no licence'}{gate}, {downloads} downloads"
    )


def _print_facts(facts: RepositoryFacts) -> None:
    print(f"{facts.repo_id} at {facts.commit[:12]}\n{facts.page_url}")
    print(f"licence     {facts.license or 'none is told'}")
    if facts.architecture is not None:
        print(f"architecture {facts.architecture}")
    if facts.refusal is not None:
        print(f"cannot run  {facts.refusal}")
    if facts.num_parameters is not None:
        print(f"parameters  {facts.num_parameters:,}")
    if facts.base_models:
        print(f"made from   {', '.join(facts.base_models)}")
    if facts.gate is not None:
        state = "accepted" if facts.is_accessible else "not yet accepted: do so on its page, then `hub login`"
        print(f"terms       {state}")
    if not facts.choices:
        print("no GGUF and no whole safetensors model in it")


def _print_verdicts(facts: RepositoryFacts, home: Path) -> None:
    """Each file to choose from, and how the model that is made of it fits this machine in each quality."""
    here = machine(home)
    for choice in facts.choices:
        parts = f" in {len(choice.paths)} files" if len(choice.paths) > 1 else ""
        room = "" if choice.size_bytes <= here.disk_free_bytes else ": does not fit on the disk"
        print(f"{file_size(choice.size_bytes):>10}  {choice.label}{parts}{room}")
    if facts.spec is not None:
        for quality in get_args(Quality):
            print(f"{quality:<11} {_verdict_words(facts.spec, quality, here.memory_free_bytes, home)}")


def _verdict_words(spec: ModelSpec, quality: Quality, memory_free_bytes: int, home: Path) -> str:
    verdict = verdict_of(plan_here(spec, quality, memory_free_bytes, EngineConfig(home=home)), spec)
    if verdict.kind == "none":
        return f"does not fit: needs {gib(verdict.needed_bytes)}, {gib(memory_free_bytes)} free"
    if verdict.kind == "short":
        return f"fits with a shorter context: one chat of {verdict.context:,} tokens"
    chats = "1 chat" if verdict.num_tabs == 1 else f"{verdict.num_tabs} chats"
    return f"fits, with {chats} of {verdict.context:,} tokens"
