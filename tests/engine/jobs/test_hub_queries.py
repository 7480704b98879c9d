"""Each question to the hub gets one answer, whatever happens."""

import logging
import queue

import pytest

from engine.jobs import hub_queries
from engine.jobs.hub_queries import HubQueries
from engine.messages import Event, HubFailed, HubResults, InspectRepository, RepositoryFacts, SearchHub
from tests.engine.hub.hub_server import HubServer, Status


class Answers:
    def __init__(self) -> None:
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._queries = HubQueries(lambda events: [self._events.put(event) for event in events] and None)

    def to(self, question: SearchHub | InspectRepository) -> Event:
        self._queries.ask(question)
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
    def break_down(question: object) -> Event:
        raise ZeroDivisionError("the fault")

    monkeypatch.setattr(hub_queries, "answer", break_down)
    with caplog.at_level(logging.ERROR):
        failed = Answers().to(SearchHub("x"))
    assert isinstance(failed, HubFailed)
    assert failed.code == "engine_error"
    assert "the fault" in caplog.text
