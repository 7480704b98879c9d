"""What all engine tests share."""

import pytest
import torch


@pytest.fixture(autouse=True, scope="session")
def _one_torch_thread() -> None:
    """On tiny tensors threads wait for each other longer than they compute."""
    torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests survive no power failure, and waiting for the disk is most of the time of writing a tiny model."""
    monkeypatch.setattr("os.fsync", lambda descriptor: None)
