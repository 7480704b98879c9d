"""Events cross threads in order, with one drain per frame, and never into a loop that is gone."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest

from app.bridge.mailbox import Mailbox
from engine.messages import BlockSnapshot, Event, TextDelta


class FakeLoop:
    """Keeps wake-ups until a test runs them, and what is due later until it lets a frame pass."""

    def __init__(self) -> None:
        self.wake_ups: list[Callable[[], None]] = []
        self.later: list[tuple[float, Callable[[], None]]] = []
        self.is_closed = False

    def call_soon_threadsafe(self, callback: Callable[[], None]) -> None:
        if self.is_closed:
            raise RuntimeError("Event loop is closed")
        self.wake_ups.append(callback)

    def call_later(self, delay_s: float, callback: Callable[[], None]) -> None:
        self.later.append((delay_s, callback))

    def run(self) -> None:
        wake_ups, self.wake_ups = self.wake_ups, []
        for wake_up in wake_ups:
            wake_up()

    def pass_frame(self) -> None:
        later, self.later = self.later, []
        for delay_s, callback in later:
            assert 0 < delay_s < 0.02
            callback()


class Reader:
    def __init__(self) -> None:
        self.loop = FakeLoop()
        self.events: list[Event] = []
        self.snapshots: list[BlockSnapshot] = []
        self.mailbox = Mailbox(self.loop, self.events.append, self.snapshots.append)  # type: ignore[arg-type]


@pytest.fixture
def reader() -> Reader:
    return Reader()


def delta(text: str) -> TextDelta:
    return TextDelta("r", text, ())


def snapshot(step: int) -> BlockSnapshot:
    return BlockSnapshot("tiny", step, 16, 1, b"", b"", b"", b"", b"", (), ())


def test_many_events_take_one_wake_up_and_keep_their_order(reader: Reader) -> None:
    for number in range(100):
        reader.mailbox.put([delta(str(number)), delta("again")])
    assert len(reader.loop.wake_ups) == 1
    reader.loop.run()
    assert [event.text for event in reader.events[::2] if isinstance(event, TextDelta)] == [str(n) for n in range(100)]


def test_an_event_soon_after_a_drain_waits_for_the_frame_and_does_not_wake_the_loop(reader: Reader) -> None:
    reader.mailbox.put([delta("a")])
    reader.loop.run()
    reader.mailbox.put([delta("b")])
    assert reader.loop.wake_ups == []
    assert reader.events == [delta("a")]
    reader.loop.pass_frame()
    assert reader.events == [delta("a"), delta("b")]


def test_an_event_after_a_quiet_frame_wakes_the_loop_again(reader: Reader) -> None:
    reader.mailbox.put([delta("a")])
    reader.loop.run()
    reader.loop.pass_frame()
    assert reader.loop.later == [], "the loop comes back though nothing came"
    reader.mailbox.put([delta("b")])
    reader.loop.run()
    assert reader.events == [delta("a"), delta("b")]


def test_only_the_latest_snapshot_arrives(reader: Reader) -> None:
    for step in range(5):
        reader.mailbox.put_snapshot(snapshot(step))
    assert len(reader.loop.wake_ups) == 1
    reader.loop.run()
    assert reader.snapshots == [snapshot(4)]


def test_a_closed_loop_is_no_fault(reader: Reader) -> None:
    reader.loop.is_closed = True
    reader.mailbox.put([delta("a")])
    reader.mailbox.put_snapshot(snapshot(1))
    reader.loop.is_closed = False
    reader.mailbox.put([delta("b")])
    assert reader.loop.wake_ups == []


def test_nothing_arrives_after_closing(reader: Reader) -> None:
    reader.mailbox.put([delta("a")])
    reader.mailbox.close()
    reader.mailbox.put([delta("b")])
    reader.loop.run()
    assert reader.events == []


def test_a_fault_in_one_event_does_not_lose_the_next(caplog: pytest.LogCaptureFixture) -> None:
    loop = FakeLoop()
    seen: list[Event] = []

    def handle(event: Event) -> None:
        if event == delta("bad"):
            raise ValueError("a view's fault")
        seen.append(event)

    mailbox = Mailbox(loop, handle, lambda _: None)  # type: ignore[arg-type]
    mailbox.put([delta("bad"), delta("good")])
    loop.run()
    assert seen == [delta("good")]
    assert "a view's fault" in caplog.text


def test_threads_deliver_all_they_put_each_in_its_order() -> None:
    num_threads, num_events = 4, 500
    seen: list[str] = []

    async def receive() -> None:
        is_complete = asyncio.Event()

        def handle(event: Event) -> None:
            assert isinstance(event, TextDelta)
            seen.append(event.text)
            if len(seen) == num_threads * num_events:
                is_complete.set()

        mailbox = Mailbox(asyncio.get_running_loop(), handle, lambda _: None)
        threads = [
            threading.Thread(target=lambda t=t: [mailbox.put([delta(f"{t}:{n}")]) for n in range(num_events)])
            for t in range(num_threads)
        ]
        for thread in threads:
            thread.start()
        await asyncio.wait_for(is_complete.wait(), 30)
        for thread in threads:
            thread.join()

    asyncio.run(receive())
    for number in range(num_threads):
        own = [text for text in seen if text.startswith(f"{number}:")]
        assert own == [f"{number}:{n}" for n in range(num_events)]
