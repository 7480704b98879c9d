"""Whatever happens on the way, the file is right or not there; and nothing is downloaded twice without need."""

import random
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import (
    DownloadError,
    EngineError,
    GatedError,
    JobCancelledError,
    NoRoomError,
    OfflineError,
    RateLimitError,
    RepositoryError,
)
from engine.hub import partial_file
from engine.hub.client import HubClient
from engine.hub.partial_file import PartialFile
from engine.hub.transfer import Transfer, TransferLimits
from tests.engine.hub.hub_server import (
    LARGE_BYTES,
    TOKEN,
    Compressed,
    Drop,
    HubServer,
    NoRange,
    OtherRange,
    OtherTag,
    Short,
    Stall,
    Status,
    Trickle,
    Wrong,
)

REPO = "maker/model-GGUF"
BIG, SMALL = "big.gguf", "config.json"
DATA = random.Random(1).randbytes(300_000)
TEXT = b'{"a": 1}'
LIMITS = TransferLimits(segment_bytes=100_000, stall_s=20.0, max_attempts=4)


@pytest.fixture(autouse=True)
def _files(hub: HubServer) -> None:
    assert len(DATA) > LARGE_BYTES > len(TEXT)
    hub.add(REPO, {BIG: DATA, SMALL: TEXT, "empty": b""})


class Download:
    """One attempt to get the files, with nothing waited for."""

    def __init__(self, folder: Path, *paths: str, token: str | None = None) -> None:
        client = HubClient(token)
        facts = client.inspect(REPO)
        self.files = [PartialFile(client.expected_file(facts, path, folder)) for path in paths or (BIG,)]
        self.origin = client.origin(facts)
        self.done: list[int] = []
        self.reasons: list[str] = []
        self.waits_s: list[float] = []

    def run(self, is_cancelled: Callable[[], bool] = lambda: False, limits: TransferLimits = LIMITS) -> None:
        transfer = Transfer(
            self.origin, self.files, self.done.append, self.reasons.append, is_cancelled, limits, self._sleep
        )
        transfer.run()
        for file in self.files:
            file.finish()

    async def _sleep(self, duration_s: float) -> None:
        self.waits_s.append(duration_s)


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*")) if folder.exists() else []


def test_files_arrive_in_ranges_and_nothing_else_stays(hub: HubServer, folder: Path) -> None:
    download = Download(folder, SMALL, BIG, "empty")
    download.run()
    assert (folder / BIG).read_bytes() == DATA
    assert (folder / SMALL).read_bytes() == TEXT
    assert names(folder) == [BIG, SMALL, "empty"]
    ranges = sorted(headers["range"] for headers in hub.downloads())
    assert ranges == ["bytes=0-99999", "bytes=100000-199999", "bytes=200000-299999"]
    assert download.done[-1] == len(DATA) + len(TEXT)
    assert download.waits_s == []


def test_the_token_goes_to_the_hub_and_never_to_its_storage(hub: HubServer, folder: Path) -> None:
    Download(folder, token=TOKEN).run()
    assert {headers.get("authorization") for headers in hub.downloads("hub")} == {f"Bearer {TOKEN}"}
    assert {headers.get("authorization") for headers in hub.downloads("storage")} == {None}


@pytest.mark.parametrize("fault", [Drop(5000), Short(5000), Drop(0), Short(0)])
def test_a_broken_connection_goes_on_from_its_last_byte(hub: HubServer, folder: Path, fault: Drop | Short) -> None:
    hub.faults[BIG].append(fault)
    download = Download(folder)
    download.run(limits=TransferLimits(max_connections=1))
    assert (folder / BIG).read_bytes() == DATA
    _first, second = hub.downloads()
    start = int(second["range"].removeprefix("bytes=").partition("-")[0])
    assert start == fault.num_bytes
    # A try can meet the connection that is just being closed, and ask nothing with it.
    assert download.waits_s in ([1.0], [1.0, 2.0])


def test_waiting_follows_what_the_hub_asks_and_else_doubles(hub: HubServer, folder: Path) -> None:
    hub.faults[BIG] += [
        Status(429, {"Retry-After": "17"}),
        Status(500),
        Status(503),
    ]
    download = Download(folder)
    download.run(limits=TransferLimits(max_connections=1))
    assert download.waits_s == [17.0, 2.0, 4.0]
    assert "asked too often" in download.reasons[0]
    assert "out of order (status 500)" in download.reasons[1]
    assert (folder / BIG).read_bytes() == DATA


