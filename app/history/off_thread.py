"""Owns doing long work on the history beside the window.

Does not know the work.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from app.state.history import History

T = TypeVar("T")


async def beside(history: History, work: Callable[[], T]) -> T:
    """Runs it on another thread, unless the chats are in memory alone: there is but one connection to them."""
    return await asyncio.to_thread(work) if history.is_on_disk else work()
