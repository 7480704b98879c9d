"""A cache of eight-bit codes: half the memory, and tokens that nothing of the cache's doings changes."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from engine.backends import choose_backend
from engine.cache.snapshot import read_snapshot, write_snapshot
from engine.config import EngineConfig, KvDtype
from engine.convert.pipeline import Conversion, convert_file
from engine.errors import SnapshotError
from engine.messages import RequestFinished, RequestPreempted, SamplingParams, Submit, TextDelta
from engine.models.decoder import kv_bytes_per_token, make_pool
from engine.planner import plan
from engine.serving import ServedModel, serve
from engine.store.library import Library
from tests.engine.fakes import tiny_identity
from tests.engine.tiny_decoder import SPEC, DecoderEngine
from tests.engine.tiny_models import tiny_gguf

PROMPTS = tuple(f"A common beginning that fills some blocks, and the end of prompt {i}: {'na ' * i}" for i in range(5))
WINDOW = 21


class CodesEngine(DecoderEngine):
    """On native kernels, with a pool of codes."""

    def __init__(self, **options: object) -> None:
        super().__init__("cpu", "int8", **{"num_blocks": 400, "block_size": 4, **options})


def tokens(engine: CodesEngine, is_alone: bool = False, **params: object) -> list[list[int]]:
    for index, prompt in enumerate(PROMPTS):
        engine.submit(str(index), prompt, max_tokens=20, ignore_eos=True, **params)
        if is_alone:
            engine.run()
    engine.run()
    return [engine.token_ids(str(index)) for index in range(len(PROMPTS))]


@cache
def plain_tokens(window: int | None) -> list[list[int]]:
    return tokens(CodesEngine(window=window), is_alone=True, use_prefix_cache=False)


@pytest.mark.parametrize("window", [None, WINDOW])
@pytest.mark.parametrize(
    "options",
    [{}, {"max_batched_tokens": 9}, {"block_size": 16, "num_blocks": 100}],
    ids=["", "chunks", "blocks of 16"],
)
def test_company_chunks_cache_and_window_change_no_token(window: int | None, options: dict[str, int]) -> None:
    assert tokens(CodesEngine(window=window, **options)) == plain_tokens(window)


@pytest.mark.parametrize("window", [None, WINDOW])
@pytest.mark.parametrize("preemption", ["swap", "recompute"])
def test_preempted_sequences_keep_their_tokens(window: int | None, preemption: str) -> None:
    num_blocks = 36 if window is None else 17
    engine = CodesEngine(window=window, num_blocks=num_blocks, preemption=preemption, max_batched_tokens=16)
    assert tokens(engine) == plain_tokens(window)
    assert {event.how for event in engine.events if isinstance(event, RequestPreempted)} == {preemption}
    assert (sum(record.num_swaps for record in engine.core.metrics.records) > 0) == (preemption == "swap")


def test_forks_write_copies_of_the_block_they_share() -> None:
    engine = CodesEngine()
    engine.submit("r", PROMPTS[0], n=3, max_tokens=20, temperature=1.0, seed=5, ignore_eos=True)
    engine.run()
    alone = CodesEngine(num_blocks=400)
    alone.submit("r", PROMPTS[0], max_tokens=20, temperature=1.0, seed=5, ignore_eos=True)
    alone.run()
    answers = [engine.token_ids("r", index) for index in range(3)]
    assert answers[0] == alone.token_ids("r")
    assert len({tuple(answer) for answer in answers}) == 3


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    source = tiny_gguf().write(folder / "tiny.gguf")
    convert_file(folder, Conversion(source, "Tiny"), lambda *progress: None, lambda: False)
    return folder


def serve_tiny(home: Path, kv_dtype: KvDtype = "int8", backend_name: str = "cpu") -> ServedModel:
    config = EngineConfig(home, backend_name, kv_budget_bytes=1 << 20, kv_dtype=kv_dtype)
    backend = choose_backend(backend_name, kv_dtype=kv_dtype)
    return serve(Library(config.models_dir).find("Tiny"), backend, config, lambda progress: None)


def answer(served: ServedModel) -> tuple[list[int], RequestFinished]:
    params = SamplingParams(temperature=0.0, max_tokens=20, ignore_eos=True)
    served.core.submit(Submit("r", params, prompt="hello world, the cat and the user; " * 4, owner="chat"))
    token_ids: list[int] = []
    while True:
        for event in served.core.step():
            match event:
                case TextDelta():
                    token_ids += event.token_ids
                case RequestFinished():
                    return token_ids, event


def test_prefix_goes_through_a_file_and_is_not_computed_again(home: Path, tmp_path: Path) -> None:
    first, second, half = serve_tiny(home), serve_tiny(home), serve_tiny(home, "auto")
    expected, _ = answer(first)
    saved = first.core.prefixes.save("chat")
    assert len(saved.contents.keys) == saved.contents.num_blocks * saved.identity.side_bytes
    write_snapshot(tmp_path / "file", saved)
    with pytest.raises(SnapshotError, match="keys and values in the precision int8, here it is float16"):
        read_snapshot(tmp_path / "file", half.core.prefixes.identity, saved.scope, 100)
    restored = read_snapshot(tmp_path / "file", second.core.prefixes.identity, saved.scope, 100)
    second.core.prefixes.install("chat", "file", restored)
    token_ids, end = answer(second)
    assert token_ids == expected
    assert end.num_cached_tokens > 0


def test_identity_of_caches_without_scales_is_what_it_was() -> None:
    identity = tiny_identity(4)
    assert "scale_bytes" not in identity.to_json()
    assert list(identity.differences(identity.to_json())) == []
    other = replace(identity, scale_bytes=4)
    assert list(identity.differences(other.to_json())) == ["with bytes per scale: 4, here it is None"]
    assert other.scope("app") != identity.scope("app")


@pytest.mark.parametrize("backend_name", ["cpu", "reference"])
def test_a_token_takes_a_byte_a_number_and_a_scale_a_head(home: Path, backend_name: str) -> None:
    backend = choose_backend(backend_name, kv_dtype="int8")
    assert kv_bytes_per_token(SPEC, backend) == 2 * 2 * 2 * (16 + 4)
    pool = make_pool(SPEC, 9, 4, backend)
    assert pool.keys.nbytes + pool.values.nbytes == 10 * 4 * kv_bytes_per_token(SPEC, backend)
    facts = serve_tiny(home, "int8", backend_name).facts
    spec = Library(home / "models").find("Tiny").spec
    assert facts.kv_bytes_per_token == kv_bytes_per_token(spec, backend)
    assert facts.num_blocks == (1 << 20) // (16 * facts.kv_bytes_per_token)


def test_a_plan_counts_codes_and_scales() -> None:
    half, codes = (plan(SPEC, "balanced", 1 << 30, EngineConfig(kv_dtype=kind)).need for kind in ("auto", "int8"))
    assert half.kv_bytes_per_token == 2 * 2 * 2 * 16 * 2
    assert codes.kv_bytes_per_token == 2 * 2 * 2 * (16 + 4)
