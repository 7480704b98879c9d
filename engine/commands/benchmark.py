"""`bench`: speed and memory of a model on this machine, alone or beside other engines."""

from __future__ import annotations

import argparse
import json
import platform
import sys
from datetime import date
from pathlib import Path
from typing import Any, get_args

import psutil

from engine import __version__
from engine.bench.peers import PEERS, Peer
from engine.bench.report import Report, Section
from engine.bench.side import SideProgram
from engine.bench.suite import WORKLOADS, Plan, Suite
from engine.bench.texts import PLAIN, REPEATING
from engine.commands.exit_codes import EXIT_OK
from engine.config import EngineConfig, Weights
from engine.errors import InvalidRequestError
from engine.planner import machine, num_physical_cores
from engine.store.files import hash_file
from engine.store.layout import TOKENIZER_FILE
from engine.store.library import Library, ModelEntry
from engine.store.manifest import read_manifest
from engine.text.tokenizer import Tokenizer

_STANDARD_OUTPUT = Path("-")
_IDLE_CHECK_S = 1.0


def add_parsers(subparsers: argparse._SubParsersAction[Any]) -> None:
    # Here --json takes a file, so the option that all commands share gives way.
    parser = subparsers.add_parser("bench", help="measure speed and memory", conflict_handler="resolve")
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("workloads", metavar="WORKLOAD", nargs="*", help=f"of {', '.join(WORKLOADS)} (all)")
    names = [peer.name for peer in PEERS]
    parser.add_argument(
        "--peer", action="append", choices=names, default=[], help="compare; may be given several times"
    )
    parser.add_argument(
        "--peer-python",
        action="append",
        default=[],
        metavar="PEER=PATH",
        help="the interpreter of the peer's own environment (this one)",
    )
    parser.add_argument("--gguf", type=Path, help="the file the model was converted from, for the peers that read it")
    parser.add_argument("--export", type=Path, metavar="FOLDER", help="the model as exported for openvino")
    parser.add_argument("--threads", type=int, help="arithmetic threads of every side (the physical cores)")
    parser.add_argument(
        "--weights", choices=get_args(Weights), default=EngineConfig().weights, help="of our side (%(default)s)"
    )
    parser.add_argument("--rounds", type=int, default=3, help="how often each case is run (%(default)s)")
    parser.add_argument(
        "--minutes", type=float, default=8.0, help="after so long, one round of each case has to do (%(default)s)"
    )
    parser.add_argument(
        "--json",
        type=Path,
        default=argparse.SUPPRESS,
        metavar="FILE",
        help="write all samples; - prints them in place of tables",
    )
    parser.add_argument("--markdown", type=Path, metavar="FOLDER", help="write a page with charts")
    parser.set_defaults(run=run_bench)


def run_bench(args: argparse.Namespace) -> int:
    """Raises `InvalidRequestError` for options that do not go together, `SideError` if a side breaks."""
    unknown = sorted(set(args.workloads) - set(WORKLOADS))
    if unknown:
        raise InvalidRequestError(f"There is no workload {unknown[0]!r}: use {', '.join(WORKLOADS)}")
    for name, value in (("--rounds", args.rounds), ("--threads", args.threads)):
        if value is not None and value < 1:
            raise InvalidRequestError(f"{name} is {value}: use 1 or more")
    if args.json is True:
        # The shared option, given before the command.
        args.json = _STANDARD_OUTPUT
    if args.json and not args.json.parent.is_dir():
        raise InvalidRequestError(f"--json {args.json}: there is no folder {args.json.parent}, make it first")
    entry = Library(EngineConfig(home=args.home).models_dir).find(args.model)
    args.threads = args.threads or num_physical_cores()
    plan = _plan(args, entry)
    report = Report(f"{entry.name} on {machine(args.home).cpu_name}", entry.model_id, _facts(args, entry))
    suite = Suite(plan, _Printer(report, is_quiet=args.json == _STANDARD_OUTPUT), _say)
    try:
        suite.run()
    finally:
        # What was measured before a side broke, or the person had enough, is not lost.
        report.sides = list(suite.facts.values())
        if report.sections:
            _write(args, report)
    return EXIT_OK


class _Printer:
    """Takes each section into the report, and prints it at once unless quiet."""

    def __init__(self, report: Report, is_quiet: bool) -> None:
        self._report = report
        self._is_quiet = is_quiet

    def __call__(self, section: Section) -> None:
        self._report.sections.append(section)
        if not self._is_quiet:
            print(f"{section.to_text()}\n", flush=True)


def _say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


