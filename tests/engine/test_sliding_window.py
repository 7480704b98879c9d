"""Layers that see the last tokens alone, on the model of bytes: it reads what its window shows and nothing else."""

import pytest

from engine.messages import RequestFailed, RequestPreempted
from tests.engine.fakes import FakeEngine, next_token
from tests.engine.proposers import Oracle
from tests.engine.test_core import expected_text
from tests.engine.test_speculation import PATTERNS

WINDOWS = ("one", "block - 1", "block", "block + 1", "3 blocks", "all")
PROMPTS = {
    "short": "x",
    "long": "a long prompt, " * 6,
    "again": "a long prompt, " * 5 + "and another end",
    "middle": "a prompt of medium length",
}


def window_size(name: str | None, block_size: int) -> int | None:
    sizes = {"block - 1": block_size - 1, "block": block_size, "block + 1": block_size + 1, "3 blocks": 3 * block_size}
    return None if name is None else max(1, ({"one": 1, "all": 1000} | sizes)[name])


def texts(engine, max_tokens=40, **options):
    for request_id, prompt in PROMPTS.items():
        engine.submit(request_id, prompt, max_tokens=max_tokens, **options)
    engine.run()
    return {request_id: engine.text(request_id) for request_id in PROMPTS}


def expected(window, max_tokens=40):
    return {request_id: expected_text(prompt, max_tokens, window) for request_id, prompt in PROMPTS.items()}


@pytest.mark.parametrize("use_prefix_cache", [True, False])
@pytest.mark.parametrize("max_batched_tokens", [8, 17, 512])
@pytest.mark.parametrize("block_size", [1, 4, 16])
@pytest.mark.parametrize("name", WINDOWS)
def test_any_block_size_chunk_and_cache_give_the_text_of_the_window(
    name, block_size, max_batched_tokens, use_prefix_cache
):
    window = window_size(name, block_size)
    engine = FakeEngine(
        num_blocks=1000 // block_size, block_size=block_size, max_batched_tokens=max_batched_tokens, window=window
    )
    assert texts(engine, use_prefix_cache=use_prefix_cache) == expected(window)
    # Once more, from what is cached now.
    engine.events.clear()
    assert texts(engine, use_prefix_cache=use_prefix_cache) == expected(window)


@pytest.mark.parametrize("preemption", ["swap", "recompute"])
@pytest.mark.parametrize("block_size", [1, 4, 16])
@pytest.mark.parametrize("name", WINDOWS[1:-1])
def test_preempted_sequences_keep_their_texts(name, block_size, preemption):
    window = window_size(name, block_size)
    probe = FakeEngine(block_size=block_size, max_batched_tokens=8, window=window).cache
    # What one needs at its peak, and a few blocks in which others begin.
    num_blocks = probe.window.peak_blocks(0, 1000, 8) + 2 + window // block_size
    engine = FakeEngine(num_blocks, block_size, max_batched_tokens=8, window=window, preemption=preemption)
    assert texts(engine, max_tokens=60) == expected(window, 60)


@pytest.mark.parametrize("preemption", ["swap", "recompute"])
def test_sequences_with_blocks_given_back_are_preempted_and_come_back(preemption):
    engine = FakeEngine(num_blocks=13, block_size=4, window=16, preemption=preemption, max_batched_tokens=16)
    for request_id in "abc":
        engine.submit(request_id, f"{request_id} is here", max_tokens=60)
    engine.run()
    preempted = [event for event in engine.events if isinstance(event, RequestPreempted)]
    assert {event.how for event in preempted} == {preemption}
    # Their windows' blocks alone are moved, never those of all their tokens.
    assert max(event.num_blocks for event in preempted) <= 5
    for request_id in "abc":
        assert engine.text(request_id) == expected_text(f"{request_id} is here", 60, 16)


def test_a_long_answer_holds_no_more_than_its_window():
    engine = FakeEngine(block_size=4, window=10)
    engine.submit("a", "x" * 30, max_tokens=100, use_prefix_cache=False)
    held = set()
    engine.step()
    while engine.core.num_live:
        held.add(engine.core.stats().num_referenced_blocks)
        engine.step()
    # A window that ends with its block touches 3, 4 otherwise.
    assert held == {3, 4}


def test_a_chat_much_longer_than_the_pool_fits_if_its_window_does():
    prompt = "a long story " * 40
    engine = FakeEngine(num_blocks=14, block_size=4, max_batched_tokens=32, window=12)
    engine.submit("a", prompt, max_tokens=50)
    engine.run()
    assert engine.text("a") == expected_text(prompt, 50, 12)


def test_a_pool_that_cannot_hold_window_and_chunk_refuses_what_is_longer_than_itself():
    engine = FakeEngine(num_blocks=10, block_size=4, max_batched_tokens=32, window=12)
    engine.submit("short", "x" * 30, max_tokens=10)
    engine.submit("long", "x" * 30, max_tokens=11)
    engine.run()
    assert engine.text("short") == expected_text("x" * 30, 10, 12)
    (failure,) = engine.ends("long")
    assert isinstance(failure, RequestFailed)
    assert "Needs 41 tokens" in failure.message
    assert "the whole block pool holds 40" in failure.message


