"""What is attacked: each target takes a source of chance and an empty folder, and raises if something is amiss.

Knows nothing of how often and how long.
"""

from __future__ import annotations

import atexit
import json
import shutil
import struct
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from random import Random
from tempfile import mkdtemp
from typing import Any
from unittest.mock import Mock

from engine.commands.inspection import inspect_model
from engine.convert.pipeline import Conversion, convert_file
from engine.hub.client import HubClient
from engine.hub.discovery import Places, discover
from engine.hub.selection import choose
from engine.jobs import model_care
from engine.jobs.hub_spec import require_runnable, with_spec
from engine.messages import CleanUp, DeleteModel, EmptyTrash, MoveJob, RenameModel, RestoreModel, VerifyJob
from engine.store.checkpoint import Checkpoint
from engine.store.library import Library
from engine.text.template import choose_template
from engine.text.tokenizer import Tokenizer
from tests.engine.convert.hf_folders import llama_folder
from tests.engine.store.checkpoints import make_checkpoint
from tests.engine.tiny_models import split_gguf, tiny_gguf
from tests.fuzz.guard import settled
from tests.fuzz.mutation import any_json, changed_bytes, changed_json, nested

Target = Callable[[Random, Path], None]
_TEXT = "Hello, wörld 模型 👩‍🚀 <|im_start|> \x00 " + "a" * 40


def gguf_file(random: Random, folder: Path) -> None:
    """Cut, flipped and rewritten bytes of a whole file, header first."""
    whole = _ggufs()[random.randrange(len(_ggufs()))]
    path = folder / "in" / "tiny.gguf"
    path.parent.mkdir()
    path.write_bytes(changed_bytes(random, whole, header_bytes=20_000))
    discover(Places(folders=(folder,)))
    _convert_and_use(path, folder / "home")


def gguf_metadata(random: Random, folder: Path) -> None:
    """A well-formed file whose keys say anything."""
    tiny = tiny_gguf(random.choice(("llama", "qwen2")))
    for key in random.sample(sorted(tiny.metadata), random.randint(1, 3)):
        tiny.metadata[key] = random.choice((2**31, 2**32 - 1, 0, 1, 3.5, float("nan"), True, "x", "a" * 3000, None))
    if random.random() < 0.3:
        name = random.choice(sorted(tiny.tensors))
        tiny.tensors[random.choice(("../evil", "blk.9.attn_q.weight", name + "x"))] = tiny.tensors.pop(name)
    path = folder / "in" / "tiny.gguf"
    path.parent.mkdir()
    try:
        tiny.write(path)
    except (TypeError, ValueError, AttributeError, struct.error):
        return  # The library that writes such files takes no such value.
    _convert_and_use(path, folder / "home")


def split_model(random: Random, folder: Path) -> None:
    """A model in parts of which one is damaged, missing or another's."""
    parts = split_gguf(_made(folder / "in"), 3)
    part = random.choice(parts)
    match random.randrange(3):
        case 0:
            part.write_bytes(changed_bytes(random, part.read_bytes(), 20_000))
        case 1:
            part.unlink()
        case _:
            part.write_bytes(random.choice(parts).read_bytes())
    _convert_and_use(random.choice((parts[0], folder / "in")), folder / "home")


def safetensors_file(random: Random, folder: Path) -> None:
    source = _hf_folder(random, folder)
    path = source / random.choice(sorted(each.name for each in source.glob("*.safetensors*")))
    data = path.read_bytes()
    if path.suffix == ".json":
        path.write_text(json.dumps(changed_json(random, json.loads(data))))
    elif random.random() < 0.5:
        length = int.from_bytes(data[:8], "little")
        header = json.dumps(changed_json(random, json.loads(data[8 : 8 + length]))).encode()
        path.write_bytes(len(header).to_bytes(8, "little") + header + data[8 + length :])
    else:
        path.write_bytes(changed_bytes(random, data, header_bytes=2000))
    _convert_and_use(source, folder / "home")


def texts(random: Random, folder: Path) -> None:
    """config.json, tokenizer.json and the other texts beside the weights."""
    source = _hf_folder(random, folder)
    path = source / random.choice(("config.json", "tokenizer.json", "tokenizer.json", "tokenizer_config.json"))
    value = json.loads(path.read_text(encoding="utf-8"))
    match random.randrange(4):
        case 0:
            path.write_bytes(changed_bytes(random, path.read_bytes()))
        case 1 if random.random() < 0.1:
            path.write_text(nested(100_000))
        case _:
            # Lone surrogates stay escaped.
            path.write_text(json.dumps(changed_json(random, value)))
    _convert_and_use(source, folder / "home")


def manifest(random: Random, folder: Path) -> None:
    """A model of the library whose manifest and other small files say anything, and all that is done with models."""
    home = folder / "home"
    model = home / "models" / "a"
    shutil.copytree(_checkpoint(), model)
    path = model / random.choice(("manifest.json",) * 4 + ("generation.json", "tokenizer.json"))
    if random.random() < 0.2:
        path.write_bytes(changed_bytes(random, path.read_bytes()))
    else:
        path.write_text(json.dumps(changed_json(random, json.loads(path.read_text()))))
    if random.random() < 0.2:
        (home / "models" / "folders.json").write_text(json.dumps({"format_version": 1, "folders": any_json(random)}))
    if random.random() < 0.2:
        (model / "prepared.bin").write_bytes(random.randbytes(5000))
    for entry in Library(home / "models").list():
        settled(partial(inspect_model, entry))
        settled(partial(_use, entry.path))
    _care(random, home, folder / "place")


