"""Cancelling in every phase of a request: its blocks are free at once, and it ends exactly once."""

import pytest

from engine.messages import RequestFinished
from engine.sequence import SequenceState
from tests.engine.fakes import FakeEngine
from tests.engine.proposers import Oracle

PROMPT = "a prompt of more than one chunk, so that its prefill takes several steps"


def state_of(engine, request_id):
    return next((s.state for s in engine.scheduler if s.request_id == request_id), None)


def only_sequence(engine, request_id):
    return next(s for s in engine.scheduler if s.request_id == request_id)


def queued(engine):
    engine.submit("first", "holds the only place", max_tokens=200)
    engine.step()
    engine.submit("r", PROMPT, max_tokens=40)
    engine.step()
    assert state_of(engine, "r") is SequenceState.WAITING


def submitted(engine):
    engine.submit("r", PROMPT, max_tokens=40)
    assert state_of(engine, "r") is SequenceState.WAITING


def after_first_chunk(engine):
    engine.submit("r", PROMPT, max_tokens=40)
    engine.step()
    assert 0 < only_sequence(engine, "r").num_computed_tokens < len(PROMPT)


def in_the_middle_of_prefill(engine):
    after_first_chunk(engine)
    engine.step()
    assert only_sequence(engine, "r").state is SequenceState.PREFILL


def after_first_token(engine):
    engine.submit("r", PROMPT, max_tokens=40)
    while not engine.token_ids("r"):
        engine.step()
    assert len(engine.token_ids("r")) == 1


def in_decode(engine):
    after_first_token(engine)
    for _ in range(5):
        engine.step()
    assert state_of(engine, "r") is SequenceState.DECODE


def until_preempted(engine, state):
    # Two answers that do not fit together: the younger gives way.
    engine.submit("first", "grows until nothing is left", max_tokens=60, priority=0)
    engine.submit("r", "the younger one", max_tokens=60)
    while state_of(engine, "r") is not state or not only_sequence(engine, "r").num_preemptions:
        engine.step()


def swapped(engine):
    until_preempted(engine, SequenceState.SWAPPED)


def waiting_to_be_computed_again(engine):
    until_preempted(engine, SequenceState.WAITING)


def during_verification(engine):
    engine.submit("r", PROMPT, max_tokens=40)
    while engine.core.metrics.num_drafted_tokens < 4:
        engine.step()
    assert state_of(engine, "r") is SequenceState.DECODE


def with_forks(engine):
    engine.submit("r", PROMPT, max_tokens=40, n=3)
    while len(engine.scheduler.running) < 3:
        engine.step()


PHASES = {
    submitted: {},
    queued: {"max_running_sequences": 1},
    after_first_chunk: {},
    in_the_middle_of_prefill: {},
    after_first_token: {},
    in_decode: {},
    swapped: {"num_blocks": 22, "preemption": "swap"},
    waiting_to_be_computed_again: {"num_blocks": 22, "preemption": "recompute"},
    during_verification: {"proposer": Oracle},
    with_forks: {},
}


@pytest.mark.parametrize("phase", PHASES)
def test_blocks_are_free_at_once_and_the_end_is_told_once(phase):
    options = dict(PHASES[phase])
    if "proposer" in options:
        options["proposer"] = options["proposer"]()
    engine = FakeEngine(max_batched_tokens=32, block_size=4, **{"num_blocks": 200, **options})
    phase(engine)
    others = {"first"} if engine.core.num_live > 1 else set()
    engine.core.cancel("r")
    # Checks that each block's owners are the live sequences and the cache, so that none is left to the cancelled one.
    engine.core.check_invariants()
    assert {sequence.request_id for sequence in engine.scheduler} == others
    engine.core.cancel("r")
    engine.events += engine.core.drain_events()
    (end,) = engine.ends("r")
    assert isinstance(end, RequestFinished)
    assert end.reason == "cancelled"
    engine.run()
    assert len(engine.ends("r")) == 1
    assert engine.cache.num_available == engine.cache.pool.num_blocks
    assert engine.cache.host_pool.num_free == engine.cache.host_pool.num_blocks
    for other in others:
        assert engine.end(other).reason == "length"
