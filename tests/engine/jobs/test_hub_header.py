"""What a model on the hub is, told by the header of its file alone."""

import subprocess
import sys
from pathlib import Path

import gguf
import numpy as np
import pytest

from engine.convert.opening import open_source
from engine.errors import SourceError
from engine.hub import remote_file
from engine.hub.client import HubClient
from engine.jobs.hub_header import with_header
from engine.jobs.hub_spec import with_spec
from engine.messages import RepositoryFacts
from tests.engine.hub.hub_server import HubServer
from tests.engine.tiny_models import TinyGguf, TinyShape, split_gguf, tiny_gguf

REPO = "maker/odd-GGUF"


def told(hub: HubServer, files: dict[str, bytes]) -> RepositoryFacts:
    hub.add(REPO, files, tags=["gguf"])
    client = HubClient()
    facts = client.inspect(REPO)
    return with_header(client, facts, facts.choices[0], lambda: False)


def written(tmp_path: Path, tiny: TinyGguf | None = None) -> Path:
    return (tiny or tiny_gguf()).write(tmp_path / "odd-Q8_0.gguf")


def test_the_header_tells_what_the_whole_file_tells(
    hub: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.jobs.hub_header.FIRST_BYTES", 2_000)
    for is_tied in (True, False):
        path = written(tmp_path, tiny_gguf("qwen2", shape=TinyShape(hidden_size=512), is_tied=is_tied))
        hub.requests.clear()
        facts = told(hub, {"odd-Q4_0.gguf": path.read_bytes(), "odd-Q8_0.gguf": path.read_bytes()})
        with open_source(path) as source:
            assert facts.spec == source.spec
        fetched = [headers["range"].removeprefix("bytes=").split("-") for headers in hub.downloads()]
        assert len(fetched) > 1
        assert int(fetched[-1][1]) < path.stat().st_size // 10


def test_a_header_is_looked_at_without_torch(tmp_path: Path) -> None:
    """Its import takes a second and 190 MiB, which a process that only looks at models need not have."""
    code = """
import sys
from pathlib import Path
import engine.jobs.hub_header, engine.jobs.hub_spec
from engine.convert.sources.gguf_source import GgufSource
with GgufSource(Path(sys.argv[1]), is_outline=True) as source:
    assert source.spec.family == "qwen2"
sys.exit("torch" in sys.modules)
"""
    subprocess.run([sys.executable, "-c", code, str(written(tmp_path, tiny_gguf("qwen2")))], check=True)


def test_factors_of_the_rotation_are_read_where_they_lie(
    hub: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.jobs.hub_header.FIRST_BYTES", 2_000)
    monkeypatch.setattr(remote_file, "_MAX_STEP_BYTES", 4_000)
    tiny = tiny_gguf(shape=TinyShape(hidden_size=512))
    tiny.tensors["rope_freqs.weight"] = np.linspace(1, 8, 64, dtype=np.float32)
    path = written(tmp_path, tiny)
    facts = told(hub, {"odd-Q8_0.gguf": path.read_bytes()})
    with open_source(path) as source:
        assert facts.spec == source.spec
        assert source.spec.rope.frequency_factors is not None


def test_more_factors_than_a_head_has_are_not_fetched(hub: HubServer, tmp_path: Path) -> None:
    tiny = tiny_gguf()
    tiny.tensors["rope_freqs.weight"] = np.ones(70_000, np.float32)
    facts = told(hub, {"odd-Q8_0.gguf": written(tmp_path, tiny).read_bytes()})
    assert facts.refusal is not None
    assert "rope_freqs.weight holds 70000 factors" in facts.refusal


def test_a_split_model_is_told_by_the_headers_of_its_parts(hub: HubServer, tmp_path: Path) -> None:
    paths = split_gguf(tmp_path, 3)
    facts = told(hub, {path.name: path.read_bytes() for path in paths})
    with open_source(paths[0]) as source:
        assert facts.spec == source.spec


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({"tokenizer.ggml.pre": "unheard-of"}, "unheard-of"),
        ({"llama.block_count": 3}, "lacks the tensor"),
        ({"llama.rope.scaling.type": "bent"}, "'bent'"),
        ({"general.alignment": 33}, "no power of two"),
        ({"split.count": 2, "split.no": 0}, "part 1 of 2"),
    ],
)
def test_what_cannot_run_is_refused_before_it_is_downloaded(
    hub: HubServer, tmp_path: Path, metadata: dict[str, object], message: str
) -> None:
    facts = told(hub, {"odd-Q8_0.gguf": written(tmp_path, tiny_gguf(metadata=metadata)).read_bytes()})
    assert facts.spec is None
    assert facts.refusal is not None
    assert message in facts.refusal
    assert str(tmp_path) not in facts.refusal


