"""What happens when requests want more blocks than there are, on the model of bytes."""

import pytest

from engine.messages import (
    PrefillProgress,
    PrefixPinned,
    RequestFailed,
    RequestPreempted,
    RequestQueued,
    RequestResumed,
)
from tests.engine.fakes import FakeEngine
from tests.engine.test_core import expected_text

PROMPTS = {"a": "first prompt of the two", "b": "other prompt, no less"}


def events(engine, kind):
    return [event for event in engine.events if isinstance(event, kind)]


def run_two(preemption, **options):
    """Two answers that together need 18 blocks, in a pool of 14, in which both prompts fit."""
    engine = FakeEngine(num_blocks=14, block_size=4, preemption=preemption, **options)
    for request_id, prompt in PROMPTS.items():
        engine.submit(request_id, prompt, max_tokens=12)
    engine.run()
    return engine


@pytest.mark.parametrize("preemption", ["swap", "recompute", None])
def test_both_finish_with_the_texts_of_a_large_pool(preemption):
    engine = run_two(preemption)
    for request_id, prompt in PROMPTS.items():
        assert engine.text(request_id) == expected_text(prompt, 12)
    assert events(engine, RequestPreempted)


def test_younger_gives_way_and_the_event_says_for_whom_and_how_much():
    engine = run_two("recompute")
    first = events(engine, RequestPreempted)[0]
    assert (first.request_id, first.for_request_id, first.how) == ("b", "a", "recompute")
    assert first.num_blocks > 0
    assert first.size_bytes == first.num_blocks * 64
    assert not [event for event in events(engine, RequestPreempted) if event.request_id == "a"]


def test_swapped_blocks_come_back_and_nothing_is_computed_twice():
    engine = run_two("swap")
    (out,), (back,) = events(engine, RequestPreempted), events(engine, RequestResumed)
    assert (out.how, back.how, back.request_id) == ("swap", "swap", "b")
    assert back.num_blocks == out.num_blocks
    lengths = [len(prompt) for prompt in PROMPTS.values()]
    # Each answer's last token is never computed.
    assert sum(engine.runner.num_tokens_per_run) == sum(lengths) + 2 * 11


def test_without_room_in_the_host_pool_it_is_computed_again():
    engine = run_two("swap", num_host_blocks=2)
    assert {event.how for event in events(engine, RequestPreempted)} == {"recompute"}
    assert engine.text("b") == expected_text(PROMPTS["b"], 12)


def test_cheaper_way_is_taken():
    # Every step takes the clock the same time, so a token's cost is known; copying is made free, then dear.
    for copy_s_per_block, how in ((0.0, "swap"), (1e9, "recompute")):
        engine = FakeEngine(num_blocks=14, block_size=4)
        engine.scheduler.costs = type(engine.scheduler.costs)(1.0, copy_s_per_block)
        for request_id, prompt in PROMPTS.items():
            engine.submit(request_id, prompt, max_tokens=12)
        engine.run()
        assert {event.how for event in events(engine, RequestPreempted)} == {how}


def test_nothing_is_admitted_in_a_step_that_preempted():
    engine = FakeEngine(num_blocks=12, block_size=4)
    for request_id in "abcd":
        engine.submit(request_id, PROMPTS["a"][: 8 + ord(request_id) % 4] + request_id, max_tokens=20)
    for _ in range(400):
        if not engine.core.num_live:
            break
        before = {sequence.request_id for sequence in engine.scheduler.running}
        new = engine.step()
        if any(isinstance(event, RequestPreempted) for event in new):
            assert {sequence.request_id for sequence in engine.scheduler.running} <= before
    assert not engine.core.num_live
    assert events(engine, RequestPreempted)


def test_prefill_is_not_told_twice():
    engine = run_two("recompute")
    for request_id in PROMPTS:
        told = [e.num_computed_tokens for e in events(engine, PrefillProgress) if e.request_id == request_id]
        assert told == sorted(set(told))


