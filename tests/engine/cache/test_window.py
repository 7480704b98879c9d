"""The window's arithmetic, counted out position by position."""

from hypothesis import assume, given
from hypothesis import strategies as st

from engine.cache.kv_cache import KVCache
from engine.cache.window import Window
from tests.engine.cache.test_kv_cache import compute, make_sequence

SIZES = st.integers(1, 20)


def visible(position, window):
    return [j for j in range(position + 1) if j > position - window]


@given(st.integers(0, 60), SIZES, SIZES)
def test_whatever_a_later_token_or_a_hit_on_the_full_blocks_sees_is_kept(num_computed, size, block_size):
    window = Window(size, block_size)
    start = num_computed // block_size * block_size
    assert window.first_block(num_computed) == min(visible(start, size)) // block_size
    assert all(min(visible(p, size)) // block_size >= window.first_block(num_computed) for p in range(num_computed, 80))


@given(st.integers(0, 60), SIZES, SIZES)
def test_without_a_window_everything_is_kept(num_computed, block_size, max_chunk):
    window = Window(None, block_size)
    assert window.first_block(num_computed) == 0
    assert window.peak_blocks(num_computed, 61, max_chunk) == -(-61 // block_size)


@given(st.integers(0, 30), st.integers(1, 100), SIZES, SIZES, SIZES)
def test_peak_is_the_most_that_any_chunk_holds(num_computed, num_pending, size, block_size, max_chunk):
    window, num_tokens = Window(size, block_size), num_computed + num_pending
    most = max(
        -(-min(start + max_chunk, num_tokens) // block_size) - window.first_block(start)
        for start in range(num_computed, num_tokens)
    )
    peak = window.peak_blocks(num_computed, num_tokens, max_chunk)
    assert most <= peak
    # No more than that where the sequence is long enough to meet the worst place of a chunk.
    assume(num_pending > size + 2 * block_size + max_chunk)
    assert most == peak


@given(st.integers(1, 30), SIZES, SIZES, SIZES)
def test_a_pool_holds_any_length_once_it_holds_window_and_chunk(num_blocks, size, block_size, max_chunk):
    window = Window(size, block_size)
    longest = window.longest_sequence(1000, num_blocks, max_chunk)
    assert window.peak_blocks(0, longest, max_chunk) <= num_blocks
    assert longest == (1000 if window.peak_blocks(0, 1000, max_chunk) <= num_blocks else num_blocks * block_size)


def test_of_what_the_window_passed_the_beginning_is_evicted_last():
    cache = KVCache(10, 4, window=4)
    long = make_sequence(range(40))
    compute(cache, long)
    assert [block_id == 0 for block_id in long.block_ids] == [True] * 9 + [False]
    other = make_sequence(range(100, 120))
    cache.extend(other, 20)
    matches = [len(cache.match(make_sequence(range(num_tokens)))) for num_tokens in (17, 21, 41)]
    # The block at the end is the sequence's own still.
    assert matches == [4, 4, 10]
