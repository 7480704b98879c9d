"""The catalogue's entries are complete and point inside the library."""

import pytest

from engine import catalog
from engine.errors import ModelNotFoundError
from engine.store.names import is_model_id


def test_every_entry_can_be_stored_and_checked() -> None:
    for entry in catalog.entries():
        assert is_model_id(entry.model_id)
        assert is_model_id(entry.catalog_id)
        assert len(bytes.fromhex(entry.sha256)) == 32
        assert entry.size_bytes > 0
        assert entry.download_bytes > 0
        assert entry.member.endswith(".gguf")


def test_an_unknown_entry_says_what_there_is() -> None:
    assert catalog.find("nope") is None
    with pytest.raises(ModelNotFoundError, match="choose one of starter"):
        catalog.require("nope")
