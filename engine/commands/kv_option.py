"""The option that says how keys and values are kept. Knows nothing of what it costs or saves."""

from __future__ import annotations

import argparse
from typing import get_args

from engine.config import EngineConfig, KvDtype


def add_kv_dtype(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--kv-dtype",
        choices=get_args(KvDtype),
        default=EngineConfig().kv_dtype,
        help="keep keys and values as the backend does, or in eight bits and half the memory (%(default)s)",
    )