def test_preempted_request_can_be_cancelled():
    for preemption in ("swap", "recompute"):
        engine = FakeEngine(num_blocks=14, block_size=4, preemption=preemption)
        for request_id, prompt in PROMPTS.items():
            engine.submit(request_id, prompt, max_tokens=12)
        for _ in range(30):
            if not events(engine, RequestPreempted):
                engine.step()
        assert events(engine, RequestPreempted)
        engine.core.cancel("b")
        engine.core.check_invariants()
        assert engine.cache.host_pool.num_free == engine.cache.host_pool.num_blocks
        engine.run()
        assert [end.reason for end in engine.ends("b")] == ["cancelled"]
        assert expected_text(PROMPTS["b"], 12).startswith(engine.text("b"))


def test_urgent_request_is_admitted_first_and_background_gives_way():
    engine = FakeEngine(num_blocks=12, block_size=4, max_running_sequences=2)
    engine.submit("slow", PROMPTS["a"], priority=2, max_tokens=20)
    engine.step()
    engine.submit("later", PROMPTS["b"], priority=1, max_tokens=4)
    engine.submit("front", "urgent prompt here", priority=0, max_tokens=20)
    engine.run()
    admitted = [run for run in engine.runner.requests_per_run if "front" in run or "later" in run]
    assert "front" in admitted[0]
    assert {event.request_id for event in events(engine, RequestPreempted)} == {"slow"}
    assert engine.text("slow") == expected_text(PROMPTS["a"], 20)


def test_tab_in_front_comes_before_older_ones():
    engine = FakeEngine(max_running_sequences=1)
    for request_id in ("running", "older", "shown"):
        engine.submit(request_id, f"prompt of {request_id}", max_tokens=3)
    engine.step()
    engine.core.bring_to_front("shown")
    engine.run()
    assert [run[0] for run in engine.runner.requests_per_run[::3]] == ["running", "shown", "older"]


def test_old_request_is_not_starved_by_a_flood_of_urgent_ones():
    engine = FakeEngine(num_blocks=16, block_size=4, max_running_sequences=2, ageing_s=50.0)
    engine.submit("old", "a background prompt", priority=2, max_tokens=6)
    for step in range(300):
        if engine.ends("old"):
            break
        engine.submit(f"flood {step}", f"urgent {step}", priority=0, max_tokens=3)
        engine.step()
    assert engine.end("old").reason == "length"


def test_long_prompts_advance_together():
    engine = FakeEngine(num_blocks=200, block_size=4, max_batched_tokens=32, max_prompt_chunk=16)
    for request_id in "ab":
        engine.submit(request_id, request_id * 100, max_tokens=2)
    engine.step()
    engine.step()
    assert engine.runner.requests_per_run == [["a", "b"], ["a", "b"]]
    assert engine.runner.num_tokens_per_run == [32, 32]


def test_single_long_prompt_takes_the_whole_budget():
    engine = FakeEngine(num_blocks=200, block_size=4, max_batched_tokens=32, max_prompt_chunk=16)
    engine.submit("a", "a" * 100, max_tokens=2)
    engine.step()
    assert engine.runner.num_tokens_per_run == [32]


def test_overdue_request_fails_and_gives_its_blocks_back():
    engine = FakeEngine()
    engine.submit("a", "a prompt", max_tokens=200, timeout_s=40.0)
    engine.submit("b", "a prompt too", max_tokens=30)
    engine.run()
    (failure,) = engine.ends("a")
    assert isinstance(failure, RequestFailed)
    assert failure.code == "deadline"
    assert "40 s" in failure.message
    assert engine.text("b") == expected_text("a prompt too", 30)


