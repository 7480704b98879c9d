"""Owns doing long work on the history on another thread than the window's.

Does not know the work.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from app.state.history import History

T = TypeVar("T")


async def off_thread(history: History, work: Callable[[], T]) -> T:
    """Runs it on a thread of its own, unless the chats are in memory alone: there is but one connection to them."""
    return await asyncio.to_thread(work) if history.is_on_disk else work()
