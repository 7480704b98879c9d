"""Kills a conversion at random moments, again and again, and compares what becomes of it with an undisturbed one.

`python -m tests.engine.convert.kill_conversion SOURCE --kills 30 --bits 4 --group 128 --method calibrated`. Every kill
and every finished model is told at once, so that a run that is broken off has said what it has seen. Knows nothing of
what a conversion does; needs `fork`.
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
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
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
    source: Path,
    options: QuantizeOptions,
    work: Path,
    min_kills: int,
    kills_each: int,
    seed: int,
    tell: Callable[[str], None] = lambda line: None,
) -> Outcome:
    """Kill conversions until there were `min_kills`, at most `kills_each` in each model, then let it finish.

    A conversion lives for as long between two kills, on average, as brings it to its end with the last of them: so
    kills reach every part of it, and thirty do not cost thirty conversions.
    """
    draw = random.Random(seed)
    with ConversionServer(source, options) as server:
        start_s = time.monotonic()
        server.convert(work / "whole")
        whole_s = time.monotonic() - start_s
        wanted = contents(work / "whole")
        tell(f"undisturbed: {whole_s:.1f} s, {len(wanted)} files")
        outcome = Outcome()
        while outcome.num_kills < min_kills:
            home = work / f"killed-{outcome.num_models}"
            num_kills = 0
            while num_kills < kills_each:
                life_s = draw.uniform(0, 2 * whole_s / kills_each)
                if server.convert(home, life_s):
                    break
                num_kills += 1
                tell(f"kill {outcome.num_kills + num_kills}: after {life_s:.1f} s, with {num_files(home)} files")
            else:
                server.convert(home)
            found = contents(home)
            differing = {name for name in wanted | found if wanted.get(name) != found.get(name)}
            outcome = replace(
                outcome,
                num_kills=outcome.num_kills + num_kills,
                num_models=outcome.num_models + 1,
                differing=(*outcome.differing, *sorted(differing)),
            )
            tell(f"model {outcome.num_models}: {num_kills} kills, files that differ: {sorted(differing) or 'none'}")
    return outcome


def contents(home: Path) -> dict[str, bytes]:
    """All files below the models folder."""
    models = home / "models"
    return {str(path.relative_to(models)): path.read_bytes() for path in models.rglob("*") if path.is_file()}


def num_files(home: Path) -> int:
    return sum(path.is_file() for path in (home / "models").rglob("*"))


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
    with tempfile.TemporaryDirectory() as folder:
        work, source = Path(folder), args.source.resolve()
        print(kill_often(source, options, work, args.kills, args.kills_each, args.seed, partial(print, flush=True)))


if __name__ == "__main__":
    main()
