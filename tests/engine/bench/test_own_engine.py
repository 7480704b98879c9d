"""Our own side on a tiny model, in this process."""

import dataclasses

import pytest
from gguf import GGMLQuantizationType as Kind

from engine.__main__ import main
from engine.bench.kernel_cases import KernelLimits, measure_kernels, seen
from engine.bench.own_engine import load, obey
from engine.bench.protocol import Ask, Task
from engine.bench.stages import STAGES, StageTimer
from tests.engine.tiny_models import TinyShape, tiny_gguf

PROMPT = tuple(range(10, 90))


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    path = tiny_gguf(shape=TinyShape(max_context=512)).write(home / "tiny.gguf", Kind.Q4_0)
    assert main(["--home", str(home), "convert", str(path)]) == 0
    return home


@pytest.fixture(scope="module")
def side(home):
    options = {"home": str(home), "model": "tiny", "backend": "cpu", "num_threads": 1, "pool_tokens": 2048}
    return load({**options, "config": {"block_size": 8}})


def test_facts_tell_what_runs(side):
    assert side.facts["name"] == "DeepInfer"
    assert side.facts["blocks"] == "256 of 8 tokens"
    assert "native integer dot products" in side.facts["kernel"]


def test_every_token_has_its_time_and_all_come_past_an_end_token(side):
    first, second = side.run(Task((Ask(PROMPT, 20), Ask(PROMPT[:40], 10))))
    assert len(first.token_ids) == len(first.token_s) == 20
    assert len(second.token_ids) == 10
    assert first.token_s == sorted(set(first.token_s))
    assert side.core.num_live == 0


def test_prefix_is_reused_within_a_task_that_wants_it_but_never_between_tasks(side):
    asks = (Ask(PROMPT, 2), Ask((*PROMPT[:-3], 7, 8, 9), 2, (0, 2)))
    for _ in range(2):
        assert [answer.num_cached_tokens for answer in side.run(Task(asks, reuses_prefixes=True))] == [0, 72]
    assert [answer.num_cached_tokens for answer in side.run(Task(asks))] == [0, 0]


def test_guesses_are_counted_and_change_no_token(home, side):
    options = {"home": str(home), "model": "tiny", "backend": "cpu", "num_threads": 1, "pool_tokens": 2048}
    guessing = load({**options, "config": {"speculation": "lookup"}})
    task = Task((Ask(PROMPT[:20] * 4, 60),))
    (guessed,), (plain,) = guessing.run(task), side.run(task)
    assert guessed.token_ids == plain.token_ids
    assert guessed.num_drafted_tokens > 0
    assert guessed.num_accepted_tokens == len(guessed.token_ids) - len(set(guessed.token_s))
    assert plain.num_drafted_tokens == 0


def test_refused_ask_is_a_fault(side):
    with pytest.raises(RuntimeError, match="Needs 600 tokens"):
        side.run(Task((Ask(PROMPT, 520),)))


def test_profile_divides_the_decode_steps_into_stages(side):
    before = side.run(Task((Ask(PROMPT, 12),)))[0].token_ids
    profile = obey(side, {"profile": Task((Ask(PROMPT, 12), Ask(PROMPT[:40], 12))).to_json()})
    assert profile["stages"] == STAGES
    assert set(STAGES) - set(profile["seconds"]) <= {"drafting"}
    assert profile["num_steps"] == 11
    assert all(seconds > 0 for seconds in profile["seconds"].values())
    # Nothing of it is left behind.
    assert "embed" not in vars(side.backend)
    assert side.run(Task((Ask(PROMPT, 12),)))[0].token_ids == before


def test_every_operation_is_timed_with_its_bytes_and_arithmetic(side):
    limits = {"rows": (1, 3, 96), "num_context_tokens": 48, "seconds_per_case": 0.0, "has_large": False}
    times = {record["case"]: record for record in measure_kernels(side.checkpoint, side.backend, limits)}
    down = times["linear_add down W4 64x96, 3 rows"]
    assert down["num_ops"] == 2 * 3 * 64 * 96
    assert down["num_bytes"] == 64 * 96 // 2 + 2 * 64 * 96 // 32 + 4 * 3 * (64 + 96)
    assert down["float32_seconds"] is None
    assert times["linear_add down W4 64x96, 96 rows"]["float32_seconds"] > 0
    operations = {case.split(",")[0].split(" ")[0] for case in times}
    assert operations == {
        "norm_linear", "linear_add", "norm_gate_up", "embed", "copy_blocks", "rope_append", "paged_attention", "sample"
    }  # fmt: skip
    # One row sees all 48 tokens; 48 rows see 24.5 on average.
    assert times["paged_attention, 1 sequence of 48, 1 row each"]["num_ops"] == 4 * 48 * 64
    assert times["paged_attention, 1 sequence of 48, 48 rows each"]["num_ops"] == 4 * 24 * 49 * 64


def test_attention_is_counted_as_far_as_each_layer_sees(side):
    spec = side.checkpoint.manifest.spec
    assert seen(spec, 8, 12) == (9 + 10 + 11 + 12, 12)
    assert seen(dataclasses.replace(spec, sliding_window=4), 8, 12) == (4 * 4, 7)
    half_windowed = dataclasses.replace(spec, sliding_window=4, full_attention_layers=(1,))
    assert seen(half_windowed, 8, 12) == ((16 + 42) // 2, (7 + 12) // 2)
    assert seen(half_windowed, 0, 2) == (3, 2)


def test_a_feed_forward_without_a_gate_is_timed_as_one_product(side, monkeypatch):
    manifest = side.checkpoint.manifest
    plain = dataclasses.replace(manifest, spec=dataclasses.replace(manifest.spec, is_gated=False))
    layers = [side.checkpoint.read_layer(index) for index in range(plain.spec.num_layers)]
    monkeypatch.setattr(side.checkpoint, "manifest", plain)
    monkeypatch.setattr(side.checkpoint, "read_layer", layers.__getitem__)
    limits = {"rows": (1, 2), "num_context_tokens": 16, "seconds_per_case": 0.0, "has_large": False}
    cases = [record["case"] for record in measure_kernels(side.checkpoint, side.backend, limits)]
    assert "norm_linear up W4 192x64, 2 rows" in cases
    assert not any(case.startswith("norm_gate_up") for case in cases)


def test_defaults_of_the_kernels_end_in_a_long_prompt():
    assert KernelLimits().rows[-1] >= 128


def test_stages_are_exclusive_and_sum_to_the_whole():
    now_s = [0.0]

    def wait(seconds):
        now_s[0] += seconds

    timer = StageTimer(lambda: now_s[0])
    inner = timer.timed("inner", wait)

    def work():
        wait(1)
        inner(2)
        wait(4)
        inner(8)

    timer.timed("outer", work)()
    assert dict(timer.seconds) == {"inner": 10, "outer": 5}
    assert dict(timer.num_calls) == {"inner": 2, "outer": 1}
    timer.reset()
    assert not timer.seconds


def test_stage_that_raises_is_counted():
    timer = StageTimer()
    with pytest.raises(ZeroDivisionError):
        timer.timed("outer", lambda: 1 / 0)()
    assert timer.num_calls["outer"] == 1
