"""What goes wrong with the hub, in words without the system's numbers."""

from __future__ import annotations

import httpx2
import pytest

from engine.hub.faults import asked_wait_s, explain


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


@pytest.mark.parametrize(
    ("told", "wait_s"),
    [("7", 7.0), (" 12 ", 12.0), ("²", None), ("-3", None), ("soon", None), ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0)],
)
def test_a_wait_is_taken_from_what_can_be_read_of_it(told: str, wait_s: float | None) -> None:
    assert asked_wait_s({"retry-after": told}) == wait_s
