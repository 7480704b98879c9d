"""Each token and each end is counted once, and a request's time is divided among its phases without rest."""

from __future__ import annotations

import os
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.messages import PrefillProgress, RequestFailed, RequestFinished, RequestPreempted, TextDelta
from engine.metrics import Metrics
from engine.records import RequestRecord
from engine.sequence import MOVES, SequenceState
from tests.engine.fakes import FakeEngine

NUM_HISTORIES = int(os.environ.get("DEEPINFER_HISTORIES", "500"))
REFUSALS = frozenset({"queue_full", "request_too_long", "invalid_request"})

ACTIONS = st.lists(
    st.one_of(
        st.tuples(
            st.just("submit"),
            st.integers(0, 50),
            st.integers(1, 20),
            st.integers(1, 3),
            st.sampled_from([None, None, 8.0]),
        ),
        st.tuples(st.just("cancel"), st.integers(0, 20)),
        st.tuples(st.just("break"), st.integers(0, 20)),
        st.tuples(st.just("fail all")),
        st.tuples(st.just("step"), st.integers(1, 6)),
    ),
    max_size=30,
)


@settings(max_examples=NUM_HISTORIES, deadline=None)
@given(ACTIONS, st.sampled_from([1, 4]), st.sampled_from([None, "swap", "recompute"]))
def test_sums_over_the_records_agree_with_the_events_of_any_history(actions, block_size, preemption):
    engine = FakeEngine(
        num_blocks=60 // block_size,
        block_size=block_size,
        max_batched_tokens=16,
        max_running_sequences=4,
        max_waiting_requests=3,
        num_host_blocks=20,
        preemption=preemption,
    )
    num_submitted = 0
    for action in actions:
        match action:
            case ("submit", length, max_tokens, n, timeout_s):
                # Of length 0 it is invalid, of 50 with a long answer it never fits.
                prompt = ("the same words " * 4)[:length]
                engine.submit(str(num_submitted), prompt, max_tokens=max_tokens, n=n, timeout_s=timeout_s)
                num_submitted += 1
            case ("cancel", index):
                engine.core.cancel(str(index))
                engine.core.cancel(str(index))
            case ("break", index):
                engine.runner.broken.add(str(index))
            case ("fail all",):
                engine.core.fail_all("engine_error", "all of them")
            case ("step", count):
                for _ in range(count):
                    engine.step()
    engine.run()
    check_ends(engine, num_submitted)
    check_tokens(engine)
    for record in engine.core.metrics.records:
        check_times(engine, record)


def check_ends(engine: FakeEngine, num_submitted: int) -> None:
    metrics = engine.core.metrics
    finished = [event for event in engine.events if isinstance(event, RequestFinished)]
    failed = [event for event in engine.events if isinstance(event, RequestFailed)]
    expected = Counter(event.reason for event in finished)
    expected += Counter("refused" if event.code in REFUSALS else "failed" for event in failed)
    assert metrics.ends == expected
    assert metrics.errors == Counter(event.code for event in failed)
    assert sum(metrics.ends.values()) == len(metrics.records) == num_submitted
    assert len({record.request_id for record in metrics.records}) == num_submitted


def check_tokens(engine: FakeEngine) -> None:
    metrics = engine.core.metrics
    num_told = sum(len(event.token_ids) for event in engine.events if isinstance(event, TextDelta))
    assert metrics.num_generated_tokens == num_told
    assert sum(record.num_output_tokens for record in metrics.records) == num_told
    assert metrics.num_cached_tokens == sum(record.num_cached_tokens for record in metrics.records)
    preempted = Counter(event.how for event in engine.events if isinstance(event, RequestPreempted))
    assert metrics.preemptions == preempted
    assert sum(record.num_swaps for record in metrics.records) == preempted["swap"]
    assert sum(record.num_recomputes for record in metrics.records) == preempted["recompute"]


