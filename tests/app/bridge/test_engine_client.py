"""Streams get their own events and no others; everything else becomes a signal."""

from __future__ import annotations

import threading

import pytest
from pytestqt.qtbot import QtBot

from app.bridge.engine_client import EngineClient
from app.bridge.response_stream import ResponseStream, StreamEvent
from engine.messages import (
    ChatMessage,
    EngineDied,
    EngineStats,
    JobFinished,
    JobProgress,
    LoadModel,
    RequestFailed,
    RequestQueued,
    SamplingParams,
    Submit,
    TextDelta,
)
from tests.app.fake_engine import MODEL, FakeEngines, finished

QUESTION = (ChatMessage("user", "hello"),)
PARAMS = SamplingParams()


class Follower:
    """Reads a stream in a task, as a tab does."""

    def __init__(self, client: EngineClient, owner: str = "chat") -> None:
        self.events: list[StreamEvent] = []
        self.is_over = False
        self.stream: ResponseStream = client.stream(QUESTION, PARAMS, owner)
        self.id = self.stream.request_id
        self.task = client.run(self._follow())

    async def _follow(self) -> None:
        async for event in self.stream:
            self.events.append(event)
        self.is_over = True


def test_a_stream_is_submitted_with_messages_parameters_and_owner(client: EngineClient, engines: FakeEngines) -> None:
    stream = client.stream(QUESTION, PARAMS, "chat-1")
    submit = Submit(stream.request_id, PARAMS, messages=QUESTION, owner="chat-1", cuts_answer=True)
    assert engines.newest.commands == [submit]


def test_each_stream_gets_its_own_events_in_order(qtbot: QtBot, client: EngineClient, engines: FakeEngines) -> None:
    first, second = Follower(client), Follower(client)
    a, b = TextDelta(first.id, "a", ()), TextDelta(second.id, "b", ())
    engines.newest.emit(RequestQueued(second.id, 0, "sequences"), a, b, finished(first.id))
    engines.newest.emit(b, finished(second.id))
    qtbot.waitUntil(lambda: first.is_over and second.is_over)
    assert first.events == [a, finished(first.id)]
    assert second.events == [RequestQueued(second.id, 0, "sequences"), b, b, finished(second.id)]


def test_closing_a_stream_before_its_end_cancels_the_request(
    qtbot: QtBot, client: EngineClient, engines: FakeEngines
) -> None:
    follower = Follower(client)
    engines.newest.emit(TextDelta(follower.id, "a", ()))
    qtbot.waitUntil(lambda: len(follower.events) == 1)
    follower.stream.close()
    follower.task.cancel()
    follower.stream.close()
    assert engines.newest.cancelled() == [follower.id]
    engines.newest.emit(TextDelta(follower.id, "late", ()), finished(follower.id))
    qtbot.waitUntil(follower.task.done)
    assert len(follower.events) == 1


def test_closing_a_stream_after_its_end_cancels_nothing(
    qtbot: QtBot, client: EngineClient, engines: FakeEngines
) -> None:
    follower = Follower(client)
    engines.newest.emit(finished(follower.id))
    qtbot.waitUntil(lambda: follower.is_over)
    follower.stream.cancel()
    follower.stream.close()
    assert engines.newest.cancelled() == []


def test_cancelling_lets_the_rest_and_the_end_arrive(qtbot: QtBot, client: EngineClient, engines: FakeEngines) -> None:
    follower = Follower(client)
    follower.stream.cancel()
    assert engines.newest.cancelled() == [follower.id]
    last = TextDelta(follower.id, "last", ())
    engines.newest.emit(last, finished(follower.id, "cancelled"))
    qtbot.waitUntil(lambda: follower.is_over)
    assert follower.events == [last, finished(follower.id, "cancelled")]


