"""Model ids are safe folder names on every system, whatever the display name was."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InvalidRequestError
from engine.store.names import MAX_ID_LENGTH, is_model_id, is_safe_name, lost_name_problem, model_id_of, name_problem


@pytest.mark.parametrize(
    ("name", "model_id"),
    [
        ("SmolLM2 135M Instruct", "smollm2-135m-instruct"),
        ("Qwen2.5 Coder (0.5B)", "qwen2.5-coder-0.5b"),
        ("SmolLM2-135M-Instruct.Q4_1", "smollm2-135m-instruct-q4_1"),
        ("Modèle léger", "modele-leger"),
        ("../../etc/passwd", "etc-passwd"),
        ("a.partial", "a-partial"),
        ("CON", "model-con"),
        ("com1.5", "model-com1.5"),
        ("通义千问", "model-800ee680"),
    ],
)
def test_a_name_becomes_a_readable_id(name: str, model_id: str) -> None:
    assert model_id_of(name) == model_id


@pytest.mark.parametrize("name", ["", "...", "🙂", "/", "--"])
def test_a_name_without_usable_letters_is_refused(name: str) -> None:
    with pytest.raises(InvalidRequestError, match="--name"):
        model_id_of(name)


@given(st.text(max_size=200))
def test_every_id_is_safe_and_its_own_id(name: str) -> None:
    try:
        model_id = model_id_of(name)
    except InvalidRequestError:
        return
    assert is_model_id(model_id)
    assert len(model_id) <= MAX_ID_LENGTH
    assert not set(model_id) & set('/\\:*?"<>| ')
    assert not model_id.endswith((".partial", ".", "-"))
    assert model_id_of(model_id) == model_id


@pytest.mark.parametrize("text", ["..", ".", "a/b", "a\\b", "A", "nul", "lpt1.2", "x.partial", "", "a" * 65, "a\n"])
def test_an_unsafe_id_is_told_apart(text: str) -> None:
    assert not is_model_id(text)


@pytest.mark.parametrize(
    "name", ["m.gguf", "模型", ".hidden", "a b", "console", "com10.txt", "auxiliary", "a-con", " a"]
)
def test_an_ordinary_name_is_safe(name: str) -> None:
    assert is_safe_name(name)


@pytest.mark.parametrize("name", ["", ".", "..", *(f"a{letter}b" for letter in '/\\:*?"<>|\0\n\x7f'), "a.", "a ", "C:"])
def test_a_name_that_some_system_refuses_is_not_safe(name: str) -> None:
    assert not is_safe_name(name)


@pytest.mark.parametrize(
    "name",
    ["CON", "con.txt", "Nul.tar.gz", "aux .txt", "COM1", "lpt9.gguf", "com².txt", "CONIN$", "conout$.log"],
)
def test_a_name_that_opens_a_device_is_not_safe(name: str) -> None:
    assert not is_safe_name(name)


@pytest.mark.parametrize("name", ["home \udcff", "\udcc3(", "h\ud800me"])
def test_a_folder_whose_name_is_no_text_says_so_in_text(name: str) -> None:
    problem = name_problem(Path("/data") / name / "models")
    assert problem is not None
    assert problem.startswith("The name ")
    assert problem.encode().endswith(b"has bytes that are no text (UTF-8)")
    assert name_problem(Path("/data/hömé 模型")) is None


def test_a_name_that_was_lost_on_the_way_is_told_from_a_file_that_is_missing(tmp_path: Path) -> None:
    (tmp_path / "really\ufffd.gguf").touch()
    assert lost_name_problem(tmp_path / "really\ufffd.gguf") is None
    assert lost_name_problem(tmp_path / "gone.gguf") is None
    problem = lost_name_problem(tmp_path / "other\ufffd.gguf")
    assert problem is not None
    assert "other\ufffd.gguf, its real name seems to have bytes that are no text" in problem
