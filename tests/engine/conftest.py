"""What all engine tests share."""

import pytest


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests survive no power failure, and waiting for the disk is most of the time of writing a tiny model."""
    monkeypatch.setattr("os.fsync", lambda descriptor: None)
