"""What goes wrong with the hub, in words without the system's numbers."""

from __future__ import annotations

import httpx2
import pytest

from engine.hub.faults import explain


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ("[Errno -2] Name or service not known", "its name cannot be looked up"),
        ("[Errno 11001] getaddrinfo failed", "its name cannot be looked up"),
        ("[Errno 111] Connection refused", "Connection refused"),
        ("", "ConnectError"),
    ],
)
def test_a_hub_out_of_reach_is_told_in_plain_words(told: str, words: str) -> None:
    fault = explain(httpx2.ConnectError(told), "maker/one", "", has_token=False)
    assert str(fault.error) == (
        f"The hub cannot be reached ({words}): check the internet connection and the proxy settings"
    )