def hub_answer(random: Random, folder: Path) -> None:
    """Facts, search results and configs that no hub would send: nothing may be put outside of the work folder."""
    client = _HostileClient({path: changed_json(random, answer) for path, answer in _HUB_ANSWERS.items()})
    settled(lambda: client.search("x", 5))

    def follow() -> None:
        facts = client.inspect("maker/model")
        settled(lambda: with_spec(client, facts))
        for choice in facts.choices:
            settled(partial(require_runnable, client, facts, choice))
            settled(partial(choose, facts, (choice.label,)))
            for path in choice.paths:
                target = client.expected_file(facts, path, folder / "work").target
                assert (folder / "work").resolve() in target.resolve().parents, target

    settled(follow)


TARGETS: dict[str, Target] = {
    target.__name__: target
    for target in (gguf_file, gguf_metadata, split_model, safetensors_file, texts, manifest, hub_answer)
}


def _convert_and_use(source: Path, home: Path) -> None:
    """Whatever was made is listed, whole and can be run; otherwise nothing is listed."""
    is_made = settled(lambda: convert_file(home, Conversion(source, "made"), lambda *_: None, lambda: False))
    listed = Library(home / "models").list()
    assert len(listed) == is_made, listed
    for entry in listed:
        Checkpoint.open(entry.path).verify()
        settled(partial(_use, entry.path))


def _use(path: Path) -> None:
    """Raises `EngineError` for what cannot be used."""
    checkpoint = Checkpoint.open(path)
    checkpoint.read_embedding()
    for index in range(checkpoint.manifest.spec.num_layers):
        checkpoint.read_layer(index)
    checkpoint.read_head()
    tokenizer = Tokenizer(checkpoint.tokenizer_path, checkpoint.manifest.bos_token_id, checkpoint.manifest.adds_bos)
    tokenizer.encode(_TEXT)
    tokenizer.decode(range(min(1000, checkpoint.manifest.spec.vocab_size)))
    settled(lambda: choose_template(checkpoint.chat_template, "", "", has_chatml=True))


def _care(random: Random, home: Path, place: Path) -> None:
    actions: list[Callable[[], object]] = [
        lambda: model_care.rename(home, RenameModel("a", random.choice(("b", "../x", "ü")))),
        lambda: model_care.move(home, MoveJob("a", str(place)), lambda *_: None, lambda: False),
        lambda: model_care.verify(home, VerifyJob("a"), lambda *_: None, lambda: False),
        lambda: model_care.delete(home, DeleteModel("a", random.random() < 0.3)),
        lambda: [
            model_care.restore(home, RestoreModel(item.trash_id or ""))
            for item in model_care.storage(home).items
            if item.kind == "trash"
        ],
        lambda: model_care.empty_trash(home, EmptyTrash()),
        lambda: model_care.clean_up(home, CleanUp()),
    ]
    for action in random.sample(actions, len(actions)):
        settled(action)


class _HostileClient(HubClient):
    """Answers by itself, from answers by the path that is asked for."""

    def __init__(self, answers: dict[str, Any]) -> None:
        super().__init__()
        self._answers = answers

    def _ask(self, path: str, about: str, params: object = None) -> Any:
        answer = next(answer for part, answer in self._answers.items() if part in path)
        return Mock(content=json.dumps(answer).encode())


_FACTS = {
    "id": "maker/model",
    "sha": "c" * 40,
    "gated": False,
    "tags": ["gguf", "license:mit", "base_model:maker/base"],
    "downloads": 12345,
    "lastModified": "2025-01-31T10:00:00.000Z",
    "gguf": {"total": 135, "architecture": "llama"},
    "safetensors": {"parameters": {"F32": 5}, "total": 5},
    "config": {"model_type": "llama"},
}
_FILES = (
    "config.json",
    "tokenizer.json",
    "model.safetensors",
    "m-Q4_0.gguf",
    "b-00001-of-00002.gguf",
    "sub/m-Q8_0.gguf",
)
_LFS = {"sha256": "a" * 64, "size": 1000, "pointerSize": 1}
_SIBLINGS = [{"rfilename": name, "size": 1000, "blobId": "b" * 40, "lfs": _LFS} for name in _FILES]
_HUB_ANSWERS: dict[str, Any] = {
    "/resolve/": {
        "architectures": ["LlamaForCausalLM"],
        "hidden_size": 64,
        "num_hidden_layers": 2,
        "vocab_size": 300,
        "num_attention_heads": 4,
        "intermediate_size": 128,
        "quantization_config": {"quant_method": "gptq", "bits": 4},
    },
    "/auth-check": {},
    "/api/models/": _FACTS | {"siblings": _SIBLINGS},
    "/api/models": [_FACTS, _FACTS],
}


def _temporary() -> Path:
    """A folder for what all examples of this process start from."""
    folder = Path(mkdtemp(prefix="fuzz-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _hf_folder(random: Random, folder: Path) -> Path:
    return Path(shutil.copytree(_hf_folders()[random.randrange(2)], folder / "in"))


@cache
def _hf_folders() -> tuple[Path, ...]:
    place = _temporary()
    return tuple(llama_folder().write(place / str(shards), shards) for shards in (1, 2))


@cache
def _ggufs() -> tuple[bytes, ...]:
    place = _temporary()
    tinies = (tiny_gguf("llama"), tiny_gguf("qwen2"), tiny_gguf("llama", is_tied=False))
    return tuple(tiny.write(place / f"{number}.gguf").read_bytes() for number, tiny in enumerate(tinies))


@cache
def _checkpoint() -> Path:
    return make_checkpoint(_temporary() / "a")


def prepare() -> None:
    """Make what the targets start from, before anybody watches what is written."""
    _hf_folders(), _ggufs(), _checkpoint()
