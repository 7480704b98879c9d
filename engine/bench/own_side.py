"""The program of our own side; see `engine.bench.own_engine` for what it does."""

from __future__ import annotations

from engine.bench.protocol import serve
from engine.environment import loading_modules, prepare_environment


def main() -> None:
    prepare_environment()
    # Not before: it loads torch, which reads the environment.
    with loading_modules():
        from engine.bench.own_engine import load, obey

    serve(load, obey)


if __name__ == "__main__":
    main()
