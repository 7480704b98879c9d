"""The window's command line: `python -m app`. Owns what must be said before Qt can be imported.

Does not know Qt; what needs it is imported once it is known that there is a display.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import re
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from app import __version__
from engine.api import EngineConfig

_HEADLESS_PLATFORMS = ("offscreen", "minimal", "vnc", "linuxfb", "eglfs")
_X11_SOCKETS = "/tmp/.X11-unix"
_X11_PORT = 6000
_REACH_TIMEOUT_S = 0.5
_CURSOR_LIBRARY = "libxcb-cursor.so.0"
_LIBRARY_PACKAGES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libGLX.so.0": "libglx0",
    "libOpenGL.so.0": "libopengl0",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    _CURSOR_LIBRARY: "libxcb-cursor0",
    "libX11.so.6": "libx11-6",
}


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    if options.version:
        print(f"DeepInfer {__version__}")
        return 0
    problem = display_problem(sys.platform, os.environ)
    if problem is not None and options.check is None:
        print(problem, file=sys.stderr)
        return 1
    if problem is not None:
        # A check needs no eyes.
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    problem = cursor_library_problem(sys.platform, os.environ, _can_load)
    if problem is not None:
        print(problem, file=sys.stderr)
        return 1
    try:
        from app.application import run
    except ImportError as error:
        explained = library_problem(str(error))
        if explained is None:
            raise
        print(explained, file=sys.stderr)
        return 1
    return run(options.home, options.backend, options.check)


def can_reach_display(display: str) -> bool:
    """Whether an X server listens where `DISPLAY` says; Qt would abort the process if none does.

    A form that is not known here is left to Qt.
    """
    found = re.fullmatch(r"(?P<host>[^/]*?):(?P<number>\d+)(\.\d+)?", display)
    if found is None:
        return True
    host, number = found["host"], int(found["number"])
    if host in ("", "unix") and _accepts(f"{_X11_SOCKETS}/X{number}"):
        return True
    # Some servers listen only by TCP, also for this machine.
    return _accepts((host if host != "unix" and host else "localhost", _X11_PORT + number))


def _accepts(address: str | tuple[str, int]) -> bool:
    try:
        if isinstance(address, tuple):
            socket.create_connection(address, _REACH_TIMEOUT_S).close()
            return True
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(_REACH_TIMEOUT_S)
            probe.connect(address)
    except (OSError, OverflowError):  # a port above 65,535 is none
        return False
    return True


def display_problem(
    platform: str, environment: Mapping[str, str], can_reach: Callable[[str], bool] = can_reach_display
) -> str | None:
    """What to say where no window can open; None where one can."""
    if not platform.startswith("linux"):
        return None
    if environment.get("QT_QPA_PLATFORM", "").split(":")[0] in _HEADLESS_PLATFORMS:
        return None
    if environment.get("WAYLAND_DISPLAY"):
        return None
    display = environment.get("DISPLAY")
    if display and can_reach(display):
        return None
    if display:
        return f"The display {display} cannot be reached; to chat in the terminal, run: python -m engine chat starter"
    return "There is no display to open a window on; to chat in the terminal, run: python -m engine chat starter"


def cursor_library_problem(
    platform: str, environment: Mapping[str, str], can_load: Callable[[str], bool]
) -> str | None:
    """What to say where Qt's X11 platform would abort the process for want of a library that it loads by itself."""
    if not platform.startswith("linux") or not environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"):
        return None
    if environment.get("QT_QPA_PLATFORM") or can_load(_CURSOR_LIBRARY):
        return None
    return _missing_library(_CURSOR_LIBRARY)


def _can_load(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def library_problem(message: str) -> str | None:
    """Names the missing system library of an ImportError, and its package; None if the error is about another thing."""
    found = re.search(r"(lib[\w.+-]+\.so[.\d]*)", message)
    if found is None or "cannot open shared object" not in message:
        return None
    return _missing_library(found.group(1))


def _missing_library(library: str) -> str:
    package = _LIBRARY_PACKAGES.get(library)
    step = f"on Debian or Ubuntu run: sudo apt install {package}" if package else "install the package that has it"
    return f"The window needs the system library {library}, which is not installed; {step}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m app", description="DeepInfer's window.")
    parser.add_argument("--home", type=Path, default=EngineConfig().home, metavar="DIR", help="the data folder")
    parser.add_argument("--backend", choices=("cpu", "reference"), default="cpu", help="what computes (default: cpu)")
    check = parser.add_mutually_exclusive_group()
    for option, name, text in (
        ("--self-test", "self-test", "drive the window with the real model and report JSON"),
        ("--measure-history", "history", "report how soon 10,000 chats are listed and searched; needs an empty --home"),
        ("--measure-chats", "chats", "report how soon chats of 100,000 words open, and how smoothly they scroll"),
        ("--measure-lag", "lag", "report how late the window's events are while four chats stream, and when idle"),
    ):
        check.add_argument(option, dest="check", action="store_const", const=name, help=text)
    parser.add_argument("--version", action="store_true", help="print the version and end")
    return parser


if __name__ == "__main__":
    sys.exit(main())