def test_admission_counts_the_window_and_a_chunk_alone():
    engine = FakeEngine(num_blocks=30, block_size=4, max_batched_tokens=24, max_prompt_chunk=8, window=8)
    for request_id in "abc":
        engine.submit(request_id, request_id * 100, max_tokens=4)
    for _ in range(3):
        engine.step()
    # 3 x 25 blocks of prompt, but 2 + 7 each while it is computed.
    assert len(engine.scheduler.running) == 3
    engine.run()
    assert not [event for event in engine.events if isinstance(event, RequestPreempted)]


def test_the_next_turn_of_a_chat_needs_the_blocks_of_the_window_alone():
    engine = FakeEngine(num_blocks=16, block_size=4, max_batched_tokens=16, window=8)
    prompt = "the first turn of a chat that goes on and on"
    engine.submit("first", prompt, max_tokens=20)
    engine.run()
    # Takes the place of all but the last blocks of the first turn.
    engine.submit("other", "some other text of no account ", max_tokens=20)
    engine.run()
    more = prompt + engine.text("first") + " and what now"
    engine.submit("second", more, max_tokens=20)
    engine.run()
    # 44 + 19 computed tokens.
    assert engine.end("second").num_cached_tokens == 60
    assert engine.text("second") == expected_text(more, 20, 8)
    # The middle is gone.
    engine.submit("cut", prompt[:41], max_tokens=1)
    engine.run()
    assert engine.end("cut").num_cached_tokens < 40


def test_a_long_text_does_not_push_out_the_windows_of_other_chats():
    engine = FakeEngine(num_blocks=30, block_size=4, max_batched_tokens=16, window=16)
    chats = {f"chat {index}": f"{index} is a chat of two turns" for index in range(3)}
    for request_id, prompt in chats.items():
        engine.submit(request_id, prompt, max_tokens=2)
    engine.run()
    engine.submit("long", "a text of a thousand words " * 30, max_tokens=2)
    engine.run()
    for request_id, prompt in chats.items():
        engine.submit(f"{request_id} again", prompt, max_tokens=2)
        engine.run()
        assert engine.end(f"{request_id} again").num_cached_tokens == 20


def test_a_beginning_is_shared_even_after_the_window_passed_it():
    engine = FakeEngine(num_blocks=64, block_size=4, window=8)
    engine.submit("a", "you are a helpful assistant. what is one and one, if anything?", max_tokens=10)
    engine.run()
    engine.submit("b", "you are a helpful assistant. name a colour", max_tokens=10)
    engine.run()
    assert engine.end("b").num_cached_tokens == 28


def test_prompts_that_arrive_together_compute_their_common_blocks_once():
    engine = FakeEngine(block_size=4, max_batched_tokens=8, window=6)
    engine.submit("a", "the same beginning, first")
    engine.submit("b", "the same beginning, second")
    engine.run()
    assert [engine.end(request_id).num_cached_tokens for request_id in "ab"] == [0, 20]
    assert engine.text("b") == expected_text("the same beginning, second", 8, 6)


def test_a_pinned_chat_keeps_its_window_and_no_more():
    engine = FakeEngine(num_blocks=24, block_size=4, max_batched_tokens=16, window=8)
    prompt = "a chat to be kept warm, of a good length"
    engine.submit("warm", prompt, max_tokens=5)
    engine.run()
    engine.core.pin_prefix("warm", True)
    assert [len(pinned) for pinned in engine.cache.prefix_cache.pins().values()] == [2]
    for index in range(6):
        engine.submit(f"other {index}", f"{index} something else altogether, and long", max_tokens=20)
        engine.run()
    engine.submit("again", prompt + engine.text("warm") + "!", max_tokens=5)
    engine.run()
    assert engine.end("again").num_cached_tokens == 44


def test_the_memory_view_shows_no_block_for_what_was_given_back():
    engine = FakeEngine(num_blocks=20, block_size=4, window=8)
    engine.submit("a", "x" * 40, max_tokens=10, use_prefix_cache=False)
    for _ in range(3):
        engine.step()
    snapshot = engine.core.snapshot("tiny")
    assert sum(snapshot.ref_counts) == engine.core.stats().num_referenced_blocks == 3
    assert snapshot.owners.count(0) == 3


def test_answers_that_share_a_prompt_pass_its_blocks_each_by_itself():
    engine = FakeEngine(block_size=4, max_batched_tokens=16, window=8)
    prompt = "a prompt that several answers go on from"
    engine.submit("a", prompt, max_tokens=30, n=3)
    engine.run()
    for index in range(3):
        assert engine.text("a", index) == expected_text(prompt, 30, 8)


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("block_size", [1, 4, 16])
@pytest.mark.parametrize("name", WINDOWS)
def test_guesses_see_their_own_windows(name, block_size, pattern):
    window = window_size(name, block_size)
    proposer = Oracle(lambda context: next_token(context[-window:]), PATTERNS[pattern])
    engine = FakeEngine(num_blocks=400, block_size=block_size, window=window, proposer=proposer)
    assert texts(engine) == expected(window)
