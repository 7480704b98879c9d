"""Guessing as it is configured: through the whole engine, with tiny converted models."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engine.config import EngineConfig
from engine.convert.pipeline import Conversion, convert_file
from engine.errors import DraftModelError, ModelNotFoundError
from engine.messages import RequestFinished, SamplingParams, Submit, TextDelta
from engine.serving import ServedModel, serve
from engine.speculation import loading
from engine.speculation.speculator import Speculator
from engine.store.library import Library
from kernels.backends import load_backend
from tests.engine.tiny_models import TinyShape, tiny_gguf

PROMPT = "hello world, the cat and the user; hello world, the cat"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    models = {
        "Big": tiny_gguf(shape=TinyShape(num_layers=3)),
        "Small": tiny_gguf(shape=TinyShape(num_layers=1)),
        "Foreign": tiny_gguf("qwen2"),
    }
    models["Foreign"].metadata["tokenizer.ggml.eos_token_id"] = 0
    models["Foreign"].metadata["tokenizer.ggml.add_bos_token"] = True
    for name, model in models.items():
        source = model.write(folder / f"{name}.gguf")
        convert_file(folder, Conversion(source, name), lambda *progress: None, lambda: False)
    return folder


Serve = Callable[..., ServedModel]


@pytest.fixture
def serve_big(home: Path, monkeypatch: pytest.MonkeyPatch) -> Serve:
    # As if rows cost nothing: the small one is no smaller where it counts here, in the embedding.
    monkeypatch.setattr(loading, "Speculator", lambda proposer, _: Speculator(proposer, 0.01))

    def serve_big(backend_name: str = "cpu", **options: object) -> ServedModel:
        config = EngineConfig(home, backend_name, kv_budget_bytes=4 << 20, **options)  # type: ignore[arg-type]
        entry = Library(config.models_dir).find("Big")
        return serve(entry, load_backend(backend_name), config, lambda progress: None)

    return serve_big


def answer(served: ServedModel, **params: object) -> tuple[list[int], RequestFinished]:
    settings = {"temperature": 0.0, "max_tokens": 60, "ignore_eos": True, "seed": 3, **params}
    served.core.submit(Submit("a", SamplingParams(**settings), prompt=PROMPT))  # type: ignore[arg-type]
    token_ids: list[int] = []
    while True:
        for event in served.core.step():
            if isinstance(event, TextDelta):
                token_ids += event.token_ids
            if isinstance(event, RequestFinished):
                served.core.check_invariants()
                return token_ids, event


@pytest.mark.parametrize("backend_name", ["reference", "cpu"])
def test_greedy_answers_are_the_same_whoever_guesses(serve_big: Serve, backend_name: str) -> None:
    plain, end = answer(serve_big(backend_name, speculation="off"))
    assert end.num_drafted_tokens == 0
    for options in ({"speculation": "lookup"}, {"speculation": "draft", "draft_model": "Small"}):
        guessed, end = answer(serve_big(backend_name, **options))
        assert guessed == plain
        assert 0 <= end.num_accepted_tokens <= end.num_drafted_tokens
        assert end.num_drafted_tokens > 0


def test_by_lookup_a_seed_gives_the_same_answer(serve_big: Serve) -> None:
    params = {"temperature": 0.4, "top_p": 0.9}
    plain, _ = answer(serve_big(speculation="off"), **params)
    guessed, end = answer(serve_big(speculation="lookup"), **params)
    assert guessed == plain
    assert end.num_drafted_tokens > 0


def test_a_model_that_guesses_its_own_tokens_is_always_right(serve_big: Serve) -> None:
    _, end = answer(serve_big(speculation="draft", draft_model="Big"))
    assert end.num_accepted_tokens == end.num_drafted_tokens > 40


def test_a_draft_models_weights_count(serve_big: Serve) -> None:
    plain, drafted = serve_big(), serve_big(speculation="draft", draft_model="Small")
    assert drafted.facts.weight_bytes > plain.facts.weight_bytes


def test_a_draft_model_of_other_tokens_is_refused_by_name(serve_big: Serve) -> None:
    with pytest.raises(DraftModelError, match=r"Foreign cannot guess tokens of Big.*another tokenizer.*lookup"):
        serve_big(speculation="draft", draft_model="Foreign")


def test_a_draft_model_must_be_named_and_here(serve_big: Serve) -> None:
    with pytest.raises(DraftModelError, match="--draft-model"):
        serve_big(speculation="draft")
    with pytest.raises(ModelNotFoundError, match="nothing"):
        serve_big(speculation="draft", draft_model="nothing")
