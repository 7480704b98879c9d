"""A side without a model: it counts. Started by the tests as a peer is, in a process of its own."""

from __future__ import annotations

import os
import threading
from typing import Any

from engine.bench.protocol import Answer, Recorder, Task, UnsupportedTaskError, serve


class CountingSide:
    """Every token is one more than the one before it. `fault` says how it misbehaves."""

    def __init__(self, fault: str | None) -> None:
        self._fault = fault
        self.facts: dict[str, Any] = {"name": "counting", "version": "1"}

    def run(self, task: Task) -> list[Answer]:
        match self._fault:
            case "prints":
                print("a line that is no reply")
                os.write(1, b"and one past Python\n")
            case "raises":
                raise ValueError("out of fingers")
            case "dies":
                os._exit(3)
            case "hangs":
                threading.Event().wait()
            case "lacks":
                raise UnsupportedTaskError("cannot count so far")
        recorder = Recorder(task)
        while not recorder.is_done:
            for index in recorder.take_due():
                recorder.answer(index).num_cached_tokens = 7
                for number in range(task.asks[index].max_tokens):
                    recorder.add(index, task.asks[index].prompt_ids[-1] + 1 + number)
        return recorder.answers()


def load(options: dict[str, Any]) -> CountingSide:
    if options.get("fault") == "cannot load":
        raise FileNotFoundError("no fingers")
    return CountingSide(options.get("fault"))


if __name__ == "__main__":
    serve(load)
