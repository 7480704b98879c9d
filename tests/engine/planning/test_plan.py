"""What a model needs, held against what packing it really takes; what fits; and what to change if nothing does."""

from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
import torch

from engine.config import EngineConfig
from engine.messages import Quality
from engine.planner import memory_need, plan, plans
from engine.planning.known_models import find_known, known_models
from engine.planning.sizes import MatrixGroup, matrix_groups, num_weights, packed_bytes, row_lengths, weight_bytes
from engine.quality import PRESETS, fitting_group
from engine.rope_spec import RopeSpec
from engine.spec import ExpertSpec, ModelSpec
from kernels.backends import load_backend
from kernels.formats import quantize
from tests.engine.models.tiny_families import FAMILIES, export, make_decoder, make_model

GIB = 1 << 30
SPEC = ModelSpec("llama", 2, 64, 4, 2, 16, 96, 300, 4096, 1e-5, RopeSpec(1e4), False, True)
MIXED = replace(SPEC, experts=ExpertSpec(8, 2, 32, True, shared_size=64, dense_layers=(0,)), is_tied=False)
QUALITIES = get_args(Quality)


@pytest.mark.parametrize("quality", QUALITIES)
@pytest.mark.parametrize("spec", [SPEC, replace(SPEC, is_tied=False), MIXED], ids=["tied", "untied", "experts"])
def test_predicted_weights_are_what_packing_takes(spec: ModelSpec, quality: Quality) -> None:
    backend, preset = load_backend("cpu"), PRESETS[quality]
    group_size = fitting_group(preset.group_size, row_lengths(spec))
    held = 0
    for group in matrix_groups(spec):
        bits = preset.bits_of(group.kind)
        packed = quantize(torch.randn(group.num_rows, group.num_columns), bits, group_size, bits != 8)
        held += group.count * backend.resident_bytes(backend.prepare(packed))
    assert weight_bytes(spec, preset).resident_bytes == pytest.approx(held, rel=0.01)


@pytest.mark.parametrize("name", FAMILIES)
def test_predicted_weights_are_what_a_model_of_each_family_holds(name: str, tmp_path: Path) -> None:
    """The model is transformers' own, packed as "faithful" packs it."""
    backend, exported = load_backend("cpu"), export(make_model(FAMILIES[name]), tmp_path)
    group_size = fitting_group(PRESETS["faithful"].group_size, row_lengths(exported.spec))

    held = []

    def packed(values: torch.Tensor) -> object:
        matrix = backend.prepare(quantize(values, 8, group_size, has_minimum=False))
        held.append(backend.resident_bytes(matrix))
        return matrix

    make_decoder(exported, backend, packed)
    need = memory_need(exported.spec, "faithful", EngineConfig(weights="memory"))
    assert need.weights_bytes == pytest.approx(sum(held), rel=0.01)


def test_a_mapped_table_of_which_rows_are_looked_up_takes_no_memory() -> None:
    untied = replace(SPEC, is_tied=False)
    mapped, in_memory = (memory_need(untied, "faithful", EngineConfig(weights=how)) for how in ("mapped", "memory"))
    assert in_memory.total_bytes(0) - mapped.total_bytes(0) == packed_bytes(300, 64, 8, 32, has_minimum=False)
    assert mapped.resident_bytes < mapped.total_bytes(0)
    assert (mapped.disk_bytes, in_memory.disk_bytes) == (2 * mapped.weights_bytes, in_memory.weights_bytes)
    assert memory_need(SPEC, "faithful").looked_up_bytes == 0


def test_only_active_experts_are_read() -> None:
    weights = weight_bytes(MIXED, PRESETS["balanced"])
    assert weights.read_bytes < weights.resident_bytes
    groups = {group.kind: group for group in matrix_groups(MIXED)}
    assert groups["experts_gate_up"] == MatrixGroup("experts_gate_up", 8 * 64, 64, 1, 0.25)
    assert groups["gate_up"].count == groups["shared_down"].count == 1


@pytest.mark.parametrize(
    ("name", "billions"),
    [("SmolLM2 135M", 0.1345), ("Qwen2.5 0.5B", 0.494), ("Qwen2.5 7B", 7.615), ("Llama 3.2 1B", 1.236),
     ("Qwen3 4B", 4.022), ("Gemma 2 2B", 2.614), ("Gemma 3 1B", 1.0), ("Phi-4-mini", 3.836), ("SmolLM3 3B", 3.075),
     ("DeepSeek-V2-Lite", 15.7)],
)  # fmt: skip
def test_known_models_have_as_many_weights_as_their_publishers_say(name: str, billions: float) -> None:
    known = find_known(name)
    assert known is not None
    assert num_weights(known.spec) / 1e9 == pytest.approx(billions, rel=0.005)


def test_known_models_are_found_by_what_people_type() -> None:
    assert find_known("qwen2.5-7b") is find_known("Qwen2.5 7B") is not None
    assert find_known("qwen25 7b") is None


def test_rows_are_filled_up_to_eight() -> None:
    assert packed_bytes(1, 64, 4, 32, True) == packed_bytes(8, 64, 4, 32, True) == 8 * (32 + 2 * 4)


@pytest.mark.parametrize(("lengths", "expected"), [({128, 256}, 128), ({576, 1536}, 64), ({96}, 32), ({100}, 32)])
def test_a_group_is_halved_until_it_divides_all_rows(lengths: set[int], expected: int) -> None:
    assert fitting_group(128, lengths) == expected


def test_smaller_qualities_need_less() -> None:
    needs = [memory_need(SPEC, quality).weights_bytes for quality in ("smallest", "balanced", "faithful")]
    assert needs == sorted(needs)
    assert len(set(needs)) == 3


def test_what_is_said_to_fit_does_fit_and_one_tab_more_does_not() -> None:
    for known in known_models():
        for item in plans(known.spec, 4 * GIB):
            for tabs in item.tabs:
                if known.spec.cache_window is None:
                    assert item.need.total_bytes(tabs.num_tabs * tabs.context) <= 4 * GIB
                    assert item.need.total_bytes((tabs.num_tabs + 1) * tabs.context) > 4 * GIB


def test_a_model_that_does_not_fit_gets_numbers_and_a_way_out() -> None:
    known = find_known("Qwen3 4B")
    assert known is not None
    item = plan(known.spec, "faithful", 4 * GIB)
    assert not item.is_useful
    assert item.context == 0
    assert item.tabs == ()
    assert "4.0 GiB given" in item.advice[0]
    assert item.advice[1].startswith("In the quality smallest it fits, with ")


def test_without_a_quality_that_fits_a_smaller_model_is_advised() -> None:
    known = find_known("Gemma 2 9B")
    assert known is not None
    item = plan(known.spec, "smallest", 4 * GIB)
    assert "pick a model of at most some" in item.advice[-1]


def test_no_memory_at_all_is_told_without_nonsense() -> None:
    item = plan(SPEC, "smallest", 1)
    assert item.context == 0
    assert len(item.advice) == 1


def test_a_window_of_all_layers_makes_long_chats_cheap() -> None:
    windowed = replace(SPEC, sliding_window=256, max_context=4096)
    memory = memory_need(SPEC, "balanced").total_bytes(4096)
    assert plan(windowed, "balanced", memory).tabs[-1].num_tabs > plan(SPEC, "balanced", memory).tabs[-1].num_tabs


def test_a_larger_budget_of_tokens_needs_more_workspace() -> None:
    small, large = (memory_need(SPEC, "balanced", EngineConfig(max_batched_tokens=n)) for n in (256, 1024))
    assert small.workspace_bytes < large.workspace_bytes
