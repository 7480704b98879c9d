"""Sizes and times as a person reads them."""

import pytest

from app.widgets.units import done_of_total, duration, file_size, memory_size, with_digits_grouped, with_good_breaks


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (94_000_000, "94 MB"),
        (999_999, "1.0 MB"),
        (1_800_000_000, "1.8 GB"),
        (41_200_000_000, "41 GB"),
    ],
)
def test_files_count_in_thousands(size: int, text: str):
    assert file_size(size) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (1024, "1.0 KiB"), (1024**2 - 1, "1.0 MiB"), (940 * 1024**2, "940 MiB"), (1_825_361_100, "1.7 GiB")],
)
def test_memory_counts_in_1024s(size: int, text: str):
    assert memory_size(size) == text


def test_both_numbers_of_a_download_have_the_unit_of_the_total():
    assert done_of_total(1_200_000_000, 1_800_000_000) == "1.2 of 1.8 GB"
    assert done_of_total(400_000, 94_000_000) == "0.4 of 94 MB"
    assert done_of_total(0, 94_000_000) == "0 of 94 MB"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "1 s"), (27, "27 s"), (89, "89 s"), (240, "4 min"), (7500, "2 h 5 min")]
)
def test_times_have_one_fitting_unit(seconds: float, text: str):
    assert duration(seconds) == text


@pytest.mark.parametrize("unit", ["GiB", "GB", "B", "s", "ms", "min", "tok/s", "%", "秒"])
def test_no_line_breaks_between_a_number_and_its_unit(unit: str):
    assert with_good_breaks(f"left 21 {unit} of 24 {unit}") == f"left 21\u00a0{unit} of 24\u00a0{unit}"


def test_hours_and_minutes_stay_together():
    assert with_good_breaks("up to 1 h 27 min there") == "up to 1\u00a0h\u00a027\u00a0min there"


def test_name_of_a_model_and_its_size_stay_together():
    assert (
        with_good_breaks("These would: Gemma 2 2B, Qwen2.5 1.5B") == "These would: Gemma 2\u00a02B, Qwen2.5\u00a01.5B"
    )


def test_digits_of_a_plural_are_grouped():
    assert with_digits_grouped("12345 downloads", 12345) == "12,345 downloads"


@pytest.mark.parametrize("text", ["24 books", "layer 14 of 36", "3 sorts", "two GiB"])
def test_other_words_may_begin_a_line(text: str):
    assert with_good_breaks(text) == text


def test_no_line_begins_with_a_dot_between_words():
    assert with_good_breaks("2 steps · 3 chats") == "2 steps\u00a0· 3 chats"
