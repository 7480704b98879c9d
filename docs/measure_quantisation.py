"""Converts a model in several ways and prints what each costs: `python docs/measure_quantisation.py SOURCE`.

Each conversion is a process of its own, so that its peak memory is its own. Both sides are computed in float32 from the
weights, on texts that nothing was learnt from. What is lost is given in nats per token, with the standard error that so
many tokens leave. With `--models` the models are kept in that folder, and those that are there are not made again.
"""

from __future__ import annotations

import argparse
import json
import os
import pydoc_data.topics
import subprocess
import sys
import tempfile
import textwrap
import time
from itertools import chain
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from engine.convert.fidelity import TokenFidelity, measure_fidelity, num_scored  # noqa: E402 - found from the root
from engine.convert.opening import open_source  # noqa: E402
from engine.convert.sample_texts import held_windows, windows_of  # noqa: E402
from engine.serving import load_tokenizer  # noqa: E402
from engine.store.checkpoint import Checkpoint  # noqa: E402

METHODS = ("nearest", "calibrated")
FORMATS = (("4", "128"), ("4", "64"), ("4", "32"), ("3", "128"), ("3", "64"), ("3", "32"))
FACTS_FILE = "measured.json"
TOPICS = ("assignment", "class", "exceptions", "naming", "specialnames", "with")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("--threads", default="2")
    parser.add_argument("--only", nargs="*", help="such as 4/128/calibrated")
    parser.add_argument("--texts", nargs="*", help="such as prose; more tokens take longer and tell more")
    parser.add_argument("--models", type=Path, help="where the models stay")
    args = parser.parse_args()
    torch.set_num_threads(int(args.threads))
    source = args.source.resolve()
    names = [f"{bits}/{group}/{method}" for bits, group in FORMATS for method in METHODS]
    names = [name for name in names if not args.only or name in args.only]
    with tempfile.TemporaryDirectory() as temporary:
        homes = {name: (args.models or Path(temporary)) / name.replace("/", "-") for name in names}
        for name, home in homes.items():
            facts = convert(source, name, args.threads, home)
            print(
                f"{name}: {facts['weight_mib']:.0f} MiB, {facts['seconds']:.0f} s, peak {facts['peak_mib']:.0f} MiB",
                flush=True,
            )
        folders = {name: home / "models" / "model" for name, home in homes.items()}
        measured = measure(source, folders, args.texts)
    for name in names:
        print_rows(name, measured[name])
    for bits, group in FORMATS:
        pair = [measured[name] for method in METHODS if (name := f"{bits}/{group}/{method}") in measured]
        if len(pair) == len(METHODS):
            print_shares(f"{bits}/{group}", *pair)


def convert(source: Path, name: str, threads: str, home: Path) -> dict[str, float]:
    """Seconds, peak memory, size of the weights. Embedding and head have 8 bits in all of them."""
    if (home / FACTS_FILE).exists():
        return dict(json.loads((home / FACTS_FILE).read_text()))
    home.mkdir(parents=True, exist_ok=True)
    bits, group, method = name.split("/")
    options = ["--bits", bits, "--group", group, "--table-bits", "8", "--method", method]
    engine = [sys.executable, "-m", "engine"]
    start_s = time.monotonic()
    child = subprocess.Popen(
        [*engine, "convert", str(source), "--name", "model", *options, "--home", str(home)],
        cwd=ROOT,
        env=os.environ | {"OMP_NUM_THREADS": threads},
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.monotonic() - start_s
    if status:
        raise SystemExit(f"{name} failed")
    inspect = subprocess.run(
        [*engine, "inspect", "model", "--json", "--home", str(home)], cwd=ROOT, capture_output=True, check=True
    )
    weight_mib = json.loads(inspect.stdout)["weight_bytes"] / 2**20
    facts = {"weight_mib": weight_mib, "seconds": seconds, "peak_mib": usage.ru_maxrss / 1024}
    (home / FACTS_FILE).write_text(json.dumps(facts))
    return facts


def measure(
    source: Path, folders: dict[str, Path], only: list[str] | None = None
) -> dict[str, dict[str, TokenFidelity]]:
    """By the models' and the texts' names; "all" is all of them, or all of those that are named."""
    checkpoints = [Checkpoint.open(folder) for folder in folders.values()]
    spec, tokenizer = checkpoints[0].manifest.spec, load_tokenizer(checkpoints[0])
    facts = (tokenizer, spec.max_context, spec.vocab_size)
    windows = {"built-in": held_windows(*facts)}
    windows |= {name: windows_of(text, *facts) for name, text in texts().items()}
    windows = {name: part for name, part in windows.items() if not only or name in only}
    with open_source(source) as opened:
        found = measure_fidelity(opened, checkpoints, list(chain(*windows.values())), lambda index: None)
    return {name: by_text(tokens, windows) for name, tokens in zip(folders, found, strict=True)}


def by_text(whole: TokenFidelity, windows: dict[str, list[list[int]]]) -> dict[str, TokenFidelity]:
    parts, start = {}, 0
    for name, part in windows.items():
        span = slice(start, start + num_scored(part))
        parts[name] = TokenFidelity(
            whole.source_losses[span], whole.losses[span], whole.divergences[span], whole.agrees[span]
        )
        start = span.stop
    return parts | {"all": whole}


def texts() -> dict[str, str]:
    data = ROOT / "tests" / "data"
    library = Path(textwrap.__file__).read_text(encoding="utf-8")
    topics = "\n".join(pydoc_data.topics.topics[name][:2000] for name in TOPICS)
    return {
        "prose": (data / "prose.txt").read_text(encoding="utf-8"),
        "code": (data / "code.txt").read_text(encoding="utf-8"),
        "manual": topics,
        "library": library[:12000],
    }


def print_rows(name: str, measured: dict[str, TokenFidelity]) -> None:
    """What the model lost of each text: mean and standard error of the differences, token by token."""
    for text, tokens in measured.items():
        mean, lost = tokens.mean(), tokens.losses - tokens.source_losses
        print(
            f"| {name} | {text} | {mean.num_tokens} | {mean.source_perplexity:.3f} | {mean.perplexity:.3f} "
            f"| {float(lost.mean()):.4f} ± {standard_error(lost):.4f} | {mean.divergence:.4f} "
            f"| {100 * mean.agreement:.1f} % |"
        )


def print_shares(name: str, nearest: dict[str, TokenFidelity], calibrated: dict[str, TokenFidelity]) -> None:
    """What the calibrated codes lose of what the nearest lose; the error is that of a ratio of paired means."""
    for text, tokens in nearest.items():
        lost, left = (side.losses - side.source_losses for side in (tokens, calibrated[text]))
        share = float(left.mean() / lost.mean())
        error = standard_error(left - share * lost) / abs(float(lost.mean()))
        divergence = float(calibrated[text].divergences.mean() / tokens.divergences.mean())
        print(f"| {name} | {text} | {100 * share:.0f} ± {100 * error:.0f} % | {100 * divergence:.0f} % |")


def standard_error(values: torch.Tensor) -> float:
    return float(values.std()) / len(values) ** 0.5


if __name__ == "__main__":
    main()
