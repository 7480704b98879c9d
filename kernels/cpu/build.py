"""Compiles the native kernels into one shared library: `python -m kernels.cpu.build`.

Uses the `ziglang` package if it is there, else the platform's `cc`. Knows nothing of loading. Imports the standard
library only, as it runs inside `pip install` too.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

SOURCES = Path(__file__).resolve().parent / "src"

PLAIN = (
    "attention_plan", "blocks", "calls", "decoder", "digest", "dispatch", "embed", "linear", "pool",
    "repack", "scratch",
)  # fmt: skip
"""Compiled once."""

VARIED = ("attention", "dense", "panel", "rope_append", "rows", "sampling", "table", "tile")
"""Compiled once for each variant of the processor's family; see src/isa.h."""

_AVX2 = ("-mavx2", "-mfma", "-mf16c")
VARIANTS = {
    "x86_64": {
        "avx2": _AVX2,
        "avxvnni": (*_AVX2, "-mavxvnni"),
        "avx512vnni": (*_AVX2, "-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512vnni"),
        "avx512bf16": (*_AVX2, "-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512vnni", "-mavx512bf16"),
    },
    "aarch64": {"neon": (), "neondot": ("-mcpu=generic+dotprod",)},
}

# Contraction would fuse a * b + c where the compiler likes; sums must not depend on it.
FLAGS = ("-std=c11", "-O3", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-ffp-contract=off", "-fvisibility=hidden")

SUFFIXES = {"linux": ".so", "windows": ".dll", "macos": ".dylib"}


class BuildError(RuntimeError):
    """No compiler, or one that failed; the message holds its own."""


@dataclass(frozen=True, slots=True)
class Target:
    """A processor family (`x86_64`, `aarch64`), a system (`linux`, `windows`, `macos`), and its C library for zig."""

    machine: str
    system: str
    libc: str = "gnu"

    @property
    def library_name(self) -> str:
        return f"deepinfer_cpu{SUFFIXES[self.system]}"

    @property
    def triple(self) -> str:
        """As zig names it; with the processor's baseline, not the features of this machine."""
        return f"{self.machine}-{self.system}" + ("" if self.system == "macos" else f"-{self.libc}")


def host_target() -> Target:
    """Raises `BuildError` for a processor or a system without native kernels."""
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    system = {"Linux": "linux", "Windows": "windows", "Darwin": "macos"}.get(platform.system())
    if machine not in VARIANTS or system is None:
        raise BuildError(f"there are no native kernels for {platform.machine()} on {platform.system()}")
    return Target(machine, system)


def library_path(target: Target) -> Path:
    return SOURCES.parent / target.library_name


def source_digest() -> str:
    """Of everything a library is made from: names and contents of the sources, and this script."""
    digest = hashlib.sha256()
    for path in [*sorted(SOURCES.glob("*.[ch]")), Path(__file__)]:
        digest.update(f"{path.name}\0".encode() + path.read_bytes().replace(b"\r\n", b"\n") + b"\0")
    return digest.hexdigest()[:16]


def compiler(target: Target, cc: str | None = None) -> list[str]:
    """The command of a C compiler for `target`. Raises `BuildError` if there is none."""
    if cc is not None:
        return cc.split()
    if importlib.util.find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "cc", "-target", target.triple]
    found = shutil.which(os.environ.get("CC", "cc"))
    if found is None or target != host_target():
        raise BuildError("no C compiler: install the Python package ziglang (pip install ziglang)")
    return [found]


def _strictness(cc: str | None) -> list[str]:
    """Warnings are errors where the compiler was tried; a system's own may have others, and still compiles."""
    is_known = cc is not None or importlib.util.find_spec("ziglang") is not None
    return ["-Werror"] if is_known else []


def compile_objects(target: Target, folder: Path, cc: str | None = None, extra_flags: Sequence[str] = ()) -> list[str]:
    """The paths of all object files, in `folder`. Raises `BuildError` with what the compiler said."""
    command = [*compiler(target, cc), *FLAGS, *_strictness(cc), f'-DDI_SOURCE_DIGEST="{source_digest()}"']
    if target.system != "windows":
        command += ["-fPIC", "-pthread"]
    jobs: list[tuple[str, Path, list[str]]] = [(name, folder / f"{name}.o", []) for name in PLAIN]
    for variant, variant_flags in VARIANTS[target.machine].items():
        for name in VARIED:
            jobs.append((name, folder / f"{name}_{variant}.o", [f"-DDI_VARIANT={variant}", *variant_flags]))
    with ThreadPoolExecutor(os.cpu_count()) as executor:
        for done in [
            executor.submit(_run, [*command, *more, *extra_flags, "-c", str(SOURCES / f"{name}.c"), "-o", str(output)])
            for name, output, more in jobs
        ]:
            done.result()
    return [str(output) for _, output, _ in jobs]


def build(target: Target, path: Path, cc: str | None = None, extra_flags: Sequence[str] = ()) -> None:
    """Write the library to `path`, replacing it in one move. Raises `BuildError` with what the compiler said."""
    with tempfile.TemporaryDirectory() as folder:
        objects = compile_objects(target, Path(folder), cc, extra_flags)
        # Linked under its own name, which Windows writes into the file, and away from what else the linker leaves.
        linked = Path(folder) / target.library_name
        libraries = [] if target.system == "windows" else ["-pthread", "-lm"]
        _run([*compiler(target, cc), "-shared", *extra_flags, *objects, "-o", str(linked), *libraries])
        partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
        shutil.copy(linked, partial)
        os.replace(partial, path)


def _run(command: list[str]) -> None:
    try:
        result = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        raise BuildError(f"{command[0]} does not start: {error}") from error
    if result.returncode != 0:
        raise BuildError(f"{' '.join(command)}\nfailed with {result.returncode}:\n{result.stderr}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Compile DeepInfer's native kernels.")
    parser.add_argument("--target", help="MACHINE-SYSTEM, such as x86_64-windows or aarch64-linux; default: this one")
    parser.add_argument("--output", type=Path, help="default: beside this script, where it is looked for")
    parser.add_argument("--cc", help="the compiler's command; default: zig, else the platform's")
    parser.add_argument("flags", nargs="*", help="further flags, after --, such as -fsanitize=address")
    options = parser.parse_args()
    try:
        target = host_target() if options.target is None else Target(*options.target.split("-"))
        path = options.output or library_path(target)
        build(target, path, options.cc, options.flags)
    except BuildError as error:
        sys.exit(str(error))
    print(path)


if __name__ == "__main__":
    main()
