"""What goes wrong between here and the hub, in words, and whether waiting helps. Knows nothing of what is asked."""

from __future__ import annotations

import email.utils
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import httpx2
from huggingface_hub.errors import (
    DisabledRepoError,
    EntryNotFoundError,
    GatedRepoError,
    HfHubHTTPError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from huggingface_hub.utils import parse_ratelimit_headers

from engine.errors import DownloadError, GatedError, OfflineError, RateLimitError, RepositoryError, TokenError

_SYSTEM_NUMBER = re.compile(r"\[(?:Errno|WinError) -?\d+\] ?")
_UNKNOWN_NAME = (
    "Name or service not known",
    "getaddrinfo failed",
    "nodename nor servname",
    "Temporary failure in name",
)
"""How Linux, Windows and macOS say that a server's name leads nowhere."""
HTTP_ERRORS = (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, OfflineModeIsEnabled)
"""What asking the hub can raise; `HfHubHTTPError` is one of them."""

MAX_WAIT_S = 300.0
_FIRST_WAIT_S, _LONGEST_BACKOFF_S = 1.0, 30.0
_BUSY = (408, 425, 429, 500, 502, 503, 504)


@dataclass(frozen=True, slots=True)
class Fault:
    """`error` is what to tell if it stays so. `is_passing`: it may be over after a while, `asked_wait_s` if told."""

    error: DownloadError
    is_passing: bool = False
    asked_wait_s: float | None = None

    def wait_s(self, num_attempts: int) -> float:
        """How long to wait after so many failures in a row: as the hub asks, or twice as long each time."""
        if self.asked_wait_s is not None:
            return min(self.asked_wait_s, MAX_WAIT_S)
        return min(_FIRST_WAIT_S * 2.0 ** (num_attempts - 1), _LONGEST_BACKOFF_S)


def passing(message: str) -> Fault:
    """A fault of the connection."""
    return Fault(OfflineError(message), is_passing=True)


def explain(error: Exception, repo_id: str, page_url: str, has_token: bool) -> Fault:
    """The fault behind one of `HTTP_ERRORS`. `page_url` is where a person can accept terms."""
    match error:
        case OfflineModeIsEnabled():
            return Fault(OfflineError("HF_HUB_OFFLINE is set: unset it to use the hub"))
        case GatedRepoError():
            account = "with the account of your token" if has_token else "then log in with `hub login`"
            return Fault(GatedError(f"{repo_id} wants its terms accepted first: do so at {page_url} {account}"))
        case DisabledRepoError():
            return Fault(RepositoryError(f"The hub has closed {repo_id}: choose another repository"))
        case RevisionNotFoundError():
            return Fault(RepositoryError(f"{repo_id} has no such revision: see {page_url} for its branches and tags"))
        case EntryNotFoundError():
            return Fault(RepositoryError(f"{repo_id} no longer has the file: look at its files again"))
        case RepositoryNotFoundError():
            return Fault(RepositoryError(_not_found(repo_id, has_token)))
        case HfHubHTTPError():
            return _explain_status(error, repo_id, page_url, has_token)
        case httpx2.ConnectError() | httpx2.ConnectTimeout() | httpx2.ProxyError():
            return passing(
                f"The hub cannot be reached ({_reason(error)}): check the internet connection and the proxy settings"
            )
        case httpx2.TransportError():
            return passing(f"The connection to the hub broke off ({_reason(error)})")
    return Fault(DownloadError(f"The hub gave an answer that makes no sense ({error}): check HF_ENDPOINT"))


def _reason(error: Exception) -> str:
    """What the system says of a connection, without its numbers."""
    words = _SYSTEM_NUMBER.sub("", str(error))
    if any(told in words for told in _UNKNOWN_NAME):
        return "its name cannot be looked up"
    return words or type(error).__name__


def _explain_status(error: HfHubHTTPError, repo_id: str, page_url: str, has_token: bool) -> Fault:
    status = error.response.status_code
    if status == 429:
        wait_s = asked_wait_s(error.response.headers)
        until = "later" if wait_s is None else f"in {wait_s:.0f} s"
        return Fault(RateLimitError(f"The hub has been asked too often: try again {until}"), True, wait_s)
    if status in _BUSY:
        message = f"The hub is out of order (status {status}): try again later"
        return Fault(OfflineError(message), True, asked_wait_s(error.response.headers))
    if status in (401, 403) and error.response.history:
        # A storage server, to which the hub has sent us by an address that is good for a while: ask the hub again.
        return passing(f"The hub's storage refuses the download (status {status})")
    if status == 401 and has_token:
        return Fault(TokenError("The hub refuses your access token: make a new one, then `hub login`"))
    if status in (401, 404):
        return Fault(RepositoryError(_not_found(repo_id, has_token)))
    if status == 403:
        return Fault(TokenError(f"Your access token may not read {repo_id}: see {page_url}, or `hub login` anew"))
    return Fault(DownloadError(f"The hub refused the request (status {status}): check HF_ENDPOINT, or try again later"))


def _not_found(repo_id: str, has_token: bool) -> str:
    hint = "your account may not see it" if has_token else "it is private: then log in with `hub login`"
    return f"The hub shows no repository {repo_id}: check the name, or {hint}"


def asked_wait_s(headers: Mapping[str, str]) -> float | None:
    """How long the answer asks to wait: by its rate limit, or `Retry-After` in seconds or as a date."""
    limit = parse_ratelimit_headers(headers)
    if limit is not None and limit.remaining == 0:
        return float(limit.reset_in_seconds)
    text = headers.get("retry-after", "").strip()
    if text.isdecimal():
        return float(text)
    try:
        moment = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return None
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())
