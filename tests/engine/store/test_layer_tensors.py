"""Layers of every kind go to disk and come back; models of the first format still open."""

from __future__ import annotations

import json
from dataclasses import asdict, fields, replace
from pathlib import Path

import pytest
import torch

from engine.rope_spec import RopeSpec
from engine.spec import ExpertSpec, ModelSpec
from engine.store.checkpoint import Checkpoint
from engine.store.layer_tensors import assemble_layer, split_layer
from engine.store.layout import layer_matrices, layer_vectors, matrix_names, matrix_shapes
from engine.weights import ExpertWeights, LayerWeights
from kernels.formats import PackedWeight, quantize
from tests.engine.store.checkpoints import SPEC, make_checkpoint

SANDWICH = replace(SPEC, has_post_norms=True, query_key_norm="head", has_qkv_bias=False)
POST = replace(SPEC, has_pre_norms=False, has_post_norms=True, query_key_norm="projection")
EXPERTS = replace(SPEC, experts=ExpertSpec(5, 2, 32, True, dense_layers=(1,)))
LAYER_NORM = replace(
    SPEC,
    has_layer_norms=True,
    has_output_bias=True,
    has_feed_forward_bias=True,
    is_gated=False,
    is_parallel=True,
    activation="gelu",
)
SHARED = replace(SPEC, experts=ExpertSpec(5, 2, 32, False, shared_size=64))


def random_matrix(rows: int, columns: int, bits: int = 4) -> PackedWeight:
    return quantize(torch.randn(rows, columns), bits, 32, has_minimum=bits == 4)


def random_layer(spec: ModelSpec, index: int) -> LayerWeights[PackedWeight]:
    shapes, vectors = matrix_shapes(spec), layer_vectors(spec, index)
    made = {name: random_matrix(*shapes[name]) for name in layer_matrices(spec, index) if "experts" not in name}
    norms = {name: torch.randn(shape) for name, shape in vectors.items()}
    experts, routed = spec.layer_experts(index), None
    if experts is not None:
        inner, hidden = experts.intermediate_size, spec.hidden_size
        routed = ExpertWeights(
            norms.pop("router"),
            tuple(random_matrix(2 * inner, hidden) for _ in range(experts.num_experts)),
            tuple(random_matrix(hidden, inner) for _ in range(experts.num_experts)),
            made.pop("shared_gate_up", None),
            made.pop("shared_down", None),
            norms.pop("shared_gate", None),
        )
    empty = dict.fromkeys(each.name for each in fields(LayerWeights))
    return LayerWeights(**(empty | made | norms | {"experts": routed}))


def numbers(value: object) -> object:
    """The layer as nested lists, for comparison."""
    if isinstance(value, torch.Tensor):
        return value.tolist()
    return [numbers(each) for each in value] if isinstance(value, tuple) else value


@pytest.mark.parametrize("spec", [SPEC, SANDWICH, POST, EXPERTS, LAYER_NORM, SHARED])
@pytest.mark.parametrize("index", [0, 1])
def test_layers_of_every_kind_survive_the_way_through_named_tensors(spec: ModelSpec, index: int) -> None:
    torch.manual_seed(3)
    layer = random_layer(spec, index)
    matrices, vectors = split_layer(layer)
    shapes = matrix_shapes(spec)
    assert {name: (each.num_rows, each.num_columns) for name, each in matrices.items()} == {
        name: shapes[name] for name in layer_matrices(spec, index)
    }
    assert {name: tuple(each.shape) for name, each in vectors.items()} == layer_vectors(spec, index)
    back = assemble_layer(spec, index, matrices, vectors)
    assert _plain(back) == _plain(layer)


def test_experts_of_several_widths_are_stacked_in_the_widest() -> None:
    layer = random_layer(SHARED, 0)
    assert layer.experts is not None
    wide = random_matrix(64, 64, bits=8)
    experts = replace(layer.experts, gate_up=(*layer.experts.gate_up[:-1], wide))
    matrices, _ = split_layer(replace(layer, experts=experts))
    assert matrices["experts_gate_up"].bits == 8


def test_manifest_names_the_matrices_that_layers_have() -> None:
    names = matrix_names(EXPERTS)
    assert "layers.0.experts_down" in names
    assert "layers.1.down" in names
    assert "layers.1.experts_down" not in names


@pytest.mark.parametrize(
    "spec",
    [
        SHARED,
        EXPERTS,
        LAYER_NORM,
        replace(
            SPEC, rope=RopeSpec(1e4, (1.0,) * 4, 8, 1.5, (2.0,) * 4, 64), sliding_window=7, local_rope=RopeSpec(1e3)
        ),
        replace(SPEC, full_attention_layers=(0, 2), unrotated_layers=(1,), final_softcap=30.0, residual_scale=0.25),
    ],
)
def test_spec_survives_the_way_through_json(spec: ModelSpec) -> None:
    assert ModelSpec.from_json(json.loads(json.dumps(spec.to_json()))) == spec


def test_model_of_the_first_format_opens_as_it_was(tmp_path: Path) -> None:
    path = make_checkpoint(tmp_path / "a") / "manifest.json"
    before = Checkpoint.open(path.parent).manifest
    data = json.loads(path.read_text(encoding="utf-8"))
    first_fields = (
        "family num_layers hidden_size num_heads num_kv_heads head_dim intermediate_size vocab_size max_context "
        "rms_norm_eps has_qkv_bias is_tied activation sliding_window"
    )
    spec = data["spec"]
    rope = {name: spec["rope"][name] for name in ("theta", "frequency_factors")}
    data |= {"format_version": 1, "spec": {name: spec[name] for name in first_fields.split()} | {"rope": rope}}
    path.write_text(json.dumps(data), encoding="utf-8")
    checkpoint = Checkpoint.open(path.parent)
    assert checkpoint.manifest.spec == before.spec
    assert checkpoint.read_layer(0).qkv.num_rows == SPEC.qkv_size


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("head_dim", 2048),
        ("num_kv_heads", 3),
        ("query_key_norm", "row"),
        ("full_attention_layers", [3]),
        ("unrotated_layers", [-1]),
        ("unrotated_layers", 5),
        ("residual_scale", 0),
        ("final_softcap", float("inf")),
        ("has_post_norms", 1),
        ("has_layer_norms", 1),
        ("has_feed_forward_bias", True),
        ("rope", {"theta": 1e4, "rotary_dim": 7}),
        ("rope", {"theta": 1e4, "long_factors": [1.0] * 8}),
        ("rope", {"theta": 1e4, "long_factors": [1.0] * 8, "short_context": 1 << 40}),
        ("rope", {"theta": 1e4, "frequency_factors": [1.0]}),
        ("experts", {"num_experts": 2, "num_active": 3, "intermediate_size": 32, "normalizes_weights": True}),
        ("experts", {"num_experts": 1 << 40, "num_active": 3, "intermediate_size": 32, "normalizes_weights": True}),
        ("experts", {"num_experts": 2}),
    ],
)
def test_spec_that_no_model_has_is_refused(field: str, value: object) -> None:
    with pytest.raises((ValueError, TypeError, KeyError)):
        ModelSpec.from_json(SPEC.to_json() | {field: value})


def _plain(layer: LayerWeights[PackedWeight]) -> object:
    return json.dumps(asdict(layer), default=numbers, sort_keys=True)
