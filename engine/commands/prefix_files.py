"""`--save-prefix` and `--restore-prefix`: what one run computed of a prompt, kept in a file for the next.

Knows nothing of what the file holds.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from engine.commands.session import EngineSession
from engine.messages import PrefixRefused, PrefixRestored, PrefixSaved, RestorePrefix, SavePrefix


def add_prefix_files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--save-prefix", type=_path, metavar="FILE", help="keep what was computed of the first prompt and its answer"
    )
    parser.add_argument(
        "--restore-prefix", type=_path, metavar="FILE", help="compute nothing of a prompt's beginning that FILE holds"
    )


def _path(text: str) -> Path:
    return Path(text).expanduser().absolute()


def restore_prefix(session: EngineSession, path: Path, owner: str) -> None:
    """Wait until a file is in the cache; if it is refused say so, and go on: it is only faster with it."""
    session.send(RestorePrefix(owner, str(path)))
    for event in session.events():
        match event:
            case PrefixRestored(_, _, num_tokens, num_saved_tokens):
                if num_tokens < num_saved_tokens:
                    print(f"note: {num_tokens} of {num_saved_tokens} saved tokens fit the cache", file=sys.stderr)
                return
            case PrefixRefused(_, _, _, message):
                print(f"warning: {message}", file=sys.stderr)
                return


def save_prefix(session: EngineSession, path: Path, owner: str) -> list[str]:
    """Wait until a file is written; what went wrong, if anything did."""
    session.send(SavePrefix(owner, str(path)))
    for event in session.events():
        match event:
            case PrefixSaved():
                return []
            case PrefixRefused(_, _, _, message):
                return [message]
    raise AssertionError("events end with the engine alone, which raises")
