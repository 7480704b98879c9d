"""The engine behind its door, on its own thread, with a tiny converted model."""

import queue
import sys
import threading
from pathlib import Path

import pytest

from engine.api import EngineConfig, EngineHandle, list_models
from engine.convert.pipeline import Conversion, convert_file
from engine.messages import (
    Cancel,
    ChatMessage,
    EngineDied,
    EngineStarted,
    LoadModel,
    ModelLoaded,
    ModelLoadFailed,
    RequestFailed,
    RequestFinished,
    SamplingParams,
    Submit,
    TextDelta,
)
from tests.engine.tiny_models import write_tiny_gguf

TIMEOUT_S = 60


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("home")
    source = folder / "tiny.gguf"
    write_tiny_gguf(source)
    convert_file(folder, Conversion(Path(source), "Tiny"), lambda *progress: None, lambda: False)
    return folder


class Client:
    def __init__(self, config):
        self.events = queue.Queue()
        self.handle = EngineHandle(config, lambda events: [self.events.put(event) for event in events])

    def wait(self, *kinds):
        """The next event of one of these kinds; the others are passed over."""
        while True:
            event = self.events.get(timeout=TIMEOUT_S)
            if isinstance(event, kinds):
                return event


@pytest.fixture
def client(home):
    client = Client(EngineConfig(home=home, num_threads=1))
    client.handle.start()
    client.handle.send(LoadModel("tiny"))
    yield client
    assert client.handle.close(TIMEOUT_S)


def test_commands_sent_before_the_start_are_kept(home):
    client = Client(EngineConfig(home=home, num_threads=1))
    client.handle.send(LoadModel("tiny"))
    client.handle.start()
    assert client.wait(EngineStarted).backend == "cpu"
    loaded = client.wait(ModelLoaded)
    assert (loaded.name, loaded.max_context) == ("Tiny", list_models(home)[0].spec.max_context)
    assert loaded.weight_bytes > 0
    assert client.handle.close(TIMEOUT_S)


def test_chat_and_raw_prompt_are_answered(client):
    params = SamplingParams(temperature=0, max_tokens=6)
    client.handle.send(Submit("chat", params, messages=(ChatMessage("user", "hello"),)))
    client.handle.send(Submit("raw", params, prompt="hello"))
    ends = {event.request_id: event for event in (client.wait(RequestFinished, RequestFailed) for _ in range(2))}
    assert {request_id: type(end) for request_id, end in ends.items()} == dict.fromkeys(ends, RequestFinished)
    assert ends["chat"].num_prompt_tokens > ends["raw"].num_prompt_tokens > 0


def test_closing_while_an_answer_runs_ends_it(home):
    client = Client(EngineConfig(home=home, num_threads=1))
    client.handle.start()
    client.handle.send(LoadModel("tiny"))
    client.handle.send(Submit("a", SamplingParams(temperature=1.0, max_tokens=200, seed=1), prompt="hello"))
    client.wait(TextDelta)
    assert client.handle.close(TIMEOUT_S)
    assert client.wait(RequestFinished).reason in ("cancelled", "stop")
    assert not [thread for thread in threading.enumerate() if thread.name == "engine"]


def test_closing_twice_or_unstarted_is_harmless(home):
    client = Client(EngineConfig(home=home))
    assert client.handle.close(1)
    assert client.handle.close(1)


def test_unknown_model_and_unknown_request_leave_the_engine_alone(client):
    client.handle.send(LoadModel("nothing"))
    client.handle.send(Cancel("nobody"))
    assert client.wait(ModelLoadFailed).code == "model_not_found"
    client.handle.send(Submit("a", SamplingParams(temperature=0, max_tokens=2), prompt="hello"))
    assert client.wait(RequestFinished).request_id == "a"


def test_backend_that_cannot_run_here_is_told(home):
    client = Client(EngineConfig(home=home, backend="gpu"))
    client.handle.start()
    assert "--backend cpu" in client.wait(EngineDied).message
    assert client.handle.close(TIMEOUT_S)


def test_budget_too_small_for_a_chat_is_told_with_numbers(home):
    client = Client(EngineConfig(home=home, num_threads=1, kv_budget_bytes=1000))
    client.handle.start()
    client.handle.send(LoadModel("tiny"))
    failure = client.wait(ModelLoadFailed)
    assert failure.code == "out_of_memory"
    assert "MiB" in failure.message
    assert client.handle.close(TIMEOUT_S)


def test_a_broken_installation_is_told_in_words_of_this_program(home, monkeypatch, caplog):
    """What a library is called is for the log."""
    monkeypatch.setitem(sys.modules, "engine.worker", None)
    client = Client(EngineConfig(home=home, num_threads=1))
    client.handle.start()
    assert client.wait(EngineDied).message == (
        "The engine cannot start: a part of this program is missing or damaged. Install the program again"
    )
    assert client.handle.close(TIMEOUT_S)
    assert "engine.worker" in caplog.text


def test_a_model_that_needs_what_is_missing_is_refused_in_words_of_this_program(home, monkeypatch, caplog):
    def missing(*_):
        raise ModuleNotFoundError("No module named 'torch'")

    monkeypatch.setattr("engine.serving.load_decoder", missing)
    client = Client(EngineConfig(home=home, num_threads=1))
    client.handle.start()
    client.handle.send(LoadModel("tiny"))
    failed = client.wait(ModelLoadFailed)
    assert failed.message == (
        "Tiny cannot be run: a part of this program is missing or damaged. Install the program again"
    )
    assert client.handle.close(TIMEOUT_S)
    assert "torch" in caplog.text
