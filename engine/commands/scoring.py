"""`perplexity`: how well a model, as it runs on a backend, predicts a text."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.commands.exit_codes import EXIT_OK
from engine.commands.kv_option import add_kv_dtype
from engine.config import EngineConfig
from engine.errors import InvalidRequestError

DEFAULT_WINDOW = 512


def add_parsers(subparsers: argparse._SubParsersAction[Any]) -> None:
    parser = subparsers.add_parser("perplexity", help="score a text file under a model")
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("file", metavar="FILE", type=Path)
    parser.add_argument(
        "--window",
        type=int,
        default=DEFAULT_WINDOW,
        help="tokens per window, of which the second half is scored (%(default)s)",
    )
    parser.add_argument(
        "--narrow", action="store_true", help="compute as decoded tokens are, not as long prompts, where that differs"
    )
    add_kv_dtype(parser)
    parser.set_defaults(run=run_perplexity)


def run_perplexity(args: argparse.Namespace) -> int:
    # Imported here, so that the other commands do not wait for torch.
    from engine.backends import choose_backend
    from engine.bench.perplexity import score
    from engine.models.loading import load_decoder
    from engine.planner import num_physical_cores
    from engine.serving import load_tokenizer
    from engine.store.checkpoint import Checkpoint
    from engine.store.library import Library

    text = _read_text(args.file)
    checkpoint = Checkpoint.open(Library(EngineConfig(home=args.home).models_dir).find(args.model).path)
    _check_window(args.window, checkpoint.manifest.spec.max_context)
    token_ids = load_tokenizer(checkpoint).encode_raw(text)
    if len(token_ids) < 2:
        raise InvalidRequestError(f"{args.file} has {len(token_ids)} tokens: at least 2 are needed")
    backend = choose_backend(args.backend, num_physical_cores(), args.kv_dtype)
    decoder, _ = load_decoder(checkpoint, backend)
    result = score(decoder, backend, token_ids, args.window, args.narrow)
    rows = "as decoded" if result.is_narrow else "as a long prompt"
    if args.json:
        print(json.dumps({"backend": backend.name, **asdict(result)}, indent=1))
    else:
        print(
            f"perplexity {result.perplexity:.4f} over {result.num_scored_tokens} tokens "
            f"in {result.num_windows} windows of {result.window} · {backend.name}, {rows}"
        )
    return EXIT_OK


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InvalidRequestError(f"{path} is not UTF-8 text (byte {error.start}): convert it first") from error


def _check_window(window: int, max_context: int) -> None:
    if not 2 <= window <= max_context:
        raise InvalidRequestError(f"A window of {window} tokens is not possible: use 2 to {max_context}")