def check_times(engine: FakeEngine, record: RequestRecord) -> None:
    phases = (record.queue_s, record.prefill_s, record.decode_s, record.preempted_s)
    assert min(phases) >= 0
    assert sum(phases) == record.e2e_s
    assert (record.ttft_s is not None) == (record.num_output_tokens > 0)
    assert record.preempted_s == 0 or record.num_preemptions
    (end,) = engine.ends(record.request_id)
    if isinstance(end, RequestFinished):
        assert (end.queue_s, end.prefill_s, end.decode_s, end.preempted_s) == phases
        assert end.num_completion_tokens == record.num_output_tokens
    else:
        assert record.code == end.code


def test_time_is_told_by_phase():
    # The clock ticks once per reading: one before and one after each forward.
    engine = FakeEngine(max_batched_tokens=8)
    engine.submit("a", "0123456789", max_tokens=3)
    for _ in range(5):
        engine.step()
    end = engine.end("a")
    (record,) = engine.core.metrics.records
    assert [type(event) for event in engine.events].count(PrefillProgress) == 2
    assert end.ttft_s == end.queue_s + end.prefill_s
    assert end.tpot_s == end.decode_s / 2
    assert end.tokens_per_s == 1 / end.tpot_s
    assert record.e2e_s == end.queue_s + end.prefill_s + end.decode_s
    assert min(end.queue_s, end.prefill_s, end.decode_s) > 0


@pytest.mark.parametrize("how", ["swap", "recompute"])
def test_time_without_blocks_after_a_preemption_is_told_apart(how):
    engine = FakeEngine(num_blocks=10, block_size=4, preemption=how)
    engine.submit("old", "first prompt", max_tokens=24)
    engine.step()
    engine.submit("young", "second", max_tokens=20)
    engine.run()
    old, young = engine.end("old"), engine.end("young")
    assert (old.num_preemptions, old.preempted_s) == (0, 0.0)
    assert young.num_preemptions > 0
    assert young.preempted_s > 0
    assert young.ttft_s is not None
    (record,) = [record for record in engine.core.metrics.records if record.request_id == "young"]
    counts = (record.num_swaps, record.num_recomputes)
    assert counts == ((young.num_preemptions, 0) if how == "swap" else (0, young.num_preemptions))


def test_what_is_refused_is_no_failure():
    engine = FakeEngine(max_waiting_requests=1, max_context=40)
    engine.submit("empty", "")
    engine.submit("long", "x" * 50)
    engine.submit("waits", "fits")
    engine.submit("full", "fits too")
    engine.runner.broken.add("waits")
    engine.run()
    metrics = engine.core.metrics
    assert metrics.ends == {"refused": 3, "failed": 1}
    assert metrics.errors == {"invalid_request": 1, "request_too_long": 1, "queue_full": 1, "forward_failed": 1}


def test_only_the_newest_records_are_kept_and_all_are_counted():
    metrics = Metrics(max_records=3)
    for index in range(5):
        metrics.on_end(RequestRecord(str(index), "stop", 0.0, 1.0))
    assert [record.request_id for record in metrics.records] == ["2", "3", "4"]
    assert metrics.ends == {"stop": 5}


def test_the_log_line_tells_ends_errors_and_latencies():
    engine = FakeEngine()
    engine.submit("a", "prompt", max_tokens=3)
    engine.submit("b", "")
    engine.run()
    line = str(engine.core.metrics)
    assert "1 length, 1 refused (1 invalid_request)" in line
    assert "p50/p95/p99 in s: queue 3/3/3, prefill " in line


def test_the_log_line_tells_how_many_requests_felt_interactive():
    metrics = Metrics()
    for ttft_s, tpot_s in [(0.5, 0.1), (3.0, 0.1), (0.5, 0.3), (2.0, 0.2)]:
        metrics.on_end(RequestRecord("r", "stop", 0.0, 9.0, ttft_s=ttft_s, tpot_s=tpot_s))
    assert str(metrics).endswith("2 of 4 (50%) began within 2 s and took at most 0.2 s a token")


def test_an_end_leads_nowhere():
    for state in (SequenceState.FINISHED, SequenceState.CANCELLED, SequenceState.FAILED):
        assert MOVES[state] == frozenset()
