"""Prefixes taken out of one engine and put into another, on the model of bytes: same texts, nobody is hurt."""

from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cache.prefix_cache import CachedBlock
from engine.cache.snapshot import read_snapshot, write_snapshot
from engine.errors import SnapshotError
from engine.messages import PrefixPinned, RequestFinished, RequestQueued
from tests.engine.fakes import FakeEngine, tiny_identity
from tests.engine.test_core import expected_text
from tests.engine.test_histories import NUM_HISTORIES

PROMPT = "a prompt of forty characters, to be saved"
"""41 tokens: ten full blocks of four, and one token."""


def answered(prompt=PROMPT, owner="chat", max_tokens=4, **options):
    engine = FakeEngine(**options)
    engine.submit("first", prompt, owner=owner, max_tokens=max_tokens)
    engine.run()
    return engine


def install(engine, saved, owner="chat"):
    restored = engine.core.prefixes.install(owner, "file", saved)
    engine.core.check_invariants()
    return restored


def saved_prefix(**options):
    return answered(**options).core.prefixes.save("chat")


def test_full_blocks_of_prompt_and_answer_are_saved():
    saved = saved_prefix(max_tokens=8)
    # 41 + 8 tokens, the last of which is not computed.
    assert bytes(saved.token_ids).decode() == (PROMPT + expected_text(PROMPT, 8))[:48]
    assert (len(saved.digests), saved.contents.num_blocks) == (12, 12)


def test_restored_prefix_is_not_computed_again():
    engine = FakeEngine()
    restored = install(engine, saved_prefix())
    assert (restored.num_tokens, restored.num_saved_tokens, restored.num_new_blocks) == (44, 44, 11)
    engine.submit("again", PROMPT, max_tokens=20)
    engine.run()
    assert engine.text("again") == expected_text(PROMPT, 20)
    assert engine.end("again").num_cached_tokens == 40
    assert engine.runner.num_tokens_per_run[0] == 1


def test_prefix_goes_through_a_file(tmp_path):
    saved = saved_prefix()
    write_snapshot(tmp_path / "file", saved)
    identity = tiny_identity(4)
    assert read_snapshot(tmp_path / "file", identity, identity.scope("app"), 64) == saved


def test_installing_twice_changes_nothing():
    engine, saved = FakeEngine(), saved_prefix()
    install(engine, saved)
    before = engine.cache.prefix_cache.cached_blocks()
    again = install(engine, saved)
    assert (again.num_tokens, again.num_new_blocks) == (44, 0)
    assert engine.cache.prefix_cache.cached_blocks() == before
    assert engine.cache.num_available == 64


def test_blocks_that_are_cached_already_are_kept():
    saved, engine = saved_prefix(), answered(PROMPT[:21] + "and then others")
    before = engine.cache.prefix_cache.cached_blocks()
    restored = install(engine, saved)
    assert (restored.num_tokens, restored.num_new_blocks) == (44, 6)
    assert engine.cache.prefix_cache.cached_blocks().items() > before.items()


def test_gap_in_the_middle_is_filled():
    saved, engine = saved_prefix(), FakeEngine(num_blocks=13)
    install(engine, saved)
    cache = engine.cache.prefix_cache
    for _ in range(4):
        cache.evict()  # the last four
    block_id = engine.cache.pool.take()
    tail = saved.block_tokens(10)
    cache.insert(CachedBlock(saved.digests[10], tail, saved.digests[9], 10), block_id)
    cache.on_released(block_id, engine.cache.pool.release(block_id))
    assert install(engine, saved).num_new_blocks == 3
    engine.submit("again", PROMPT)
    engine.run()
    assert engine.end("again").num_cached_tokens == 40


def test_as_much_of_the_beginning_as_fits_is_restored():
    engine = FakeEngine(num_blocks=14)
    engine.submit("other", "x" * 20, max_tokens=12)
    engine.step()
    restored = install(engine, saved_prefix())
    assert (restored.num_tokens, restored.num_saved_tokens) == (36, 44)
    engine.submit("again", PROMPT, max_tokens=8)
    engine.run()
    assert engine.text("other") == expected_text("x" * 20, 12)
    assert engine.text("again") == expected_text(PROMPT, 8)


def test_without_any_room_it_is_refused_with_the_numbers():
    engine = FakeEngine(num_blocks=8)
    engine.submit("other", "x" * 28, max_tokens=4)
    for _ in range(2):
        engine.step()
    with pytest.raises(SnapshotError, match=r"takes 11 blocks.*of the 8 there are.*leave 0"):
        install(engine, saved_prefix())
    engine.core.check_invariants()
    engine.run()
    assert engine.text("other") == expected_text("x" * 28, 4)


