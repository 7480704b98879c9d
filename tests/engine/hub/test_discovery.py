"""Models of other programs are found in their places, each once, and nothing there is touched."""

import json
import sys
from pathlib import Path

import pytest

from engine.hub.discovery import FoundModel, Places, discover, usual_places

CONTENT = b"GGUF" + bytes(96)


def put(path: Path, content: bytes = CONTENT) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def put_ollama(folder: Path, registry: str, owner: str, name: str, tag: str, digest: str = "sha256:ab12") -> Path:
    layers = [
        {"mediaType": "application/vnd.ollama.image.license", "digest": "sha256:ffff"},
        {"mediaType": "application/vnd.ollama.image.model", "digest": digest},
    ]
    put(folder / "manifests" / registry / owner / name / tag, json.dumps({"layers": layers}).encode())
    return folder / "blobs" / digest.replace(":", "-")


def test_each_program_s_models_are_found(tmp_path: Path) -> None:
    studio = put(tmp_path / "studio" / "maker" / "model-GGUF" / "m-Q4_0.gguf")
    put(tmp_path / "studio" / "maker" / "model-GGUF" / "mmproj-m-f16.gguf")
    parts = [put(tmp_path / "mine" / f"big-0000{part}-of-00002.gguf") for part in (1, 2)]
    put(tmp_path / "mine" / "half-00001-of-00002.gguf")
    blob = put(put_ollama(tmp_path / "ollama", "registry.example", "library", "qwen", "0.5b"))
    put(put_ollama(tmp_path / "ollama", "registry.example", "me", "own", "latest", "sha256:cd34"))
    cached = put(tmp_path / "hub" / "models--maker--model" / "snapshots" / "c0ffee" / "m-Q8_0.gguf")
    found = discover(
        Places((tmp_path / "studio",), (tmp_path / "ollama",), (tmp_path / "hub",), folders=(tmp_path / "mine",))
    )
    assert found == [
        FoundModel("Hugging Face cache", "m-Q8_0", cached, 100),
        FoundModel("LM Studio", "m-Q4_0", studio, 100),
        FoundModel("Ollama", "me/own:latest", tmp_path / "ollama" / "blobs" / "sha256-cd34", 100),
        FoundModel("Ollama", "qwen:0.5b", blob, 100),
        FoundModel("folder", "big", parts[0], 200),
    ]


def test_a_file_that_two_programs_know_is_told_once(tmp_path: Path) -> None:
    blob = put(put_ollama(tmp_path / "ollama", "r", "library", "qwen", "0.5b"))
    put_ollama(tmp_path / "ollama", "r", "library", "qwen", "latest")
    put(tmp_path / "linked" / "x")
    try:
        (tmp_path / "linked" / "same.gguf").symlink_to(blob)
    except OSError:
        pytest.skip("this system lets ordinary users make no links")
    found = discover(Places(ollama=(tmp_path / "ollama",), folders=(tmp_path / "linked",)))
    assert [model.name for model in found] == ["qwen:0.5b"]


@pytest.mark.parametrize(
    "manifest", [b"", b"[]", b"{}", b'{"layers": 3}', b'{"layers": [{"mediaType": 1, "digest": 2}]}', b"\xff\xfe"]
)
def test_a_manifest_that_makes_no_sense_is_passed_over(tmp_path: Path, manifest: bytes) -> None:
    put(tmp_path / "manifests" / "r" / "library" / "broken" / "latest", manifest)
    blob = put(put_ollama(tmp_path, "r", "library", "qwen", "0.5b"))
    assert [model.path for model in discover(Places(ollama=(tmp_path,)))] == [blob]


def test_a_manifest_that_points_out_of_the_folder_is_passed_over(tmp_path: Path) -> None:
    put(tmp_path / "secret")
    put_ollama(tmp_path / "ollama", "r", "library", "bad", "latest", "../../secret")
    assert discover(Places(ollama=(tmp_path / "ollama",))) == []


def test_what_is_no_gguf_or_is_not_there_is_passed_over(tmp_path: Path) -> None:
    put(tmp_path / "a.gguf", b"NOPE")
    put(tmp_path / "empty.gguf", b"")
    assert discover(Places(folders=(tmp_path, tmp_path / "nowhere"), lm_studio=(tmp_path / "nowhere",))) == []


def test_the_programs_own_variables_say_where_to_look(tmp_path: Path) -> None:
    variables = {"OLLAMA_MODELS": "/o", "HF_HOME": "/h", "LLAMA_CACHE": "/l"}
    places = usual_places(tmp_path, variables)
    assert Path("/o") in places.ollama
    assert places.hub_cache == (Path("/h/hub"),)
    assert places.llama_cpp == (Path("/l"),)
    assert usual_places(tmp_path, variables | {"HF_HUB_CACHE": "/c"}).hub_cache == (Path("/c"),)


def test_each_system_has_its_usual_places(tmp_path: Path) -> None:
    windows = usual_places(tmp_path, {"LOCALAPPDATA": str(tmp_path / "Local")}, "win32")
    assert windows.llama_cpp == (tmp_path / "Local" / "llama.cpp",)
    assert windows.ollama == (tmp_path / ".ollama" / "models",)
    mac = usual_places(tmp_path, {}, "darwin")
    assert mac.llama_cpp == (tmp_path / "Library" / "Caches" / "llama.cpp",)
    linux = usual_places(tmp_path, {}, "linux")
    assert Path("/usr/share/ollama/.ollama/models") in linux.ollama
    assert linux.hub_cache == (tmp_path / ".cache" / "huggingface" / "hub",)
    put(tmp_path / ".lmstudio-home-pointer", f"{tmp_path / 'moved'}\n".encode())
    assert usual_places(tmp_path, {}, sys.platform).lm_studio[0] == tmp_path / "moved" / "models"


def test_models_that_were_put_elsewhere_are_found_by_the_programs_settings(tmp_path: Path) -> None:
    put(tmp_path / ".lmstudio" / "settings.json", json.dumps({"downloadsFolder": str(tmp_path / "mine")}).encode())
    assert usual_places(tmp_path, {}).lm_studio[0] == tmp_path / "mine"
    put(tmp_path / ".lmstudio" / "settings.json", b"[" * 100_000)
    assert tmp_path / "mine" not in usual_places(tmp_path, {}).lm_studio
    assert usual_places(tmp_path, {"HUGGINGFACE_HUB_CACHE": "/h"}).hub_cache == (Path("/h"),)
