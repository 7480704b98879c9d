"""Where a licence is told, and that a damaged file tells none."""

from pathlib import Path

import pytest

from engine.convert.sources.license import read_license


def card(folder: Path, head: str) -> Path:
    (folder / "README.md").write_text(f"---\n{head}\n---\n# A model\nlicense: none of these lines\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("head", "told"),
    [
        ("license: apache-2.0", "apache-2.0"),
        ("language:\n- en\n- de\nlicense: 'mit'  # of the weights\ntags:\n- x", "mit"),
        ("license: other\nlicense_name: qwen-research\nlicense_link: LICENSE", "qwen-research"),
        ("license: other", "other"),
        ("license:\n- mit\n- cc-by-4.0", "mit, cc-by-4.0"),
        ("extra:\n  license: nested", None),
        ("license:", None),
    ],
)
def test_the_head_of_the_readme_tells_it(tmp_path: Path, head: str, told: str | None) -> None:
    assert read_license(card(tmp_path, head), {}) == told


def test_the_models_own_keys_come_first(tmp_path: Path) -> None:
    card(tmp_path, "license: mit")
    assert read_license(tmp_path, {"license": "llama3"}) == "llama3"
    keys = {"general.license": "other", "general.license.name": "gemma"}
    assert read_license(tmp_path, keys, "general.") == "gemma"
    assert read_license(tmp_path, {"license": 7}) == "mit"


def test_without_a_readme_the_licence_itself_tells_its_name(tmp_path: Path) -> None:
    (tmp_path / "LICENSE").write_text("\n\n            Apache License\n      Version 2.0, January 2004\n")
    assert read_license(tmp_path, {}) == "Apache License"


@pytest.mark.parametrize("content", [b"", b"---", b"---\n- \xff\xfe\x00", b"---\nlicense: \x00\x01", b"\x00" * 100_000])
def test_a_damaged_readme_tells_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "README.md").write_bytes(content)
    assert read_license(tmp_path, {}) is None


def test_nothing_tells_nothing(tmp_path: Path) -> None:
    assert read_license(tmp_path / "none", {}) is None
