"""Jobs do not count on the same free bytes."""

from collections import namedtuple
from pathlib import Path

import pytest

from engine.errors import NoRoomError
from engine.store.reserve import DiskReserve

Usage = namedtuple("Usage", "total used free")


@pytest.fixture(autouse=True)
def _disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.store.files.shutil.disk_usage", lambda path: Usage(1 << 40, 0, 100 << 20))


def test_what_one_job_still_needs_is_not_free_for_another(tmp_path: Path) -> None:
    reserve = DiskReserve()
    with reserve.hold(tmp_path / "not" / "yet", 70 << 20) as hold:
        with pytest.raises(NoRoomError, match=r"Needs 41\.9 MB .* 104\.9 MB free, of which other jobs need 73\.4"):
            reserve.hold(tmp_path, 40 << 20).__enter__()
        hold.left_bytes = 50 << 20
        with reserve.hold(tmp_path, 40 << 20):
            pass
    with reserve.hold(tmp_path, 100 << 20):
        pass


def test_equal_holds_are_given_back_one_by_one(tmp_path: Path) -> None:
    reserve = DiskReserve()
    with reserve.hold(tmp_path, 40 << 20):
        with reserve.hold(tmp_path, 40 << 20):
            pass
        with pytest.raises(NoRoomError):
            reserve.hold(tmp_path, 70 << 20).__enter__()
