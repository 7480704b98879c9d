"""Builds the C checks beside this file with the native kernels and runs them under what finds hidden mistakes.

    python tests/kernels/native_check/check.py [plain] [address] [thread] [valgrind] [arm64] [windows]

`address`: gcc's address and undefined-behaviour sanitizers; `thread`: its thread sanitizer; `arm64`: cross-compiled by
zig, under qemu-user; `windows`: against the cross-compiled DLL, under wine. Without arguments, all of them that this
machine has the tools for (Debian: gcc, valgrind, qemu-user, wine64; PyPI: ziglang). Knows nothing of Python.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2]))

from kernels.cpu import build  # noqa: E402 - the script is run as a file


@dataclass(frozen=True)
class Mode:
    """How to compile (`cc` None: zig) and what to run the result under; `tools` must be on the path."""

    cc: str | None
    flags: tuple[str, ...] = ()
    wrapper: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    target: build.Target | None = None


# Debian does not put it on the path.
WINE = shutil.which("wine64") or "/usr/lib/wine/wine64"
SANITIZED = ("-g", "-fno-omit-frame-pointer", "-O1")
# Linked statically, as there is no C library of that processor here.
ARM64 = build.Target("aarch64", "linux", "musl")
MODES = {
    "plain": Mode(None),
    "address": Mode("gcc", (*SANITIZED, "-fsanitize=address,undefined", "-fno-sanitize-recover"), tools=("gcc",)),
    "thread": Mode("gcc", (*SANITIZED, "-fsanitize=thread"), tools=("gcc",)),
    # valgrind does not know AVX-512, and says so of the processor: the kernels then take AVX2
    "valgrind": Mode(None, ("-g",), ("valgrind", "-q", "--error-exitcode=1", "--leak-check=full"), ("valgrind",)),
    "arm64": Mode(None, wrapper=("qemu-aarch64", "-cpu", "max"), tools=("qemu-aarch64",), target=ARM64),
    "windows": Mode(None, wrapper=(WINE,), tools=(WINE,), target=build.Target("x86_64", "windows")),
}


def run(name: str, mode: Mode) -> bool:
    target = mode.target or build.host_target()
    flags = [*mode.flags, f"-I{build.SOURCES}"]
    with tempfile.TemporaryDirectory() as folder:
        if target.system == "windows":
            build.build(target, Path(folder) / target.library_name)
            kernels = [f"-L{folder}", "-l:" + target.library_name]
        else:
            kernels = build.compile_objects(target, Path(folder), mode.cc, flags)
        succeeded = True
        for source in sorted(HERE.glob("check_*.c")):
            program = Path(folder) / f"{source.stem}.exe"
            link = [*build.compiler(target, mode.cc), *build.FLAGS, *flags, str(source), *kernels, "-lm"]
            subprocess.run([*link, "-static" if target.libc == "musl" else "-pthread", "-o", str(program)], check=True)
            result = subprocess.run([*mode.wrapper, str(program)], check=False)
            succeeded &= result.returncode == 0
            print(f"{name}: {source.stem} {'passed' if result.returncode == 0 else 'FAILED'}", flush=True)
    return succeeded


def main() -> None:
    names = sys.argv[1:] or [name for name, mode in MODES.items() if all(map(shutil.which, mode.tools))]
    failed = [name for name in names if not run(name, MODES[name])]
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
