"""Random numbers that depend on seed and position alone."""

from collections import Counter

from engine.forward.sampler import uniform


def test_same_seed_and_position_give_the_same_number():
    assert uniform(7, 3) == uniform(7, 3)


def test_neighbouring_seeds_and_positions_are_unrelated():
    numbers = {uniform(seed, position) for seed in range(50) for position in range(50)}
    assert len(numbers) == 2500


def test_numbers_fill_the_unit_interval_evenly():
    tenths = Counter(int(uniform(1, position) * 10) for position in range(10_000))
    assert sorted(tenths) == list(range(10))
    assert max(abs(count - 1000) for count in tenths.values()) < 150
