"""As much of a file is fetched as is looked at, whatever the server does; and no more than a header can have."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.errors import DownloadError, EngineError, GatedError, JobCancelledError, OfflineError, SourceError
from engine.hub import remote_file
from engine.hub.client import HubClient
from engine.hub.remote_file import RemoteFile
from tests.engine.hub.hub_server import (
    TOKEN,
    Compressed,
    Drop,
    Fault,
    HubServer,
    NoRange,
    OtherRange,
    OtherTag,
    Short,
    Stall,
    Status,
)

REPO, NAME = "maker/model-GGUF", "big.gguf"
DATA = random.Random(1).randbytes(300_000)
FIRST = 10_000


@pytest.fixture(autouse=True)
def _file(hub: HubServer) -> None:
    hub.add(REPO, {NAME: DATA})


def opened(is_cancelled: Callable[[], bool] = lambda: False, token: str | None = None) -> RemoteFile:
    client = HubClient(token)
    facts = client.inspect(REPO)
    return RemoteFile(client.origin(facts), client.expected_file(facts, NAME, Path()), is_cancelled, FIRST)


def ranges(hub: HubServer) -> list[str]:
    return [headers["range"] for headers in hub.downloads()]


def test_ranges_grow_with_what_is_read(hub: HubServer) -> None:
    with opened() as file:
        assert hub.downloads() == []
        assert file.read(4) + file.read(9_996) == DATA[:FIRST]
        assert ranges(hub) == ["bytes=0-9999"]
        assert file.read(25_000) == DATA[10_000:35_000]
        file.seek(5)
        assert file.read(3) == DATA[5:8]
    assert ranges(hub) == ["bytes=0-9999", "bytes=10000-34999"]


def test_what_lies_far_behind_is_fetched_for_itself(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_file, "_MAX_STEP_BYTES", 20_000)
    monkeypatch.setattr(remote_file, "_MAX_FAR_BYTES", 1_000)
    with opened() as file:
        file.read(8)
        file.seek(250_000)
        assert file.read(100) == DATA[250_000:250_100]
        file.seek(250_000)
        with pytest.raises(SourceError, match="1001 bytes of factors"):
            file.read(1_001)
    assert ranges(hub) == ["bytes=0-9999", "bytes=250000-250099"]


def test_a_header_without_an_end_is_given_up(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_file, "MAX_BYTES", 50_000)
    with opened() as file:
        assert len(file.read(50_000)) == 50_000
        with pytest.raises(SourceError, match="more than 50000 bytes"):
            file.read(1)
        assert file.num_fetched_bytes == 50_000


def test_a_server_that_knows_no_ranges_is_read_no_further_than_needed(
    hub: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = random.Random(2).randbytes(30_000_000)
    hub.add(REPO, {NAME: data})
    hub.faults[NAME].extend([NoRange()] * 2)
    with opened() as file:
        assert file.read(20_000) == data[:20_000]
        assert file.read(500_000) == data[20_000:520_000]
        assert file.num_fetched_bytes < 2_000_000
        monkeypatch.setattr(remote_file, "_MAX_STEP_BYTES", 20_000)
        assert len(hub.downloads()) == 1
        file.seek(29_000_000)
        with pytest.raises(DownloadError, match="sends no parts"):
            file.read(8)


def test_what_breaks_off_goes_on_where_it_was(hub: HubServer) -> None:
    hub.faults[NAME].extend([Drop(4_000), Short(3_000), NoRange(9_000), NoRange()])
    with opened() as file:
        assert file.read(40_000) == DATA[:40_000]
    # A kept connection that is being closed may cost a request more.
    assert list(dict.fromkeys(ranges(hub))) == [f"bytes={start}-39999" for start in (0, 4_000, 7_000, 9_000)]


def test_what_gives_nothing_more_is_asked_for_once_more_and_then_told(hub: HubServer) -> None:
    hub.faults[NAME].extend([Drop(4_000), Drop(0)])
    with opened() as file:
        assert file.read(40_000) == DATA[:40_000]
    hub.faults[NAME].extend([Drop(4_000), Drop(0), Drop(0), Drop(0)])
    with opened() as file, pytest.raises(OfflineError, match="broke off"):
        file.read(40_000)


@pytest.mark.parametrize(
    ("fault", "kind", "message"),
    [
        (Drop(0), OfflineError, "broke off"),
        (Status(503), OfflineError, "out of order"),
        (Status(403), OfflineError, "storage refuses"),
        (OtherTag(), DownloadError, "has changed on the hub"),
        (OtherRange(), DownloadError, "answers with bytes 1-"),
        (Compressed(), DownloadError, "compressed"),
    ],
)
def test_what_gives_nothing_is_told(hub: HubServer, fault: Fault, kind: type[EngineError], message: str) -> None:
    hub.faults[NAME].append(fault)
    with opened() as file, pytest.raises(kind, match=message):
        file.read(4)


def test_it_is_given_up_at_once(hub: HubServer) -> None:
    hub.faults[NAME].append(Stall(5_000))
    with opened(lambda: hub.stalled.acquire(blocking=False)) as file, pytest.raises(JobCancelledError):
        file.read(9_000)


def test_what_lies_far_behind_is_given_up_at_once_too(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_file, "_MAX_STEP_BYTES", 20_000)
    with opened(lambda: hub.stalled.acquire(blocking=False)) as file:
        file.read(8)
        hub.faults[NAME].append(Stall(50))
        file.seek(250_000)
        with pytest.raises(JobCancelledError):
            file.read(100)


def test_terms_and_token_are_those_of_a_download(hub: HubServer) -> None:
    hub.add(REPO, {NAME: DATA}, gate="manual")
    with opened() as file, pytest.raises(GatedError):
        file.read(4)
    with opened(token=TOKEN) as file:
        assert file.read(4) == DATA[:4]
    assert "authorization" not in hub.downloads()[-1]
