"""Prints what a screen reader is told of the running window: role, name, text and states, as a tree.

With `--listen SECONDS` it prints first what the window says by itself meanwhile, such as an answer that has ended.

It asks AT-SPI, as Orca does, so it needs a session bus, Debian's `at-spi2-core` and `python3-pyatspi`, and that
system's own Python; the window needs QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1 if no screen reader runs. Without a desktop:

    dbus-run-session -- sh -c '
        export DISPLAY=:7 QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1
        Xvfb :7 -screen 0 1400x900x24 & sleep 1
        /usr/libexec/at-spi-bus-launcher --launch-immediately & sleep 1
        .venv/bin/python -m app & sleep 15
        /usr/bin/python3 docs/dump_accessibility.py --listen 20; kill $!'
"""

from __future__ import annotations

import argparse
import sys

import pyatspi
from gi.repository import GLib

_STATES = frozenset({"focusable", "focused", "checked", "selected", "expanded", "editable", "pressed"})
_MAX_CHARACTERS = 400
_MAX_CHILDREN = 60


def dump(node: pyatspi.Accessible, depth: int = 0) -> None:
    """Prints a node and what is below it, as far as it shows on the screen."""
    states = {pyatspi.stateToString(state) for state in node.getState().getStates()}
    if "showing" in states or depth < 2:
        shown = " ".join(sorted(states & _STATES))
        description = node.description.replace("\n", "; ") if depth else ""
        more = f" ({description})" if description and description != node.name else ""
        line = f"{node.getRoleName()}: {node.name!r}{_text(node)}{more}"
        print("  " * depth + line + (f" [{shown}]" if shown else ""))
    for index in range(min(node.childCount, _MAX_CHILDREN)):
        child = node.getChildAtIndex(index)
        if child is not None:
            dump(child, depth + 1)


def _text(node: pyatspi.Accessible) -> str:
    try:
        text = node.queryText()
    except NotImplementedError:
        return ""
    return f" text={text.getText(0, min(text.characterCount, _MAX_CHARACTERS))!r}" if text.characterCount else ""


def listen(seconds: int) -> None:
    """Prints what the window announces."""
    pyatspi.Registry.registerEventListener(lambda event: print(f"says: {event.any_data!r}"), "object:announcement")
    GLib.timeout_add_seconds(seconds, pyatspi.Registry.stop)
    pyatspi.Registry.start()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--listen", type=int, default=0, metavar="SECONDS")
    arguments = parser.parse_args()
    if arguments.listen:
        listen(arguments.listen)
    desktop = pyatspi.Registry.getDesktop(0)
    found = [desktop.getChildAtIndex(index) for index in range(desktop.childCount)]
    windows = [application for application in found if application is not None and application.name == "DeepInfer"]
    for window in windows:
        dump(window)
    return 0 if windows else 1


if __name__ == "__main__":
    sys.exit(main())
