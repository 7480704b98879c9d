"""Kills a conversion at random moments, again and again, and compares what becomes of it with an undisturbed one.

`python -m tests.engine.convert.kill_conversion SOURCE --kills 30 --bits 4 --group 128 --method calibrated`. Knows
nothing of what a conversion does; needs `fork`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import TracebackType

from engine.convert.options import QuantizeOptions

ROOT = Path(__file__).resolve().parents[3]
# Forks for each conversion, so that torch is imported once. Forking is safe while torch has no threads of its own.
_SERVER = """
import json, os, sys
from pathlib import Path
import torch
from engine.convert.options import QuantizeOptions
from engine.convert.pipeline import Conversion, convert_file
torch.set_num_threads(1)
print("ready", flush=True)
for line in sys.stdin:
    home, source, options = json.loads(line)
    pid = os.fork()
    if pid == 0:
        conversion = Conversion(Path(source), "Model", QuantizeOptions(**options))
        convert_file(Path(home), conversion, lambda *progress: None, lambda: False)
        os._exit(0)
    print(pid, flush=True)
    print(os.waitpid(pid, 0)[1], flush=True)
"""


class ConversionServer:
    """A process that converts one model at a time; a context manager."""

    def __init__(self, source: Path, options: QuantizeOptions) -> None:
        self._source = source
        self._options = options
        self._process = subprocess.Popen(
            [sys.executable, "-c", _SERVER], cwd=ROOT, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self._process.stdout is not None
        ready = self._process.stdout.readline()
        assert ready == b"ready\n", ready

    def __enter__(self) -> ConversionServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def convert(self, home: Path, kill_after_s: float | None = None) -> bool:
        """Whether the model was finished; False if it was killed before. Raises RuntimeError if it failed."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps([str(home), str(self._source), asdict(self._options)]).encode() + b"\n")
        pid = int(stdout.readline())
        if kill_after_s is not None and not select.select([stdout], [], [], kill_after_s)[0]:
            os.kill(pid, signal.SIGKILL)
        status = int(stdout.readline())
        if status not in (0, signal.SIGKILL):
            raise RuntimeError(f"the conversion ended with status {status}")
        return status == 0


@dataclass(frozen=True, slots=True)
class Outcome:
    num_kills: int = 0
    num_models: int = 0
    differing: tuple[str, ...] = ()
    """Names of files that are not as undisturbed."""


def kill_often(
    source: Path, options: QuantizeOptions, work: Path, min_kills: int, kills_each: int, seed: int
) -> Outcome:
    """Kill conversions until there were `min_kills`, at most `kills_each` in each model, then let it finish."""
    draw = random.Random(seed)
    with ConversionServer(source, options) as server:
        start_s = time.monotonic()
        server.convert(work / "whole")
        whole_s = time.monotonic() - start_s
        wanted = contents(work / "whole")
        outcome = Outcome()
        while outcome.num_kills < min_kills:
            home = work / f"killed-{outcome.num_models}"
            num_kills = 0
            while not server.convert(home, None if num_kills == kills_each else draw.uniform(0, whole_s)):
                num_kills += 1
            found = contents(home)
            differing = {name for name in wanted | found if wanted.get(name) != found.get(name)}
            outcome = replace(
                outcome,
                num_kills=outcome.num_kills + num_kills,
                num_models=outcome.num_models + 1,
                differing=(*outcome.differing, *sorted(differing)),
            )
    return outcome


def contents(home: Path) -> dict[str, bytes]:
    """All files below the models folder."""
    models = home / "models"
    return {str(path.relative_to(models)): path.read_bytes() for path in models.rglob("*") if path.is_file()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--kills-each", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--bits", type=int)
    parser.add_argument("--group", type=int, default=32)
    parser.add_argument("--method", choices=("nearest", "calibrated"), default="nearest")
    args = parser.parse_args()
    options = QuantizeOptions(args.bits, args.group, table_bits=args.bits and 8, method=args.method)
    with tempfile.TemporaryDirectory() as work:
        print(kill_often(args.source.resolve(), options, Path(work), args.kills, args.kills_each, args.seed))


if __name__ == "__main__":
    main()
