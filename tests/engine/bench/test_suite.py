"""The benchmark from end to end, on sides that only count."""

import sys

from engine.bench.side import SideProgram
from engine.bench.suite import Plan, Suite

TEXTS = {"long": (1, 2, 3) * 200, "short": (4, 5)}


def program(label, **options):
    return SideProgram(label, sys.executable, "tests.engine.bench.fake_side", options)


def run(*names, peers=(), max_context=4096, num_rounds=2):
    """The sections by name, what was said meanwhile, and the configurations of our own side."""
    sections, said, configs = {}, [], []

    def own(label, config, pool_tokens):
        configs.append((config, pool_tokens))
        return program(label)

    speeds = iter((36.04e9, 35e9))
    plan = Plan(names, own, peers, 5000, max_context, TEXTS, num_rounds, 100, measure_reading=lambda: next(speeds))
    suite = Suite(plan, lambda section: sections.setdefault(section.name, section), said.append)
    suite.run()
    assert all(facts["name"] == "counting" for facts in suite.facts.values())
    return sections, said, configs


def test_compared_workloads_have_a_sample_of_each_side_and_round():
    names = ("decode", "prefill", "prefix", "mixed", "serial-vs-concurrent")
    sections, _, _ = run(*names, peers=((program("peer"),),))
    assert list(sections) == [*names, "memory"]
    for name in names:
        for result in sections[name].data:
            assert {label: len(values) for label, values in result["samples"].items()} == {"DeepInfer": 2, "peer": 2}
        (chart,) = sections[name].charts
        assert chart.series == ["DeepInfer", "peer"]
    assert sections["decode"].charts[0].groups == ["1 sequence", "4 sequences", "8 sequences", "16 sequences"]
    assert sections["mixed"].charts[0].groups == ["gap, undisturbed", "gap, worst"]
    assert len(sections["memory"].charts) == 1
    assert [row[0] for row in sections["decode"].table.rows] == [
        "1 sequence",
        "4 sequences",
        "8 sequences",
        "16 sequences",
    ]
    assert sections["decode"].notes == (
        "The machine read 36.0 GB/s from memory before these rounds and 35.0 after them; "
        "a sequence alone reads all weights for each token.",
        "peer: 100 % of its tokens come before the first that differs from DeepInfer's.",
    )
    assert sections["prefix"].table.rows[-1][1:3] == ("1,017", "1,017")


def test_of_several_peers_each_has_its_column_and_ratio():
    sections, _, _ = run("prefill", peers=((program("peer"),), (program("other"),)), max_context=600, num_rounds=1)
    assert sections["prefill"].table.headers[1:] == ("DeepInfer", "peer", "other", "ratio to peer", "ratio to other")


def test_cases_beyond_the_models_context_are_left_out_and_said():
    sections, said, _ = run("prefill", max_context=600, num_rounds=1)
    assert [row[0] for row in sections["prefill"].table.rows] == ["128 tokens", "512 tokens"]
    assert "prefill: 2048 tokens does not fit a context of 600 tokens" in said


def test_load_starts_every_side_anew_in_each_round():
    sections, said, _ = run("load", peers=((program("peer"),),))
    assert said == [
        "load: DeepInfer, round 1",
        "load: peer, round 1",
        "load: peer, round 2",
        "load: DeepInfer, round 2",
    ]
    rows = {row[0]: row for row in sections["load"].table.rows}
    assert set(rows) == {
        "load [s]", "start of the program to the first token [s]", "peak memory [MiB]", "private memory [MiB]"
    }  # fmt: skip
    seconds, memory = sections["load"].charts
    assert seconds.groups == ["load", "start of the program to the first token"]
    assert memory.groups == ["peak memory", "private memory"]
    assert memory.title.endswith("(in MiB, less is better)")
    assert [len(bars) for bars in memory.values] == [2, 2]


def test_speculation_is_compared_with_its_absence_on_each_text_that_fits():
    sections, said, configs = run("speculation", max_context=400)
    assert [config for config, _ in configs if config] == [{"speculation": "lookup"}, {"speculation": "off"}]
    assert {result["case"] for result in sections["speculation"].data} == {"short"}
    assert sections["speculation"].table.headers == ("short", "lookup", "off", "ratio")
    assert sections["speculation"].notes == (
        "off: 100 % of its tokens come before the first that differs from lookup's.",
    )
    assert "speculation: long does not fit a context of 400 tokens" in said


def test_sweep_runs_an_engine_for_each_block_size_and_limit():
    sections, _, configs = run("sweep", num_rounds=1)
    swept = [config for config, _ in configs if config]
    assert [(config["block_size"], config["max_running_sequences"]) for config in swept] == [
        (size, count) for size in (8, 16, 32) for count in (2, 4, 8)
    ]
    assert len(sections["sweep"].data) == 9
    assert len(sections["sweep"].table.rows) == 3


def test_pool_holds_the_largest_workload_and_no_more_than_it_needs():
    _, _, ((_, pool_tokens),) = run("decode", "mixed", num_rounds=1)
    needed = max(4 * (64 + 96) + 2001, 16 * (64 + 32 + 8 * 16))
    assert needed < pool_tokens < 1.5 * needed
