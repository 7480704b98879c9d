"""Random numbers that depend on seed and position alone."""

from collections import Counter

from engine.forward.randomness import Stream, uniform


def test_same_seed_and_position_give_the_same_number():
    assert uniform(7, 3) == uniform(7, 3)


def test_neighbouring_seeds_and_positions_are_unrelated():
    numbers = {uniform(seed, position) for seed in range(50) for position in range(50)}
    assert len(numbers) == 2500


def test_numbers_fill_the_unit_interval_evenly():
    tenths = Counter(int(uniform(1, position) * 10) for position in range(10_000))
    assert sorted(tenths) == list(range(10))
    assert max(abs(count - 1000) for count in tenths.values()) < 150


def test_streams_of_one_position_are_unrelated():
    numbers = {uniform(7, position, stream) for position in range(500) for stream in Stream}
    assert len(numbers) == 500 * len(Stream)
    for first in Stream:
        for second in set(Stream) - {first}:
            products = [(uniform(3, p, first) - 0.5) * (uniform(3, p, second) - 0.5) for p in range(4000)]
            # The mean of 4000 products of independent numbers has a standard deviation of 1 / 12 / sqrt(4000).
            assert abs(sum(products) / 4000) < 5 / 12 / 4000**0.5


def test_the_stream_of_tokens_is_the_plain_one():
    assert uniform(7, 3, Stream.TOKEN) == uniform(7, 3)