def test_the_engines_death_fails_every_live_stream(qtbot: QtBot, client: EngineClient, engines: FakeEngines) -> None:
    ended, live = Follower(client), Follower(client)
    death = EngineDied("engine_error", "out of memory")
    engines.newest.emit(finished(ended.id))
    with qtbot.waitSignal(client.engine_died) as signal:
        engines.newest.emit(death)
    assert signal.args == [death]
    qtbot.waitUntil(lambda: ended.is_over and live.is_over)
    assert live.events == [RequestFailed(live.id, "engine_error", "out of memory")]
    assert ended.events == [finished(ended.id)]


def test_a_message_to_a_dead_engine_fails_at_once_until_the_engine_is_restarted(
    qtbot: QtBot, client: EngineClient, engines: FakeEngines
) -> None:
    death = EngineDied("engine_error", "out of memory")
    with qtbot.waitSignal(client.engine_died):
        engines.newest.emit(death)
    with qtbot.waitSignal(client.engine_missed) as missed:
        late = Follower(client)
    assert missed.args == [death]
    qtbot.waitUntil(lambda: late.is_over)
    (failure,) = late.events
    assert isinstance(failure, RequestFailed)
    assert "not running: restart it" in failure.message
    assert engines.newest.submits() == []
    client.run(client.restart())
    qtbot.waitUntil(lambda: len(engines.made) == 2 and engines.newest.is_started)
    again = Follower(client)
    engines.newest.emit(finished(again.id))
    qtbot.waitUntil(lambda: again.is_over)
    assert again.events == [finished(again.id)]


def test_what_is_open_or_sent_during_a_restart_ends(
    qtbot: QtBot, client: EngineClient, engines: FakeEngines, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_end = threading.Event()
    monkeypatch.setattr(engines.newest, "close", may_end.wait)
    before = Follower(client)
    client.run(client.restart())
    qtbot.waitUntil(lambda: before.is_over)
    during = Follower(client)
    qtbot.waitUntil(lambda: during.is_over)
    may_end.set()
    qtbot.waitUntil(lambda: len(engines.made) == 2 and engines.newest.is_started)
    assert [type(event) for event in (*before.events, *during.events)] == [RequestFailed, RequestFailed]


def test_a_restart_puts_a_new_engine_in_place_and_ignores_the_old_one(
    qtbot: QtBot, client: EngineClient, engines: FakeEngines
) -> None:
    old = engines.newest
    client.run(client.restart())
    qtbot.waitUntil(lambda: len(engines.made) == 2 and engines.newest.is_started)
    assert old.is_closed
    client.send(LoadModel("tiny"))
    assert engines.newest.commands == [LoadModel("tiny")]
    seen: list[object] = []
    client.model_changed.connect(seen.append)
    old.emit(MODEL)
    with qtbot.waitSignal(client.job_finished):
        engines.newest.emit(JobFinished("job", "tiny"))
    assert seen == []


def test_jobs_models_and_stats_become_signals(qtbot: QtBot, client: EngineClient, engines: FakeEngines) -> None:
    seen: list[object] = []
    for signal in (client.job_progressed, client.job_finished, client.model_changed, client.stats_changed):
        signal.connect(seen.append)
    events = (
        JobProgress("job", "download", 1, 2),
        JobFinished("job", "tiny"),
        MODEL,
        EngineStats(1, 0, 0, 1, 0, 0, 9.0),
    )
    engines.newest.emit(*events)
    qtbot.waitUntil(lambda: len(seen) == 4)
    assert seen == list(events)


def test_a_fault_in_a_task_is_logged(qtbot: QtBot, client: EngineClient, caplog: pytest.LogCaptureFixture) -> None:
    async def fail() -> None:
        raise ValueError("a fault of a view")

    client.run(fail())
    qtbot.waitUntil(lambda: "a fault of a view" in caplog.text)


def test_closing_cancels_what_is_live_and_closes_the_engine(client: EngineClient, engines: FakeEngines) -> None:
    follower = Follower(client)
    assert client.close()
    assert engines.newest.cancelled() == [follower.id]
    assert engines.newest.is_closed
