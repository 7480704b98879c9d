"""`python -m engine`: options that all commands share, and the one place that turns a known error into one line."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from pathlib import Path
from typing import Any

from engine import __version__
from engine.commands import benchmark, generation, hub, library, planning, scoring, storage
from engine.commands.exit_codes import EXIT_ERROR, EXIT_INTERRUPTED
from engine.config import HOME_VARIABLE, default_home
from engine.environment import prepare_environment
from engine.errors import EngineError, StorageError
from engine.spec import BACKENDS
from engine.store.folders import reachable
from engine.store.names import name_problem


class _CommandParser(argparse.ArgumentParser):
    """Every command takes the shared options, before or after its own."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        unset = argparse.SUPPRESS
        self.add_argument("--home", type=Path, default=unset, help=f"the data folder (or {HOME_VARIABLE})")
        self.add_argument("--backend", choices=BACKENDS, default=unset, help="what computes (default cpu)")
        self.add_argument("--json", action="store_true", default=unset, help="print results as JSON")


def _parser() -> argparse.ArgumentParser:
    parser = _CommandParser(prog="python -m engine", description="DeepInfer's engine on the command line.")
    parser.add_argument("--version", action="version", version=f"DeepInfer {__version__}")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_CommandParser)
    for group in (library, storage, hub, planning, generation, scoring, benchmark):
        group.add_parsers(subparsers)
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run one command; returns the exit code: 0, 2 for a known error, 130 when interrupted."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    for stream in (sys.stdout, sys.stderr):
        # What goes into a file or a pipe is UTF-8; a terminal of another encoding must not end a chat by one character.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="replace")
    prepare_environment()
    args = _parser().parse_args(argv, argparse.Namespace(home=default_home(), backend="cpu", json=False))
    args.home = reachable(args.home.expanduser())
    try:
        if (problem := name_problem(args.home)) is not None:
            raise StorageError(f"{problem}: rename it, or choose another data folder with --home")
        code = args.run(args)
        sys.stdout.flush()
    except EngineError as error:
        print(f"error: {error}", file=sys.stderr)
        return EXIT_ERROR
    except BrokenPipeError:
        # The reader has gone; keep the interpreter from failing once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_ERROR
    except OSError as error:
        print(f"error: {StorageError(_describe(error))}", file=sys.stderr)
        return EXIT_ERROR
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    return int(code)


def _describe(error: OSError) -> str:
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{error.strerror or error}"


if __name__ == "__main__":
    sys.exit(main())