def test_full_queue_says_when_to_come_again():
    engine = FakeEngine(max_waiting_requests=1, max_running_sequences=1)
    engine.submit("a", "prompt", max_tokens=2)
    engine.run()
    mean_s = engine.core.metrics.mean_request_s()
    for request_id in "bc":
        engine.submit(request_id, "prompt")
    engine.run()
    (failure,) = engine.ends("c")
    assert failure.code == "queue_full"
    assert failure.retry_after_s == mean_s > 0


@pytest.mark.parametrize(
    ("options", "reason"),
    [({"max_running_sequences": 1}, "sequences"), ({"num_blocks": 6, "block_size": 4}, "memory")],
)
def test_waiting_request_is_told_why(options, reason):
    engine = FakeEngine(**options)
    engine.submit("a", "the first of two", max_tokens=6)
    engine.submit("b", "another prompt..", max_tokens=6)
    engine.step()
    assert events(engine, RequestQueued)[-1] == RequestQueued("b", 0, reason)


def test_request_that_opts_out_neither_reads_nor_fills_the_prefix_cache():
    engine = FakeEngine(block_size=4)
    engine.submit("a", "the same prompt", use_prefix_cache=False)
    engine.run()
    assert engine.core.stats().num_cached_blocks == 0
    engine.submit("b", "the same prompt")
    engine.run()
    engine.submit("c", "the same prompt", use_prefix_cache=False)
    engine.run()
    assert [engine.end(request_id).num_cached_tokens for request_id in "abc"] == [0, 0, 0]


def test_pinned_chat_survives_what_evicts_the_others():
    engine = FakeEngine(num_blocks=20, block_size=4)
    engine.submit("warm", "a chat to be kept warm", max_tokens=3)
    engine.submit("cold", "one of no account......", max_tokens=3)
    engine.run()
    engine.core.pin_prefix("warm", True)
    for index in range(6):
        engine.submit(f"other {index}", f"{index} something else altogether", max_tokens=8)
        engine.run()
    engine.submit("warm again", "a chat to be kept warm", max_tokens=3)
    engine.submit("cold again", "one of no account......", max_tokens=3)
    engine.run()
    assert engine.end("warm again").num_cached_tokens == 20
    assert engine.end("cold again").num_cached_tokens == 0
    assert PrefixPinned("warm", 6, 6 * 64) in engine.events


def test_pin_gives_way_when_nothing_else_could_run():
    engine = FakeEngine(num_blocks=10, block_size=4)
    engine.submit("warm", "a chat to be kept warm", max_tokens=3)
    engine.run()
    engine.core.pin_prefix("warm", True)
    engine.submit("large", "x" * 30, max_tokens=8)
    engine.run()
    assert engine.text("large") == expected_text("x" * 30, 8)
    assert events(engine, PrefixPinned)[-1] == PrefixPinned("warm", 0, 0)


def test_letting_go_of_a_pin_makes_its_blocks_evictable():
    engine = FakeEngine(num_blocks=20, block_size=4)
    engine.submit("warm", "a chat to be kept warm", max_tokens=3)
    engine.run()
    engine.core.pin_prefix("warm", True)
    engine.core.check_invariants()
    assert engine.cache.num_available == 14
    engine.core.pin_prefix("warm", False)
    engine.core.check_invariants()
    assert engine.cache.num_available == 20


def test_prompts_are_cut_at_the_same_places_in_any_company():
    cuts = []
    for neighbours in (0, 3):
        engine = FakeEngine(num_blocks=400, block_size=4, max_batched_tokens=48, chunk_alignment=16)
        for index in range(neighbours):
            engine.submit(f"n{index}", f"neighbour {index}", max_tokens=60)
        engine.step()
        engine.submit("long", "x" * 150, max_tokens=4)
        engine.run()
        assert engine.text("long") == expected_text("x" * 150, 4)
        told = [e.num_computed_tokens for e in events(engine, PrefillProgress) if e.request_id == "long"]
        cuts.append(told[:-1])
        assert told[-1] == 150
    assert all(cut % 16 == 0 for told in cuts for cut in told)
    assert len(cuts[1]) > len(cuts[0])
