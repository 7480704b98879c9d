"""Each question to the hub gets one answer, whatever happens."""

import json
import logging
import queue
from pathlib import Path

import pytest

from engine.jobs import hub_queries
from engine.jobs.hub_queries import HubQueries, Question
from engine.messages import Event, HubFailed, HubResults, InspectRepository, ReadHeader, RepositoryFacts, SearchHub
from tests.engine.hub.hub_server import HubServer, Stall, Status
from tests.engine.tiny_models import write_tiny_gguf


class Answers:
    def __init__(self) -> None:
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self.queries = HubQueries(lambda events: [self._events.put(event) for event in events] and None)

    def to(self, question: Question) -> Event:
        self.queries.ask(question)
        return self.next()

    def next(self) -> Event:
        return self._events.get(timeout=60)


def test_search_and_facts_arrive_as_events(hub: HubServer) -> None:
    hub.add("maker/tiny", {"tiny-Q4_0.gguf": bytes(2000)})
    answers = Answers()
    results = answers.to(SearchHub("tiny"))
    assert isinstance(results, HubResults)
    assert (results.words, [model.repo_id for model in results.models]) == ("tiny", ["maker/tiny"])
    facts = answers.to(InspectRepository("maker/tiny"))
    assert isinstance(facts, RepositoryFacts)
    assert facts.choices[0].label == "Q4_0"


def test_a_failure_is_told_with_what_was_asked(hub: HubServer) -> None:
    answers = Answers()
    hub.api_faults.append(Status(429, {"Retry-After": "9"}))
    assert answers.to(SearchHub("tiny")) == HubFailed(
        "tiny", "rate_limit", "The hub has been asked too often: try again in 9 s"
    )
    failed = answers.to(InspectRepository("maker/nothing"))
    assert isinstance(failed, HubFailed)
    assert (failed.about, failed.code) == ("maker/nothing", "repository")


def test_a_fault_of_the_program_is_logged_and_answered(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def break_down(*_: object) -> Event:
        raise ZeroDivisionError("the fault")

    monkeypatch.setattr(hub_queries, "answer", break_down)
    with caplog.at_level(logging.ERROR):
        failed = Answers().to(SearchHub("x"))
    assert isinstance(failed, HubFailed)
    assert failed.code == "engine_error"
    assert "the fault" in caplog.text


def test_facts_tell_the_model_before_it_is_downloaded(hub: HubServer) -> None:
    config = {
        "architectures": ["LlamaForCausalLM"],
        "hidden_size": 64,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "intermediate_size": 128,
        "vocab_size": 300,
        "max_position_embeddings": 512,
    }
    hub.add("maker/own", {"a-Q4_0.gguf": bytes(2000), "config.json": json.dumps(config).encode()})
    hub.add("maker/odd", {"a-Q4_0.gguf": bytes(2000), "config.json": b'{"hidden_size": 1, "architectures": ["OddLM"]}'})
    hub.add("maker/base", {"config.json": json.dumps({**config, "num_hidden_layers": 5}).encode()})
    hub.add("maker/made", {"a-Q4_0.gguf": bytes(2000)}, tags=["base_model:maker/base"])
    hub.add("other/qwen2.5-3b-instruct-gguf", {"a-Q4_0.gguf": bytes(2000)}, tags=["gguf"])
    hub.add("other/unknown", {"a-Q4_0.gguf": bytes(2000)}, tags=["gguf"])
    answers = Answers()

    def layers(repo_id: str) -> int | None:
        facts = answers.to(InspectRepository(repo_id))
        assert isinstance(facts, RepositoryFacts), facts
        return None if facts.spec is None else facts.spec.num_layers

    repositories = ("maker/own", "maker/made", "other/qwen2.5-3b-instruct-gguf", "other/unknown")
    assert [layers(repo_id) for repo_id in repositories] == [3, 5, 36, None]
    odd = answers.to(InspectRepository("maker/odd"))
    assert isinstance(odd, RepositoryFacts)
    assert odd.refusal is not None
    assert "'OddLM' is not supported" in odd.refusal


def test_a_mirror_is_asked_where_one_is_named(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    hub.add("maker/tiny", {"tiny-Q4_0.gguf": bytes(2000)})
    results = Answers().to(SearchHub("tiny", endpoint=f"{hub.url}/"))
    assert isinstance(results, HubResults)
    assert len(results.models) == 1
    failed = Answers().to(SearchHub("tiny", endpoint="mirror.example"))
    assert isinstance(failed, HubFailed)
    assert "The hub's address is 'mirror.example'" in failed.message


def test_a_header_is_read_and_given_up(hub: HubServer, tmp_path: Path) -> None:
    hub.add("maker/odd", {"odd-Q8_0.gguf": write_tiny_gguf(tmp_path / "a.gguf").read_bytes()}, tags=["gguf"])
    answers = Answers()
    facts = answers.to(InspectRepository("maker/odd"))
    assert isinstance(facts, RepositoryFacts)
    assert facts.spec is None
    hub.faults["odd-Q8_0.gguf"].append(Stall(100))
    question = ReadHeader(facts, facts.choices[0])
    answers.queries.ask(question)
    assert hub.stalled.acquire(timeout=60)
    answers.queries.stop_reading("maker/odd")
    answers.queries.stop_reading("maker/nothing")
    given_up = answers.next()
    assert isinstance(given_up, HubFailed)
    assert (given_up.about, given_up.code) == ("maker/odd", "cancelled")
    told = answers.to(question)
    assert isinstance(told, RepositoryFacts)
    assert told.spec is not None
    assert told.spec.num_layers == 2


def test_safetensors_tell_of_the_ggufs_beside_them(hub: HubServer) -> None:
    config = {
        "architectures": ["LlamaForCausalLM"],
        "hidden_size": 64,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "intermediate_size": 128,
        "vocab_size": 300,
        "max_position_embeddings": 512,
    }
    texts = {"config.json": json.dumps(config).encode(), "tokenizer.json": b"{}"}
    files = {"model.safetensors": bytes(3000), "a-Q4_0.gguf": bytes(2000), "a-Q8_0.gguf": bytes(2500)}
    hub.add("maker/both", texts | files)
    facts = Answers().to(InspectRepository("maker/both"))
    assert isinstance(facts, RepositoryFacts)
    assert [choice.label for choice in facts.choices] == ["Q4_0", "Q8_0", "safetensors"]
    assert all(facts.spec_of(choice) is not None and not facts.needs_header(choice) for choice in facts.choices)
