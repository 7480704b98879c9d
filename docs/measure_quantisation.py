"""Converts a model in several ways and prints what each costs: `python docs/measure_quantisation.py SOURCE`.

Each conversion is a process of its own, so that its peak memory is its own. Both sides are computed in float32 from the
weights. `--texts` are measured besides the built-in text, from which nothing was learnt either.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from engine.convert.fidelity import measure_fidelity  # noqa: E402 - found from the repository's root
from engine.convert.opening import open_source  # noqa: E402
from engine.convert.sample_texts import windows_of  # noqa: E402
from engine.serving import load_tokenizer  # noqa: E402
from engine.store.checkpoint import Checkpoint  # noqa: E402

TEXTS = (ROOT / "tests" / "data" / "prose.txt", ROOT / "tests" / "data" / "code.txt")
VARIANTS = (
    ("4", "128", "nearest"), ("4", "128", "calibrated"), ("4", "64", "nearest"), ("4", "64", "calibrated"),
    ("4", "32", "nearest"), ("4", "32", "calibrated"), ("3", "64", "nearest"), ("3", "64", "calibrated"),
    ("8", "32", "nearest"),
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("--threads", default="2")
    parser.add_argument("--texts", nargs="*", type=Path, default=TEXTS)
    parser.add_argument("--only", nargs="*", help="such as 4/128/calibrated")
    args = parser.parse_args()
    names = "".join(f" {path.stem} | divergence |" for path in args.texts)
    print(
        f"| bits | group | method | weights MiB | built-in | divergence | same best token |{names} seconds | peak MiB |"
    )
    print("|---:|---:|---|---:|---:|---:|---:|" + "---:|---:|" * (len(args.texts) + 1))
    for variant in VARIANTS:
        if not args.only or "/".join(variant) in args.only:
            print(measure(args.source.resolve(), variant, args.threads, args.texts), flush=True)


def measure(source: Path, variant: tuple[str, str, str], threads: str, texts: Sequence[Path]) -> str:
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
        others = [measure_text(source, Path(home) / "models" / "model", text) for text in texts]
    found = facts["fidelity"]
    return (
        f"| {bits} | {group} | {method} | {facts['weight_bytes'] / 2**20:.0f} | {found['perplexity']:.3f} "
        f"(source {found['source_perplexity']:.3f}) | {found['divergence']:.4f} | {100 * found['agreement']:.1f} % "
        f"| {''.join(others)}{seconds:.0f} | {usage.ru_maxrss / 1024:.0f} |"
    )


def measure_text(source: Path, folder: Path, text: Path) -> str:
    """Two cells: the perplexity, and the divergence from the source."""
    checkpoint = Checkpoint.open(folder)
    spec, tokenizer = checkpoint.manifest.spec, load_tokenizer(checkpoint)
    windows = windows_of(text.read_text(encoding="utf-8"), tokenizer, spec.max_context, spec.vocab_size)
    with open_source(source) as opened:
        found = measure_fidelity(opened, checkpoint, windows, lambda index: None)
    return f"{found.perplexity:.3f} (source {found.source_perplexity:.3f}) | {found.divergence:.4f} | "


if __name__ == "__main__":
    main()