def test_restored_blocks_give_way_to_running_requests():
    engine = FakeEngine(num_blocks=12)
    install(engine, saved_prefix())
    engine.submit("other", "x" * 40, max_tokens=8)
    engine.run()
    assert engine.text("other") == expected_text("x" * 40, 8)
    assert not engine.end("other").num_cached_tokens


def test_of_a_text_that_a_window_has_passed_the_windows_blocks_alone_are_saved(tmp_path):
    engine = answered(window=10)
    saved = engine.core.prefixes.save("chat")
    assert (len(saved.digests), saved.num_passed_blocks, saved.contents.num_blocks) == (11, 8, 3)
    write_snapshot(tmp_path / "file", saved)
    identity = tiny_identity(4, window=10)
    assert read_snapshot(tmp_path / "file", identity, identity.scope("app"), 64) == saved
    other = FakeEngine(window=10)
    assert install(other, saved).num_tokens == 44
    text = PROMPT + expected_text(PROMPT, 4, 10)
    other.submit("again", text)
    other.run()
    assert other.end("again").num_cached_tokens == 44
    assert other.text("again") == expected_text(text, 8, 10)


def test_window_that_does_not_fit_whole_is_not_restored_at_all():
    saved, engine = saved_prefix(window=20), FakeEngine(num_blocks=9, window=20)
    engine.submit("other", "x" * 24, max_tokens=4)
    for _ in range(2):
        engine.step()
    before = engine.cache.prefix_cache.cached_blocks()
    with pytest.raises(SnapshotError, match=r"takes 5 blocks.*of the 9 there are.*leave 3"):
        install(engine, saved)
    assert engine.cache.prefix_cache.cached_blocks() == before
    engine.run()
    assert install(engine, saved).num_tokens == 44


def test_failed_copy_leaves_nothing():
    engine, saved = FakeEngine(), saved_prefix()
    engine.runner.fails_to_write = True
    with pytest.raises(SnapshotError, match="no memory, on purpose"):
        install(engine, saved)
    engine.core.check_invariants()
    assert not engine.cache.prefix_cache.cached_blocks()
    assert engine.cache.pool.num_free == 64


def test_other_security_domain_does_not_meet_what_was_restored():
    engine = FakeEngine()
    install(engine, saved_prefix())
    engine.submit("theirs", PROMPT, domain="key 7")
    engine.run()
    assert engine.end("theirs").num_cached_tokens == 0
    assert engine.text("theirs") == expected_text(PROMPT, 8)


def test_prefix_of_a_model_that_has_gone_is_refused():
    engine, saved = FakeEngine(), saved_prefix()
    with pytest.raises(SnapshotError, match="read for Old, which is no longer loaded"):
        install(engine, replace(saved, identity=tiny_identity(4, model_name="Old")))
    assert not engine.cache.prefix_cache.cached_blocks()


def test_running_request_is_saved_as_far_as_it_is_computed():
    engine = FakeEngine(max_batched_tokens=24)
    engine.submit("first", PROMPT, owner="chat", max_tokens=30)
    engine.step()
    assert len(engine.core.prefixes.save("chat").token_ids) == 24
    while len(engine.token_ids("first")) < 10:
        engine.step()
    saved = engine.core.prefixes.save("chat")
    assert len(saved.token_ids) == (41 + 9) // 4 * 4
    engine.run()
    assert engine.text("first") == expected_text(PROMPT, 30)


def test_newest_request_is_saved():
    engine = answered()
    engine.submit("second", PROMPT + " and more of it", owner="chat")
    engine.run()
    assert bytes(engine.core.prefixes.save("chat").token_ids).decode().startswith(PROMPT + " and more")


def test_pinned_prefix_is_saved_if_nothing_newer_is_cached():
    engine = answered(num_blocks=16)
    engine.core.pin_prefix("chat", True)
    engine.submit("second", "shrt", owner="chat", max_tokens=2, use_prefix_cache=False)
    engine.run()
    assert bytes(engine.core.prefixes.save("chat").token_ids).decode().startswith(PROMPT[:40])


def test_saving_what_is_not_cached_is_refused():
    engine = answered(prompt="abc", max_tokens=1)
    for owner in ("chat", "nobody"):
        with pytest.raises(SnapshotError, match=f"Nothing of '{owner}' is cached"):
            engine.core.prefixes.save(owner)


def test_restored_prefix_can_be_pinned_and_saved_again():
    engine, saved = FakeEngine(), saved_prefix()
    install(engine, saved)
    engine.core.pin_prefix("chat", True)
    assert engine.core.drain_events() == [PrefixPinned("chat", 11, 11 * 64)]
    engine.core.check_invariants()
    assert engine.core.prefixes.save("chat") == saved


