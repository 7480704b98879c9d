"""Owns opening an address outside of the program.

Does not know where the address stood.
"""

from __future__ import annotations

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

SAFE_SCHEMES = frozenset({"http", "https"})


def open_link(url: QUrl) -> bool:
    """Hands a web address to the system's browser; any other kind of address is refused."""
    return url.scheme() in SAFE_SCHEMES and QDesktopServices.openUrl(url)
