"""Names and texts that are not UTF-8: converted all the same, or refused with the way to mend them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from engine.convert.pipeline import Conversion, convert_file
from engine.errors import SourceError
from engine.store.library import Library
from tests.engine.convert.hf_folders import llama_folder


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names of files are text")
def test_a_folder_whose_name_is_no_text_is_converted_all_the_same(tmp_path: Path) -> None:
    folder, home = llama_folder().write(tmp_path / "model\udcff"), tmp_path / "home"
    convert_file(home, Conversion(folder), lambda *progress: None, lambda: False)
    assert [model.name for model in Library(home / "models").list()] == ["model\ufffd"]


def test_a_template_that_is_no_text_says_how_to_mend_it(tmp_path: Path) -> None:
    folder = llama_folder().write(tmp_path / "model")
    (folder / "chat_template.jinja").write_bytes("{# für #}".encode("latin-1"))
    with pytest.raises(SourceError, match=r"chat_template\.jinja is no text in UTF-8: save it as UTF-8, or get"):
        convert_file(tmp_path / "home", Conversion(folder), lambda *progress: None, lambda: False)
    assert not Library(tmp_path / "home" / "models").list()
