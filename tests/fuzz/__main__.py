"""`python -m tests.fuzz [--minutes N] [TARGET…]`: attack in processes of their own, and tell what was found.

A process that crashes, hangs or takes too much memory ends without those beside it, and its seed is told.
"""

from __future__ import annotations

import argparse
import itertools
import logging
import os
import subprocess
import sys
import time

from tests.fuzz.attack import attack, example
from tests.fuzz.targets import TARGETS, prepare

_EXAMPLES_AT_ONCE = 20
_SLICE_S = 25.0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", metavar="TARGET", nargs="*", help=f"of {', '.join(TARGETS)}")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--slice", action="store_true", help="this process attacks")
    parser.add_argument("--seed", type=int, help="one example again")
    args = parser.parse_args()
    logging.disable(logging.WARNING)
    # Nothing here has to survive a power failure.
    os.fsync = lambda descriptor: None  # type: ignore[assignment]
    targets = args.targets or list(TARGETS)
    if args.seed is not None:
        prepare()
        example(targets[0], args.seed)
        return 0
    return _attack_slice(targets[0], args.minutes) if args.slice else _attack_all(targets, args.minutes)


def _attack_all(targets: list[str], minutes: float) -> int:
    """Each target in turn until the time is over; 1 if anything was found."""
    end_s, num_findings, num_examples = time.monotonic() + 60 * minutes, 0, dict.fromkeys(targets, 0)
    for target in itertools.cycle(targets):
        left_s = end_s - time.monotonic()
        if left_s <= 0:
            break
        slice_ = subprocess.run(
            [sys.executable, "-m", "tests.fuzz", "--slice", "--minutes", str(min(_SLICE_S, left_s) / 60), target],
            capture_output=True,
            text=True,
        )
        examples = [line for line in slice_.stdout.splitlines() if line.startswith("example")]
        num_examples[target] += len(examples)
        print(f"{target}: {len(examples)} examples", flush=True)
        if slice_.returncode != 0:
            num_findings += 1
            print(f"ended with {slice_.returncode} in {examples[-1:]}\n{slice_.stderr[-3000:]}", flush=True)
    print(", ".join(f"{target} {count}" for target, count in num_examples.items()))
    print(f"{sum(num_examples.values())} examples, {num_findings} slices with findings")
    return min(num_findings, 1)


def _attack_slice(target: str, minutes: float) -> int:
    end_s = time.monotonic() + 60 * minutes
    while time.monotonic() < end_s:
        attack(target, _EXAMPLES_AT_ONCE, lambda seed: print(f"example {target} --seed {seed}", flush=True))
    return 0


if __name__ == "__main__":
    sys.exit(main())
