"""Owns the error of a file that holds no chats that can be read.

Does not know the formats.
"""

from __future__ import annotations


class TransferError(Exception):
    """The file cannot be imported; the message says what is wrong with it, and what can be. Nothing was imported."""
