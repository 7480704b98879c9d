"""Damaged and hostile folders: one clear error or a model, no crash, and nothing outside of the folder is touched."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.convert.opening import open_source
from engine.convert.pipeline import Conversion, convert_file
from engine.convert.sources.safetensors_file import read_table
from engine.errors import EngineError
from tests.engine.convert.hf_folders import llama_folder
from tests.engine.convert.packed_models import pack_model

QUIET = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
SCALARS = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=12)
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return llama_folder().write(tmp_path_factory.mktemp("fuzz") / "model")


def assert_done_or_refused(action: Callable[[], object]) -> None:
    message = ""
    try:
        action()
    except EngineError as error:
        message = str(error)
    assert "\n" not in message


def convert(folder: Path) -> None:
    with open_source(folder) as source:
        pack_model(source)


def convert_or_refuse(folder: Path) -> None:
    assert_done_or_refused(lambda: convert(folder))


ENTRIES = st.fixed_dictionaries(
    {},
    optional={
        "dtype": st.sampled_from(["F32", "BF16", "U8", "F8_E4M3", "Q4", ""]) | SCALARS,
        "shape": st.lists(st.integers(-1, 2**62), max_size=5) | JSON,
        "data_offsets": st.lists(st.integers(-1, 2**62), min_size=1, max_size=3) | JSON,
    },
)


@QUIET
@given(header=st.dictionaries(st.text(max_size=20), ENTRIES | JSON, max_size=4) | JSON, data=st.binary(max_size=64))
def test_any_header_gives_a_table_or_an_error(tmp_path: Path, header: Any, data: bytes) -> None:
    text = json.dumps(header).encode()
    path = tmp_path / "model.safetensors"
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
    assert_done_or_refused(lambda: [tensor.read() for tensor in read_table(path).values()])


@QUIET
@given(content=st.binary(max_size=200), length=st.integers(0, 2**64 - 1))
def test_any_bytes_give_a_table_or_an_error(tmp_path: Path, content: bytes, length: int) -> None:
    path = tmp_path / "model.safetensors"
    for data in (content, length.to_bytes(8, "little") + content, len(content).to_bytes(8, "little") + content):
        path.write_bytes(data)
        assert_done_or_refused(lambda: read_table(path))


@QUIET
@given(data=st.data())
def test_changed_bytes_of_weights_give_a_model_or_an_error(folder: Path, data: st.DataObject) -> None:
    path = folder / "model.safetensors"
    whole = path.read_bytes()
    changed = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 3))):
        changed[data.draw(st.integers(0, 4000))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.sampled_from([len(changed), len(changed) - 1, 100, 7]))
    try:
        path.write_bytes(changed[:cut])
        convert_or_refuse(folder)
    finally:
        path.write_bytes(whole)


CONFIG_KEYS = (
    "architectures", "model_type", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads",
    "num_key_value_heads", "vocab_size", "max_position_embeddings", "rms_norm_eps", "head_dim", "rope_scaling",
    "rope_theta", "eos_token_id", "bos_token_id", "tie_word_embeddings", "quantization_config", "text_config",
    "hidden_act", "sliding_window", "layer_types",
)  # fmt: skip


@QUIET
@given(changes=st.dictionaries(st.sampled_from(CONFIG_KEYS), JSON, min_size=1, max_size=3))
def test_any_value_in_the_config_gives_a_model_or_an_error(folder: Path, changes: dict[str, Any]) -> None:
    path = folder / "config.json"
    whole = path.read_text()
    try:
        path.write_text(json.dumps(json.loads(whole) | changes))
        convert_or_refuse(folder)
    finally:
        path.write_text(whole)


SECTION_KEYS = ("bits", "group_size", "format", "version", "config_groups", "weight_block_size", "packing_format")
QUANTIZATION = st.fixed_dictionaries(
    {"quant_method": st.sampled_from(["gptq", "awq", "auto-round", "compressed-tensors", "bitsandbytes", "fp8"])},
    optional=dict.fromkeys(SECTION_KEYS, JSON),
)


@QUIET
@given(section=QUANTIZATION)
def test_any_quantisation_section_gives_a_model_or_an_error(folder: Path, section: dict[str, Any]) -> None:
    path = folder / "config.json"
    whole = path.read_text()
    try:
        path.write_text(json.dumps(json.loads(whole) | {"quantization_config": section}))
        convert_or_refuse(folder)
    finally:
        path.write_text(whole)


@QUIET
@given(
    settings_text=st.dictionaries(
        st.sampled_from(["bos_token", "eos_token", "add_bos_token", "chat_template", "added_tokens_decoder"]), JSON
    )
)
def test_any_tokenizer_settings_give_a_model_or_an_error(folder: Path, settings_text: dict[str, Any]) -> None:
    path = folder / "tokenizer_config.json"
    whole = path.read_text()
    try:
        path.write_text(json.dumps(settings_text))
        convert_or_refuse(folder)
    finally:
        path.write_text(whole)


@QUIET
@given(name=st.text(max_size=30) | st.sampled_from(["../x", "/tmp/x", "C:\\x", "..", "a/../../b", "\0", "x" * 400]))
def test_no_name_leads_out_of_the_library(tmp_path: Path, name: str) -> None:
    source = llama_folder().write(tmp_path / "source")
    home = tmp_path / "home"
    before = {path for path in tmp_path.rglob("*") if home not in path.parents}
    assert_done_or_refused(lambda: convert_file(home, Conversion(source, name), lambda *_: None, lambda: True))
    assert {path for path in tmp_path.rglob("*") if home not in path.parents} - {home} == before - {home}


def test_links_are_read_and_never_written_through(tmp_path: Path) -> None:
    """The hub's cache is a folder of links: what they point to must stay as it is."""
    real = llama_folder().write(tmp_path / "blobs")
    linked = tmp_path / "snapshot"
    linked.mkdir()
    for path in real.iterdir():
        (linked / path.name).symlink_to(path)
    before = {path.name: path.read_bytes() for path in real.iterdir()}
    convert_file(tmp_path / "home", Conversion(linked, "linked"), lambda *progress: None, lambda: False)
    assert {path.name: path.read_bytes() for path in real.iterdir()} == before