def test_what_stays_broken_ends_with_its_reason_and_keeps_what_is_there(hub: HubServer, folder: Path) -> None:
    hub.faults[BIG] += [Drop(7000), *[Status(503)] * 20]
    with pytest.raises(OfflineError, match="status 503"):
        Download(folder).run(limits=TransferLimits(max_connections=1, max_attempts=3))
    assert names(folder) == [f"{BIG}.partial", f"{BIG}.partial.json"]
    hub.faults[BIG].clear()
    again = Download(folder)
    assert again.files[0].gaps() == [(7000, len(DATA))]
    again.run()
    assert (folder / BIG).read_bytes() == DATA


def test_too_many_questions_in_a_row_end_as_a_rate_limit(hub: HubServer, folder: Path) -> None:
    hub.faults[BIG] += [Status(429, {"Retry-After": "3600"})] * 20
    download = Download(folder)
    with pytest.raises(RateLimitError, match="in 3600 s"):
        download.run()
    assert set(download.waits_s) == {300.0}


def test_a_silent_connection_is_made_anew(hub: HubServer, folder: Path) -> None:
    hub.faults[BIG].append(Stall(5000))
    download = Download(folder)
    download.run(limits=TransferLimits(max_connections=1, stall_s=0.2))
    assert (folder / BIG).read_bytes() == DATA
    assert len(download.waits_s) == 1


def test_a_connection_that_trickles_is_made_anew(hub: HubServer, folder: Path) -> None:
    hub.faults[BIG].append(Trickle())
    download = Download(folder)
    download.run(limits=TransferLimits(max_connections=1, stall_s=0.3))
    assert (folder / BIG).read_bytes() == DATA
    assert len(download.waits_s) == 1


def test_a_wrong_file_is_refused_and_removed(hub: HubServer, folder: Path) -> None:
    hub.faults[BIG].append(Wrong())
    with pytest.raises(DownloadError, match=r"big\.gguf has the checksum .* must have"):
        Download(folder).run()
    assert names(folder) == []
    Download(folder).run()
    assert (folder / BIG).read_bytes() == DATA


def test_a_small_wrong_file_is_refused_by_its_git_name(hub: HubServer, folder: Path) -> None:
    hub.faults[SMALL].append(Wrong())
    with pytest.raises(DownloadError, match="checksum"):
        Download(folder, SMALL).run()
    assert names(folder) == []


def test_a_file_that_changes_meanwhile_is_refused(hub: HubServer, folder: Path) -> None:
    hub.faults[BIG] += [Drop(5000), OtherTag()]
    with pytest.raises(DownloadError, match="changed on the hub"):
        Download(folder).run(limits=TransferLimits(max_connections=1))
    assert names(folder) == []


@pytest.mark.parametrize("num_connections", [1, 4])
def test_a_server_without_ranges_sends_the_file_once_whole(hub: HubServer, folder: Path, num_connections: int) -> None:
    hub.faults[BIG] += [NoRange()] * 10
    download = Download(folder)
    download.run(limits=TransferLimits(max_connections=num_connections, segment_bytes=100_000))
    assert (folder / BIG).read_bytes() == DATA
    assert download.done[-1] == len(DATA)


def test_a_server_without_ranges_that_breaks_off_is_asked_again(hub: HubServer, folder: Path) -> None:
    hub.faults[BIG] += [NoRange(9000), NoRange(150_000), *[NoRange()] * 10]
    Download(folder).run()
    assert (folder / BIG).read_bytes() == DATA


@pytest.mark.parametrize(
    ("fault", "words"), [(OtherRange(), r"answers with bytes \d+-\d+/300000 for"), (Compressed(), "compressed")]
)
def test_an_answer_that_makes_no_sense_is_told(
    hub: HubServer, folder: Path, fault: OtherRange | Compressed, words: str
) -> None:
    hub.faults[BIG] += [fault] * 10
    with pytest.raises(DownloadError, match=words):
        Download(folder).run()


def test_an_address_of_the_storage_that_has_run_out_is_asked_for_anew(hub: HubServer, folder: Path) -> None:
    hub.faults[BIG].append(Status(403))
    Download(folder).run()
    assert (folder / BIG).read_bytes() == DATA