def test_damaged_and_hostile_headers_are_refused(hub: HubServer, tmp_path: Path) -> None:
    whole = written(tmp_path).read_bytes()
    count, endless = gguf.constants.GGUF_MAGIC.to_bytes(4, "little") + b"\3\0\0\0", (1 << 40).to_bytes(8, "little")
    for data in (
        bytes(5_000),
        whole[:3_000],
        count + endless + endless,
        count + bytes(8) + (1).to_bytes(8, "little") + endless + bytes(5_000),
        whole[:-4_000],
    ):
        facts = told(hub, {"odd-Q8_0.gguf": data})
        assert facts.spec is None
        assert facts.refusal is not None
        assert facts.refusal.startswith("odd-Q8_0.gguf ")


def test_a_text_longer_than_any_header_is_not_fetched(
    hub: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_file, "MAX_BYTES", 20_000)
    path = written(tmp_path, tiny_gguf(metadata={"general.name": "x" * 30_000}))
    facts = told(hub, {"odd-Q8_0.gguf": path.read_bytes()})
    assert facts.refusal is not None
    assert "more than 20000 bytes" in facts.refusal
    assert sum(int(headers["range"].split("-")[1]) for headers in hub.downloads()) < 20_000


def test_what_is_known_already_is_not_asked(hub: HubServer, tmp_path: Path) -> None:
    hub.add("maker/Qwen2.5-0.5B-GGUF", {"a-Q8_0.gguf": written(tmp_path).read_bytes()}, tags=["gguf"])
    client = HubClient()
    facts = with_spec(client, client.inspect("maker/Qwen2.5-0.5B-GGUF"))
    assert facts.spec is not None
    assert with_header(client, facts, facts.choices[0], lambda: False) is facts
    assert hub.downloads() == []


def test_several_models_in_one_repository_are_told_apart(hub: HubServer, tmp_path: Path) -> None:
    small = written(tmp_path).read_bytes()
    large = written(tmp_path, tiny_gguf(shape=TinyShape(num_layers=3))).read_bytes()
    wrong = written(tmp_path, tiny_gguf(metadata={"tokenizer.ggml.pre": "unheard-of"})).read_bytes()
    files = {"a-1B-Q8_0.gguf": small, "a-1B-Q4_0.gguf": small, "a-3B-Q8_0.gguf": large, "a-7B-Q8_0.gguf": wrong}
    hub.add(REPO, files, tags=["gguf"])
    client = HubClient()
    facts = client.inspect(REPO)
    choices = {choice.paths[0]: choice for choice in facts.choices}
    facts = with_header(client, facts, choices["a-1B-Q8_0.gguf"], lambda: False)
    assert [facts.needs_header(choices[path]) for path in files] == [False, False, True, True]
    facts = with_header(client, facts, choices["a-3B-Q8_0.gguf"], lambda: False)
    spec = facts.spec_of(choices["a-3B-Q8_0.gguf"])
    assert spec is not None
    assert spec.num_layers == 3
    with pytest.raises(SourceError, match="unheard-of"):
        with_header(client, facts, choices["a-7B-Q8_0.gguf"], lambda: False)
