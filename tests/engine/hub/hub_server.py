"""A hub on loopback, as huggingface_hub calls it, with a storage server beside it and faults on demand.

Knows nothing of what asks it. Speaks HTTP/1.1; large files are sent from the storage, to which it redirects.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import defaultdict, deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

COMMIT = "c" * 40
TOKEN = "hf_right"
LARGE_BYTES = 1000
"""From this size on a file is "LFS": it has a sha256 and lies on the storage."""


@dataclass(frozen=True)
class Status:
    """Answer so instead."""

    code: int
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Drop:
    """Break the connection after so many bytes of the body."""

    num_bytes: int


@dataclass(frozen=True)
class Short:
    """Promise no more than so many bytes, and send them."""

    num_bytes: int


@dataclass(frozen=True)
class Stall:
    """Send so many bytes and then nothing, until the server closes."""

    num_bytes: int


@dataclass(frozen=True)
class Trickle:
    """Send one byte every fiftieth of a second."""


@dataclass(frozen=True)
class Wrong:
    """Send other bytes of the same number."""


@dataclass(frozen=True)
class NoRange:
    """Take no notice of the range. `num_bytes`: break off after so many."""

    num_bytes: int | None = None


@dataclass(frozen=True)
class OtherTag:
    """The file has changed: another digest."""


@dataclass(frozen=True)
class OtherRange:
    """Send another range than was asked for."""


@dataclass(frozen=True)
class Compressed:
    """Say that the body is compressed."""


Fault = Status | Drop | Short | Stall | Trickle | Wrong | NoRange | OtherTag | OtherRange | Compressed


@dataclass
class Repository:
    files: dict[str, bytes]
    gate: str | bool = False
    is_open: bool = True
    """Whether `TOKEN` may read it, if it is gated."""
    architecture: str = "llama"
    """Of its GGUF files, as the hub has read it."""
    tags: list[str] = field(default_factory=lambda: ["gguf", "license:mit", "base_model:maker/base"])


class HubServer:
    """`with HubServer() as hub`. `faults[path]` are used up in order, one for each request of the file."""

    def __init__(self) -> None:
        self.repositories: dict[str, Repository] = {}
        self.faults: dict[str, deque[Fault]] = defaultdict(deque)
        self.api_faults: deque[Status] = deque()
        self.requests: list[tuple[str, str, dict[str, str]]] = []
        """Who was asked ("hub" or "storage"), path, headers."""
        self.closing = threading.Event()
        self.stalled = threading.Semaphore(0)
        self._hub = _Server(self, "hub")
        self._storage = _Server(self, "storage")

    def __enter__(self) -> HubServer:
        for server in (self._hub, self._storage):
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        for server in (self._hub, self._storage):
            server.shutdown()
            server.server_close()

    @property
    def url(self) -> str:
        return self._hub.url

    @property
    def storage_url(self) -> str:
        return self._storage.url

    def add(self, repo_id: str, files: dict[str, bytes], **facts: Any) -> Repository:
        self.repositories[repo_id] = Repository(files, **facts)
        return self.repositories[repo_id]

    def downloads(self, whom: str = "storage") -> list[dict[str, str]]:
        """The headers of the requests for files."""
        return [headers for asked, path, headers in self.requests if asked == whom and "/resolve/" in path]


@contextmanager
def _quiet() -> Iterator[None]:
    """Clients go away at any moment, on purpose."""
    with suppress(BrokenPipeError, ConnectionError, ValueError):
        yield


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # A stalled answer waits for the end of the test.
    block_on_close = False

    def __init__(self, hub: HubServer, whom: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.hub, self.whom = hub, whom
        self.url = f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, *_: object) -> None:
        pass

    def handle(self) -> None:
        with _quiet():
            super().handle()

    def do_GET(self) -> None:
        # As a proxy is asked, the path is a whole address.
        url = urlsplit(self.path)
        path = unquote(url.path)
        self.server.hub.requests.append((self.server.whom, path, {k.lower(): v for k, v in self.headers.items()}))
        if "/resolve/" in path:
            repo_id, _, rest = path[1:].partition("/resolve/")
            self._send_file(repo_id, rest.partition("/")[2])
        elif self.server.hub.api_faults:
            fault = self.server.hub.api_faults.popleft()
            self._reply(fault.code, b"{}", **fault.headers)
        else:
            self._send_facts(path, parse_qs(url.query))

    def _send_facts(self, path: str, query: dict[str, list[str]]) -> None:
        hub = self.server.hub
        token = self.headers.get("authorization")
        if token not in (None, f"Bearer {TOKEN}"):
            self._reply(401, b'{"error":"Invalid"}', X_Error_Message="Invalid credentials in Authorization header")
        elif path == "/api/whoami-v2":
            self._reply_json({"name": "somebody"})
        elif path == "/api/models":
            found = [repo_id for repo_id in hub.repositories if query["search"][0] in repo_id]
            self._reply_json([self._facts(repo_id) for repo_id in found[: int(query["limit"][0])]])
        else:
            self._send_repository(path.removeprefix("/api/models/"), query)

    def _send_repository(self, path: str, query: dict[str, list[str]]) -> None:
        repo_id, _, revision = path.partition("/revision/")
        repo_id = repo_id.removesuffix("/auth-check")
        repository = self.server.hub.repositories.get(repo_id)
        if repository is None:
            self._reply(401, b'{"error":"Repository not found"}', X_Error_Code="RepoNotFound")
        elif revision not in ("", "main", COMMIT):
            self._reply(404, b"{}", X_Error_Code="RevisionNotFound")
        elif path.endswith("/auth-check"):
            if self._may_read(repository):
                self._reply(200, b"")
            else:
                self._refuse()
        else:
            siblings = [_sibling(name, data) for name, data in repository.files.items()]
            self._reply_json(self._facts(repo_id) | {"siblings": siblings if "blobs" in query else []})

    def _facts(self, repo_id: str) -> dict[str, Any]:
        repository = self.server.hub.repositories[repo_id]
        return {
            "id": repo_id,
            "sha": COMMIT,
            "gated": repository.gate,
            "tags": repository.tags,
            "downloads": 12345,
            "likes": 7,
            "lastModified": "2025-01-31T10:00:00.000Z",
            "gguf": {"total": 135, "architecture": repository.architecture},
        }

    def _may_read(self, repository: Repository) -> bool:
        return not repository.gate or (repository.is_open and "authorization" in self.headers)

    def _refuse(self) -> None:
        code = 403 if "authorization" in self.headers else 401
        self._reply(code, b'{"error":"gated"}', X_Error_Code="GatedRepo")

    def _send_file(self, repo_id: str, name: str) -> None:
        hub = self.server.hub
        repository = hub.repositories.get(repo_id)
        if repository is None:
            self._reply(401, b'{"error":"Repository not found"}', X_Error_Code="RepoNotFound")
            return
        data = repository.files.get(name)
        if data is None:
            self._reply(404, b"{}", X_Error_Code="EntryNotFound")
        elif self.server.whom == "hub" and not self._may_read(repository):
            self._refuse()
        elif self.server.whom == "hub" and len(data) >= LARGE_BYTES:
            faults = hub.faults[name]
            changed = bool(faults) and isinstance(faults[0], OtherTag)
            if changed:
                faults.popleft()
            tag = "0" * 64 if changed else hashlib.sha256(data).hexdigest()
            location = f"{hub.storage_url}{self.path}"
            self._reply(302, b"", Location=location, X_Linked_Etag=f'"{tag}"', X_Linked_Size=str(len(data)))
        else:
            fault = hub.faults[name].popleft() if hub.faults[name] else None
            self._send_body(data, fault)

    def _send_body(self, data: bytes, fault: Fault | None) -> None:
        if isinstance(fault, Status):
            self._reply(fault.code, b"{}", **fault.headers)
            return
        start, stop = self._range(len(data))
        if isinstance(fault, OtherRange):
            start, stop = start + 1, stop
        body = data[start:stop]
        if isinstance(fault, NoRange):
            start, body = 0, data
        if isinstance(fault, Wrong):
            body = bytes([body[0] ^ 1]) + body[1:]
        self.send_response(200 if isinstance(fault, NoRange) else 206)
        if not isinstance(fault, NoRange):
            self.send_header("Content-Range", f"bytes {start}-{stop - 1}/{len(data)}")
        self.send_header(
            "Content-Length", str(min(len(body), fault.num_bytes if isinstance(fault, Short) else 1 << 60))
        )
        self.send_header("ETag", '"storage-tag"' if len(data) >= LARGE_BYTES else f'"{blob_id(data)}"')
        if isinstance(fault, Compressed):
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        if isinstance(fault, Trickle):
            while body and not self.server.hub.closing.wait(0.02):
                self.wfile.write(body[:1])
                body = body[1:]
            return
        num_bytes = getattr(fault, "num_bytes", None)
        self.wfile.write(body[:num_bytes])
        self.wfile.flush()
        if isinstance(fault, Stall):
            self.server.hub.stalled.release()
            self.server.hub.closing.wait()
        if num_bytes is not None and num_bytes < len(body):
            self.close_connection = True

    def _range(self, size_bytes: int) -> tuple[int, int]:
        if "range" not in self.headers:
            return 0, size_bytes
        first, _, last = self.headers["range"].removeprefix("bytes=").partition("-")
        return int(first), min(int(last) + 1, size_bytes)

    def _reply_json(self, data: Any) -> None:
        self._reply(200, json.dumps(data).encode())

    def _reply(self, code: int, body: bytes, **headers: str) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def blob_id(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def _sibling(name: str, data: bytes) -> dict[str, Any]:
    sibling: dict[str, Any] = {"rfilename": name, "size": len(data), "blobId": blob_id(data)}
    if len(data) >= LARGE_BYTES:
        sibling["lfs"] = {"size": len(data), "sha256": hashlib.sha256(data).hexdigest(), "pointerSize": 134}
    return sibling
