"""Percentiles by nearest rank, and goodput by its definition."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.goodput import Goodput, LatencyTargets, goodput
from engine.records import Percentiles, RequestRecord, summarize


def record(**fields: object) -> RequestRecord:
    settings = {"request_id": "r", "end": "stop", "arrival_s": 0.0, "end_s": 10.0, "ttft_s": 1.0, "tpot_s": 0.1}
    return RequestRecord(**{**settings, **fields})  # type: ignore[arg-type]


def test_percentiles_are_the_values_at_the_nearest_ranks():
    assert Percentiles.of(range(1, 101)) == Percentiles(50, 95, 99)
    assert Percentiles.of([15, 20, 35, 40, 50]) == Percentiles(35, 50, 50)
    assert Percentiles.of([7.0]) == Percentiles(7.0, 7.0, 7.0)
    assert Percentiles.of([]) is None


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=300))
def test_so_many_percent_of_the_values_do_not_exceed_a_percentile(values: list[float]):
    found = Percentiles.of(values)
    assert found is not None
    for percent, value in ((50, found.p50), (95, found.p95), (99, found.p99)):
        assert value in values
        assert 100 * sum(other <= value for other in values) >= percent * len(values)
        assert 100 * sum(other < value for other in values) < percent * len(values)


def test_summary_leaves_out_what_was_refused_and_what_was_never_measured():
    summary = summarize(
        [
            record(queue_s=1.0, ttft_s=2.0, tpot_s=0.5),
            record(queue_s=3.0, ttft_s=None, tpot_s=None, end="cancelled", end_s=4.0),
            record(end="refused", ttft_s=None, tpot_s=None, end_s=0.0),
        ]
    )
    assert summary.queue_s == Percentiles(1.0, 3.0, 3.0)
    assert summary.ttft_s == Percentiles(2.0, 2.0, 2.0)
    assert summary.e2e_s == Percentiles(4.0, 10.0, 10.0)
    assert summarize([]).ttft_s is None


@pytest.mark.parametrize(
    ("targets", "num_good"),
    [
        (LatencyTargets(), 3),
        (LatencyTargets(ttft_s=1.0), 2),
        (LatencyTargets(tpot_s=0.1), 2),
        (LatencyTargets(e2e_s=9.9), 0),
        (LatencyTargets(ttft_s=1.0, tpot_s=0.1, e2e_s=10.0), 1),
    ],
)
def test_good_is_what_met_every_target_that_was_given(targets: LatencyTargets, num_good: int):
    records = [record(), record(ttft_s=1.5), record(tpot_s=0.2, end="length")]
    assert goodput(records, targets) == Goodput(3, num_good)


def test_goodput_counts_what_failed_and_what_was_refused():
    records = [record(arrival_s=5.0, end_s=7.0), record(end="failed"), record(end="refused"), record(arrival_s=1.0)]
    found = goodput(records, LatencyTargets(ttft_s=2.0))
    assert (found.num_good, found.num_requests) == (2, 4)
    assert found.share == 0.5


def test_cancelled_requests_count_on_neither_side():
    assert goodput([record(end="cancelled")], LatencyTargets()) == Goodput(0, 0)
    assert goodput([record(end="cancelled"), record()], LatencyTargets()).share == 1.0


def test_an_answer_of_one_token_has_no_pace_to_miss():
    assert LatencyTargets(tpot_s=0.01).are_met_by(record(tpot_s=None))


def test_goodput_of_nothing_has_no_share():
    assert goodput([], LatencyTargets(ttft_s=1.0)).share is None
