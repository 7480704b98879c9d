"""Converts a model in several ways and prints what each costs: `python docs/measure_quantisation.py SOURCE`.

Each conversion is a process of its own, so that its peak memory is its own. Knows the engine by its command line only.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VARIANTS = (
    ("4", "128", "nearest"), ("4", "128", "calibrated"), ("4", "64", "nearest"), ("4", "64", "calibrated"),
    ("4", "32", "nearest"), ("4", "32", "calibrated"), ("3", "64", "nearest"), ("3", "64", "calibrated"),
    ("8", "32", "nearest"),
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("--threads", default="2")
    parser.add_argument("--only", nargs="*", help="such as 4/128/calibrated")
    args = parser.parse_args()
    print("| bits | group | method | weights MiB | perplexity | divergence | same best token | seconds | peak MiB |")
    print("|---:|---:|---|---:|---:|---:|---:|---:|---:|")
    for variant in VARIANTS:
        if not args.only or "/".join(variant) in args.only:
            print(measure(args.source.resolve(), variant, args.threads), flush=True)


def measure(source: Path, variant: tuple[str, str, str], threads: str) -> str:
    """One row of the table. Embedding and head have 8 bits in all of them."""
    bits, group, method = variant
    with tempfile.TemporaryDirectory() as home:
        options = ["--bits", bits, "--group", group, "--table-bits", "8", "--method", method]
        engine = [sys.executable, "-m", "engine"]
        start_s = time.monotonic()
        child = subprocess.Popen(
            [*engine, "convert", str(source), "--name", "model", *options, "--home", home],
            cwd=ROOT,
            env=os.environ | {"OMP_NUM_THREADS": threads},
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.monotonic() - start_s
        if status:
            return f"| {bits} | {group} | {method} | failed |"
        inspect = subprocess.run(
            [*engine, "inspect", "model", "--json", "--home", home], cwd=ROOT, capture_output=True, check=True
        )
        facts = json.loads(inspect.stdout)
    found = facts["fidelity"]
    return (
        f"| {bits} | {group} | {method} | {facts['weight_bytes'] / 2**20:.0f} | {found['perplexity']:.3f} "
        f"(source {found['source_perplexity']:.3f}) | {found['divergence']:.4f} | {100 * found['agreement']:.1f} % "
        f"| {seconds:.0f} | {usage.ru_maxrss / 1024:.0f} |"
    )


if __name__ == "__main__":
    main()
