"""Blocks, owners and prefixes, without a model."""

import pytest

from engine.cache.invariants import check_invariants
from engine.cache.kv_cache import KVCache
from engine.cache.prefix_cache import scope_digest
from engine.messages import SamplingParams
from engine.sequence import Sequence


def make_sequence(token_ids, scope=b"scope", owner="chat"):
    return Sequence("r", owner, scope, list(token_ids), len(token_ids), 10, SamplingParams(), 0, 0.0)


def compute(cache, sequence):
    """As a step does: room, forward, registration."""
    cache.extend(sequence, len(sequence.token_ids))
    sequence.num_computed_tokens = len(sequence.token_ids)
    cache.register(sequence)


def test_only_full_blocks_are_cached():
    cache = KVCache(8, 4)
    sequence = make_sequence(range(10))
    compute(cache, sequence)
    assert len(cache.prefix_cache.cached_blocks()) == 2
    check_invariants(cache, [sequence])


def test_match_stops_at_the_first_difference():
    cache = KVCache(8, 4)
    compute(cache, make_sequence(range(12)))
    assert len(cache.match(make_sequence([*range(8), 99, *range(9, 20)]))) == 2
    assert cache.match(make_sequence([99, *range(1, 20)])) == []
    assert cache.match(make_sequence(range(12), scope=b"other")) == []


def test_last_prompt_token_is_always_computed():
    cache = KVCache(8, 4)
    compute(cache, make_sequence(range(12)))
    assert len(cache.match(make_sequence(range(12)))) == 2
    assert len(cache.match(make_sequence(range(13)))) == 3


def test_tails_give_way_before_heads():
    cache = KVCache(3, 4)
    first = make_sequence(range(12))
    compute(cache, first)
    cache.release(first)
    other = make_sequence(range(100, 104))
    compute(cache, other)
    assert len(cache.match(make_sequence(range(13)))) == 2
    check_invariants(cache, [other])


def test_block_in_use_is_never_evicted():
    cache = KVCache(3, 4)
    user = make_sequence(range(8))
    compute(cache, user)
    other = make_sequence(range(100, 104))
    compute(cache, other)
    cache.release(other)
    with pytest.raises(KeyError):
        cache.extend(make_sequence(range(200, 220)), 20)
    assert len(cache.match(make_sequence(range(9)))) == 2


def test_shared_block_is_copied_before_it_is_written():
    cache = KVCache(8, 4)
    sequence = make_sequence(range(6))
    compute(cache, sequence)
    shared = sequence.block_ids[1]
    cache.pool.retain(shared)  # another owner of the half-filled block
    sequence.token_ids.append(6)
    cache.extend(sequence, 7)
    copy = sequence.block_ids[1]
    assert copy != shared
    assert cache.drain_moves().copies == [(shared, copy)]
    assert cache.drain_moves().copies == []
    assert cache.pool.ref_counts[shared] == 1


def test_block_of_its_own_is_written_in_place():
    cache = KVCache(8, 4)
    sequence = make_sequence(range(6))
    compute(cache, sequence)
    before = list(sequence.block_ids)
    sequence.token_ids.append(6)
    cache.extend(sequence, 7)
    assert sequence.block_ids == before
    assert cache.drain_moves().copies == []


def test_release_is_idempotent():
    cache = KVCache(8, 4)
    sequence = make_sequence(range(6))
    compute(cache, sequence)
    cache.release(sequence)
    cache.release(sequence)
    assert cache.num_available == 8


def test_invariants_see_a_lost_block():
    cache = KVCache(8, 4)
    sequence = make_sequence(range(6))
    compute(cache, sequence)
    cache.pool.take()
    with pytest.raises(AssertionError):
        check_invariants(cache, [sequence])


def test_tokens_are_compared_even_when_the_key_agrees():
    cache = KVCache(8, 4)
    sequence = make_sequence(range(8))
    compute(cache, sequence)
    digest = sequence.block_digests[0]
    assert cache.prefix_cache.find(digest, [0, 1, 2, 3]) == sequence.block_ids[0]
    assert cache.prefix_cache.find(digest, [0, 1, 2, 4]) is None


def test_scope_parts_cannot_run_into_each_other():
    assert scope_digest("ab", "c") != scope_digest("a", "bc")
