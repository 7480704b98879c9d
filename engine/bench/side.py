"""The benchmark's end of a side: starts its program, hands it tasks, and knows its memory.

Knows nothing of what a side is; see `engine.bench.protocol`.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from engine.bench.memory import MemoryUse, memory_of
from engine.bench.protocol import Answer, Task
from engine.environment import foreign_environment
from engine.errors import EngineError

_ROOT = Path(__file__).resolve().parents[2]
_START = """
import runpy, sys
sys.path[:] = [*filter(None, sys.path), sys.argv.pop(1)]
runpy.run_module(sys.argv.pop(1), {}, "__main__", True)
"""
"""Our packages stand last on the path, and the working folder not at all, so that a side finds its own first."""
_TIMEOUT_S = 600.0
_CLOSE_TIMEOUT_S = 10.0
_LOG_TAIL_CHARACTERS = 600


class SideError(EngineError):
    """A side could not be started, broke, or did not answer in time."""

    code = "bench_side"


class UnsupportedBySideError(EngineError):
    """A side cannot do what a task asks for."""

    code = "bench_unsupported"


@dataclass(frozen=True, slots=True)
class SideProgram:
    """How to start a side: an interpreter, a module of ours, and the options that its `load` takes.

    `label` names it in the report; `hint` says what to do if it cannot be started.
    """

    label: str
    python: str
    module: str
    options: Mapping[str, Any]
    hint: str = ""


class OpenSide:
    """A running side, used as a context manager. Raises `SideError` from all its methods."""

    def __init__(self, program: SideProgram, timeout_s: float = _TIMEOUT_S) -> None:
        self.program = program
        self.facts: dict[str, Any] = {}
        self.load_s = 0.0
        """From the start of loading to a model that is ready, the interpreter and its imports apart."""
        self.start_s = 0.0
        """From the start of the process to a model that is ready."""
        self._timeout_s = timeout_s

    def __enter__(self) -> OpenSide:
        self._log: IO[str] = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")
        started_s = time.perf_counter()
        command = [self.program.python, "-c", _START, str(_ROOT), self.program.module]
        try:
            self._process = subprocess.Popen(
                [*command, json.dumps(dict(self.program.options))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                encoding="utf-8",
                # A peer's threads wait as they would without us.
                env=foreign_environment(),
            )
        except OSError as error:
            self._log.close()
            raise SideError(f"Cannot start {self.program.python} ({error.strerror}): {self.program.hint}") from error
        try:
            ready = self._read()
        except BaseException:
            self._end()
            raise
        self.start_s = time.perf_counter() - started_s
        self.facts, self.load_s = ready["facts"], ready["load_s"]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    @property
    def label(self) -> str:
        return self.program.label

    def run(self, task: Task) -> list[Answer]:
        """Raises `UnsupportedBySideError` too."""
        return [Answer(**answer) for answer in self._ask(task.to_json())["answers"]]

    def order(self, order: dict[str, Any]) -> Any:
        """What only our own side can do; see `engine.bench.own_side`."""
        return self._ask(order)["result"]

    def memory(self) -> MemoryUse:
        return memory_of(self._process.pid)

    def _ask(self, order: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None, self.program
        try:
            self._process.stdin.write(json.dumps(order) + "\n")
            self._process.stdin.flush()
        except OSError as error:
            raise self._broken("it ended") from error
        return self._read()

    def _read(self) -> dict[str, Any]:
        """One reply. A side that takes too long is killed, which ends the wait."""
        assert self._process.stdout is not None, self.program
        limit = threading.Timer(self._timeout_s, self._process.kill)
        limit.start()
        started_s = time.monotonic()
        try:
            line = self._process.stdout.readline()
        finally:
            limit.cancel()
        if not line:
            is_late = time.monotonic() - started_s >= self._timeout_s
            raise self._broken(f"no answer within {self._timeout_s:.0f} s" if is_late else "it ended")
        try:
            reply: dict[str, Any] = json.loads(line)
        except ValueError as error:
            raise self._broken(f"it wrote {line[:80]!r}") from error
        if "unsupported" in reply:
            raise UnsupportedBySideError(f"{self.label} {reply['unsupported']}")
        if "error" in reply:
            raise self._broken(str(reply["error"]))
        return reply

    def _broken(self, what: str) -> SideError:
        self._log.seek(0)
        tail = " ".join(self._log.read()[-_LOG_TAIL_CHARACTERS:].split())
        hint = f": {self.program.hint}" if self.program.hint else ""
        return SideError(f"{self.label} failed, {what}{hint}" + (f" (its log ends: …{tail})" if tail else ""))

    def _end(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None, self.program
            try:
                pipe.close()
            except OSError:  # what was still to be written has no reader any more
                continue
        try:
            self._process.wait(_CLOSE_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()
