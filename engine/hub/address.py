"""Where the hub is: a mirror that a person has named, or the hub itself. Standard library only; asks nothing."""

from __future__ import annotations

import os

ENDPOINT_VARIABLE = "HF_ENDPOINT"
USUAL_ADDRESS = "https://huggingface.co"


def hub_address(endpoint: str | None = None) -> str:
    """`endpoint` if it names one, else `HF_ENDPOINT`'s, else the hub's own; without a slash at the end."""
    named = (endpoint or "").strip() or os.environ.get(ENDPOINT_VARIABLE, "").strip()
    return named.rstrip("/") or USUAL_ADDRESS
