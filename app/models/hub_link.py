"""Owns the reading of what a person pastes for a repository of the hub: its page's address, or owner/name.

Does not know whether there is such a repository.
"""

from __future__ import annotations

import re

_NAME = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,95}"
_REPOSITORY = re.compile(rf"(?P<repository>{_NAME}/{_NAME})")
_ADDRESS = re.compile(
    rf"(?:https?://)?(?:[a-z0-9-]+\.)+[a-z]{{2,}}(?::\d+)?/(?:models/)?(?P<repository>{_NAME}/{_NAME})(?:[/?#].*)?",
    re.IGNORECASE,
)
_NOT_MODELS = ("datasets", "spaces", "collections", "papers", "docs", "blog", "api", "models")
"""First parts of the hub's addresses that lead to something else."""


def repository_in(text: str) -> str | None:
    """`owner/name` of a link such as https://hub.example/owner/name/tree/main, or of words that are it; else None."""
    text = text.strip()
    # First as an address: hub.example/owner/name has a host that would pass for an owner.
    found = _ADDRESS.fullmatch(text) or _REPOSITORY.fullmatch(text.strip("/"))
    if found is None:
        return None
    repository = found["repository"].removesuffix(".git")
    return None if repository.partition("/")[0].lower() in _NOT_MODELS else repository