def _plan(args: argparse.Namespace, entry: ModelEntry) -> Plan:
    def own(label: str, config: dict[str, Any], pool_tokens: int) -> SideProgram:
        options = {
            "home": str(args.home),
            "model": entry.model_id,
            "backend": args.backend,
            "num_threads": args.threads,
            "pool_tokens": pool_tokens,
            "config": {"weights": args.weights, **config},
        }
        return SideProgram(label, sys.executable, "engine.bench.own_side", options)

    chosen = tuple(name for name in WORKLOADS if name in (args.workloads or WORKLOADS))
    peers = tuple(_variants(args, entry, peer) for peer in PEERS if peer.name in args.peer)
    spec = entry.spec

    def measure_reading() -> float:
        # It loads torch, which workloads without decoding have no need of here.
        from engine.bench.machine_speed import measure_reading

        return measure_reading(args.threads)

    return Plan(
        chosen,
        own,
        peers,
        spec.vocab_size,
        spec.max_context,
        _texts(entry),
        args.rounds,
        60 * args.minutes,
        measure_reading,
    )


def _texts(entry: ModelEntry) -> dict[str, tuple[int, ...]]:
    manifest = read_manifest(entry.path)
    tokenizer = Tokenizer(entry.path / TOKENIZER_FILE, manifest.bos_token_id, manifest.adds_bos)
    texts = {"a text that repeats itself": REPEATING, "one that does not": PLAIN}
    return {name: tuple(tokenizer.encode_raw(text)) for name, text in texts.items()}


def _variants(args: argparse.Namespace, entry: ModelEntry, peer: Peer) -> tuple[SideProgram, ...]:
    model_path = _gguf(args, entry, peer) if peer.model == "gguf" else _export(args, peer)
    options = {"model_path": str(model_path), "num_threads": args.threads}
    python = _pythons(args).get(peer.name, sys.executable)
    hint = f"it needs {peer.needs}; name an interpreter that has them with --peer-python {peer.name}=PATH"
    return tuple(SideProgram(peer.name, python, peer.module, {**options, **variant}, hint) for variant in peer.variants)


def _pythons(args: argparse.Namespace) -> dict[str, str]:
    found = {}
    for option in args.peer_python:
        name, equals, path = option.partition("=")
        if not equals or name not in {peer.name for peer in PEERS}:
            raise InvalidRequestError(f"--peer-python {option} is not PEER=PATH, such as llama.cpp=peer/bin/python")
        found[name] = path
    return found


def _gguf(args: argparse.Namespace, entry: ModelEntry, peer: Peer) -> Path:
    """The file that holds the very weights that we run."""
    source = read_manifest(entry.path).source
    if args.gguf is None:
        raise InvalidRequestError(f"{peer.name} reads GGUF: name {source.file_name} with --gguf FILE")
    found = hash_file(args.gguf).sha256
    if found != source.sha256:
        raise InvalidRequestError(
            f"{args.gguf} is not the file that {entry.name} was converted from: its sha256 is {found}, "
            f"that of {source.file_name} was {source.sha256}"
        )
    path: Path = args.gguf.absolute()
    return path


def _export(args: argparse.Namespace, peer: Peer) -> Path:
    if args.export is None:
        raise InvalidRequestError(
            f"{peer.name} reads a folder that the model was exported to: name it with --export FOLDER "
            "(docs/benchmarks/README.md says how to make one)"
        )
    path: Path = args.export.absolute()
    return path


def _facts(args: argparse.Namespace, entry: ModelEntry) -> dict[str, str]:
    facts = machine(args.home)
    others = psutil.cpu_percent(_IDLE_CHECK_S)
    if others > 10:
        _say(f"other programs use {others:.0f} % of the processor: the figures will be worse for it")
    return {
        "Machine": f"{facts.cpu_name}, {facts.num_cores} cores, {facts.memory_bytes / 2**30:.0f} GiB",
        "Processor in use by other programs before the run": f"{others:.0f} %",
        "System": f"{platform.system()} {platform.release()}, Python {platform.python_version()}",
        "Model": f"{entry.name}, {entry.size_bytes / 2**20:.0f} MiB, from {entry.source}",
        "Threads of every side": str(args.threads),
        "Rounds": f"{args.rounds}, in turns; figures are medians, ratios medians of the rounds' ratios",
        "Made": f"{date.today().isoformat()} by DeepInfer {__version__}",
    }


def _write(args: argparse.Namespace, report: Report) -> None:
    if args.json == _STANDARD_OUTPUT:
        print(json.dumps(report.to_json(), ensure_ascii=False, indent=1))
    elif args.json:
        args.json.write_text(json.dumps(report.to_json(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    if args.markdown is not None:
        _say(f"written to {report.write_markdown(args.markdown)}")