def test_a_file_that_is_gone_is_told(hub: HubServer, folder: Path) -> None:
    download = Download(folder)
    del hub.repositories[REPO].files[BIG]
    with pytest.raises(RepositoryError, match="no longer has the file"):
        download.run()


def test_a_gate_that_closes_is_told_with_its_page(hub: HubServer, folder: Path) -> None:
    download = Download(folder)
    hub.repositories[REPO].gate = "manual"
    with pytest.raises(GatedError, match=f"{hub.url}/{REPO}"):
        download.run()


def test_cancelled_while_nothing_comes_it_stops_at_once_and_goes_on_later(hub: HubServer, folder: Path) -> None:
    hub.faults[BIG] += [Stall(5000)] * 4
    cancelled = threading.Event()

    def cancel_once_stalled() -> None:
        for _ in range(3):
            assert hub.stalled.acquire(timeout=60)
        cancelled.set()

    watcher = threading.Thread(target=cancel_once_stalled)
    watcher.start()
    download = Download(folder)
    with pytest.raises(JobCancelledError):
        download.run(cancelled.is_set, TransferLimits(segment_bytes=100_000, stall_s=600))
    watcher.join()
    assert names(folder) == [f"{BIG}.partial", f"{BIG}.partial.json"]
    hub.faults[BIG].clear()
    again = Download(folder)
    assert again.files[0].ranges.num_bytes == 15_000
    again.run()
    assert (folder / BIG).read_bytes() == DATA


def test_a_full_disk_ends_it_and_what_was_written_counts(
    hub: HubServer, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    download = Download(folder)
    with monkeypatch.context() as patch:
        patch.setattr(PartialFile, "write", full_after(150_000))
        with pytest.raises(NoRoomError, match="disk is full"):
            download.run(limits=TransferLimits(max_connections=1))
    again = Download(folder)
    assert 0 < again.files[0].ranges.num_bytes <= 150_000
    again.run()
    assert (folder / BIG).read_bytes() == DATA


def full_after(num_bytes: int) -> Callable[[PartialFile, int, bytes], None]:
    """A disk with so much room."""
    real_write = PartialFile.write
    left_bytes = num_bytes

    def write(self: PartialFile, offset: int, data: bytes) -> None:
        nonlocal left_bytes
        left_bytes -= len(data)
        if left_bytes < 0:
            raise NoRoomError("The disk is full", self.path.parent)
        real_write(self, offset, data)

    return write


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.integers(0, 5000).map(Drop),
            st.integers(0, 5000).map(Short),
            st.integers(0, 5000).map(NoRange),
            st.sampled_from([Status(500), Status(429), Status(403), NoRange(), Wrong(), OtherTag()]),
        ),
        max_size=12,
    ),
    st.integers(1, 4),
    st.integers(500, 6000),
)
def test_interrupted_anywhere_any_number_of_times_the_file_is_right_or_not_there(
    tmp_path_factory: pytest.TempPathFactory, faults: list, num_connections: int, segment_bytes: int
) -> None:
    with HubServer() as hub, pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_ENDPOINT", hub.url)
        data = DATA[:5000]
        hub.add(REPO, {BIG: data})
        hub.faults[BIG] += faults
        folder = tmp_path_factory.mktemp("download")
        limits = TransferLimits(num_connections, segment_bytes, max_attempts=2)
        for _ in range(len(faults) + 2):
            try:
                Download(folder).run(limits=limits)
                break
            except EngineError:
                assert not (folder / BIG).exists()
        assert (folder / BIG).read_bytes() == data
        assert names(folder) == [BIG]


def test_a_record_that_tells_nonsense_only_means_a_new_start(hub: HubServer, folder: Path) -> None:
    folder.mkdir()
    (folder / f"{BIG}{partial_file.PARTIAL_SUFFIX}").write_bytes(b"x" * 100)
    for text in ("", "[]", "{}", '{"digest": 1}', '{"digest":null,"size_bytes":3,"ranges":[[5,1]]}'):
        (folder / f"{BIG}{partial_file.RECORD_SUFFIX}").write_text(text)
        assert Download(folder).files[0].ranges.num_bytes == 0
    Download(folder).run()
    assert (folder / BIG).read_bytes() == DATA