PREFIX_ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("submit"), st.integers(0, 2), st.integers(1, 40), st.integers(1, 12)),
        st.tuples(st.just("cancel"), st.integers(0, 12)),
        st.tuples(st.just("pin"), st.integers(0, 12), st.booleans()),
        st.tuples(st.just("save"), st.integers(0, 12)),
        st.tuples(st.just("restore"), st.integers(0, 12)),
        st.tuples(st.just("fail to restore"), st.integers(0, 12)),
        st.tuples(st.just("restart")),
        st.tuples(st.just("step"), st.integers(1, 6)),
    ),
    max_size=30,
)


class History:
    """Requests, saves and restores over one engine after another; what was saved outlives its engine."""

    def __init__(self, block_size, pool_tokens, preemption, window):
        self._options = {
            "num_blocks": -(-pool_tokens // block_size),
            "block_size": block_size,
            "max_batched_tokens": 16,
            "preemption": preemption,
            "window": window,
        }
        self._window = window
        self.engine = FakeEngine(**self._options)
        self._saved = []
        self._prompts = {}

    def do(self, action):
        match action:
            case ("submit", family, length, max_tokens):
                request_id, prompt = str(len(self._prompts)), (f"family {family} " * 4)[:length]
                self._prompts[request_id] = (prompt, max_tokens)
                self.engine.submit(request_id, prompt, max_tokens=max_tokens)
            case ("cancel", index):
                self.engine.core.cancel(str(index))
            case ("pin", index, is_pinned):
                self.engine.core.pin_prefix(str(index), is_pinned)
            case ("save", index):
                with suppress(SnapshotError):
                    self._saved.append(self.engine.core.prefixes.save(str(index)))
            case ("restore" | "fail to restore" as how, index) if self._saved:
                self._restore(index, is_failing=how == "fail to restore")
            case ("restart",):
                self.end()
                self.engine, self._prompts = FakeEngine(**self._options), {}
            case ("step", count):
                for _ in range(count):
                    self.engine.step()
        self.engine.core.check_invariants()

    def _restore(self, index, is_failing):
        saved, num_available = self._saved[index % len(self._saved)], self.engine.cache.num_available
        self.engine.runner.fails_to_write = is_failing
        with suppress(SnapshotError):
            restored = self.engine.core.prefixes.install(str(index), "file", saved)
            assert 0 < restored.num_tokens <= len(saved.token_ids)
            assert restored.num_new_blocks == 0 or not is_failing
        self.engine.runner.fails_to_write = False
        assert self.engine.cache.num_available == num_available

    def end(self):
        self.engine.run()
        for request_id, (prompt, max_tokens) in self._prompts.items():
            end = self.engine.end(request_id)
            assert isinstance(end, RequestFinished)
            assert (
                self.engine.text(request_id)
                == expected_text(prompt, max_tokens, self._window)[: end.num_completion_tokens]
            )
            assert end.reason == "cancelled" or end.num_completion_tokens == max_tokens


@settings(max_examples=NUM_HISTORIES // 4, deadline=None)
@given(
    PREFIX_ACTIONS,
    st.sampled_from([1, 4, 16]),
    st.integers(60, 120),
    st.sampled_from([None, "swap", "recompute"]),
    st.sampled_from([None, None, 3, 12]),
)
def test_saving_and_restoring_at_any_point_changes_no_text(actions, block_size, pool_tokens, preemption, window):
    history = History(block_size, pool_tokens, preemption, window)
    for action in actions:
        history.do(action)
    history.end()


def test_who_waits_for_a_prefix_that_is_being_computed_says_so_until_it_is():
    engine = FakeEngine(block_size=4, max_batched_tokens=8)
    engine.submit("a", "the same beginning, a", max_tokens=12)
    engine.submit("b", "the same beginning, b", max_tokens=2)
    engine.step()
    queued = [event.reason for event in engine.events if isinstance(event, RequestQueued) and event.request_id == "b"]
    assert queued[-1] == "prefix"
    engine.run()
    assert engine.end("b").num_cached_tokens == 20


def test_queue_is_told_without_matching_what_nobody_computes():
    engine = FakeEngine(block_size=4, max_running_sequences=1)
    engine.submit("first", "the same beginning", max_tokens=20)
    for index in range(5):
        engine.submit(str(index), f"the same beginning, {index}")
    engine.step()
    engine.step()
    matched: list[str] = []
    longest_hit = engine.cache.longest_hit
    engine.cache.longest_hit = lambda sequence, max_blocks: (
        matched.append(sequence.request_id) or longest_hit(sequence, max_blocks)
    )
    for _ in range(8):
        engine.step()
    assert not matched
    engine.run()
    assert "4" in matched
