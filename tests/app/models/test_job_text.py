"""The words for a job's progress."""

import pytest

from app.models.job_text import JobText
from engine.messages import JobProgress

MB = 1_000_000


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def download(done_mb: int, total_mb: int = 1800) -> JobProgress:
    return JobProgress("fetch:starter", "download", done_mb * MB, total_mb * MB)


def test_download_says_how_much_how_fast_and_how_long():
    clock = Clock()
    words = JobText(clock)
    words.describe(download(1134))
    clock.now_s += 3
    assert words.describe(download(1200)) == "Download 1.2 of 1.8 GB · 22 MB/s · 27 s left"


def test_rate_is_left_out_until_it_is_known():
    clock = Clock()
    words = JobText(clock)
    assert words.describe(download(0)) == "Download 0 of 1.8 GB"
    clock.now_s += 0.1
    assert words.describe(download(10)) == "Download 0.0 of 1.8 GB"


def test_rate_is_left_out_while_nothing_comes():
    clock = Clock()
    words = JobText(clock)
    for _ in range(20):
        text = words.describe(download(900))
        clock.now_s += 1
    assert text == "Download 0.9 of 1.8 GB"


def test_rate_is_that_of_the_last_seconds():
    clock = Clock()
    words = JobText(clock)
    done = 0
    for rate in [1] * 20 + [50] * 10:
        words.describe(download(done))
        clock.now_s += 1
        done += rate
    assert "· 50 MB/s ·" in words.describe(download(done))


def test_resumed_download_does_not_count_what_was_there_before():
    clock = Clock()
    words = JobText(clock)
    words.describe(download(1000))
    clock.now_s += 1
    # The server could not resume: it begins again.
    assert words.describe(download(5)) == "Download 0.0 of 1.8 GB"


def test_conversion_counts_layers_and_verification_only_says_its_name():
    words = JobText(Clock())
    assert words.describe(JobProgress("j", "convert", 14, 36)) == "Convert layer 14 of 36"
    assert words.describe(JobProgress("j", "verify", 5 * MB, 9 * MB)) == "Check what was written"
    assert JobText(Clock()).describe(JobProgress("verify:tiny", "verify", 5 * MB, 9 * MB)) == "Verify"


def test_a_conversion_has_one_bar_that_never_goes_back():
    words = JobText(Clock())
    steps = (
        ("verify", 9),
        ("convert", 0),
        ("convert", 4),
        ("convert", 9),
        ("measure", 3),
        ("verify", 0),
        ("verify", 9),
    )
    told, shares = [], []
    for stage, done in steps:
        told.append(words.describe(JobProgress("convert:/m/a.gguf", stage, done, 9)))
        shares.append(words.share)
    assert (told[0], told[-1]) == ("Read the file", "Check what was written")
    assert shares == sorted(shares)
    assert shares[0] < 0.1
    assert shares[-1] == 1


@pytest.mark.parametrize("job_id", ["fetch:starter", "hub:a/b:c:balanced"])
def test_a_download_and_what_follows_it_have_one_bar(job_id: str):
    words = JobText(Clock())
    shares = []
    for stage, done in (("download", 4), ("download", 9), ("verify", 9), ("convert", 4), ("convert", 9), ("verify", 9)):
        words.describe(JobProgress(job_id, stage, done, 9))
        shares.append(words.share)
    assert shares == sorted(set(shares)), "each stage moves the bar on"
    assert shares[1] == pytest.approx(0.7)
    assert shares[-1] == 1


def test_what_is_read_through_before_a_download_goes_on_does_not_move_the_bar():
    words = JobText(Clock())
    shares = []
    for stage, done in (("verify", 3), ("download", 5), ("verify", 9), ("convert", 1)):
        words.describe(JobProgress("hub:a/b:c:balanced", stage, done, 9))
        shares.append(words.share)
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert shares[1] < 0.5


def test_a_download_that_begins_again_moves_the_bar_back_and_a_move_has_all_of_it():
    words = JobText(Clock())
    words.describe(JobProgress("fetch:starter", "download", 9, 10))
    words.describe(JobProgress("fetch:starter", "download", 1, 10))
    assert words.share == pytest.approx(0.07)
    words = JobText(Clock())
    words.describe(JobProgress("move:small", "move", 10, 10))
    assert words.share == 1


def test_a_job_that_waits_says_why():
    words = JobText(Clock())
    progress = JobProgress("hub:x", "download", 1, 2, waits_for="Paused, the disk is full")
    assert words.describe(progress) == "Paused, the disk is full"


def test_a_calibrated_conversion_tells_the_time_that_is_left():
    words = JobText(Clock())
    told = words.describe(JobProgress("j", "convert", 0, 36, left_s=250.0))
    assert told == "Convert layer 0 of 36 · about 4 min left"
    told = words.describe(JobProgress("j", "measure", 3, 36, left_s=20.0))
    assert told == "Compare with the source, layer 3 of 36 · about 20 s left"
