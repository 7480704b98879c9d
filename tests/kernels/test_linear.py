"""The operations around a packed linear: every backend against the reference, on every format and odd shapes."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - torch's own abbreviation
from torch import nn

from kernels.faces import TensorFace
from kernels.fallback import weights
from kernels.fallback.backend import TorchBackend
from kernels.formats import BITS, dequantize
from kernels.ops import Backend
from tests.kernels.cases import FORMATS, assert_rows_close, random_layer_norm, random_norm, random_weight

# rows of the call, and how many of them are narrow
ROWS = [(1, None), (17, None), (129, None), (1, 0), (129, 0), (150, 17), (130, 130)]


@pytest.mark.parametrize(("bits", "group_size", "has_minimum"), FORMATS)
@pytest.mark.parametrize("num_narrow_rows", [None, 0])
def test_every_format_multiplies_like_the_reference(
    backend: Backend, reference: Backend, bits: int, group_size: int, has_minimum: bool, num_narrow_rows: int | None
) -> None:
    weight, norm, bias = random_weight(72, 256, bits, group_size, has_minimum), random_norm(256), torch.randn(72)
    x = torch.randn(17, 256)
    actual = backend.norm_linear(x, norm, backend.prepare(weight), bias, num_narrow_rows)
    expected = reference.norm_linear(x, norm, reference.prepare(weight), bias)
    assert actual.dtype == torch.float32
    assert_rows_close(actual, expected)


@pytest.mark.parametrize(("rows", "num_narrow_rows"), ROWS)
@pytest.mark.parametrize("has_bias", [False, True])
def test_norm_linear(
    backend: Backend, reference: Backend, rows: int, num_narrow_rows: int | None, has_bias: bool
) -> None:
    weight, norm = random_weight(200, 96), random_norm(96)
    bias = torch.randn(200) if has_bias else None
    x = torch.randn(rows, 96) * torch.logspace(-3, 2, rows).unsqueeze(1)
    actual = backend.norm_linear(x, norm, backend.prepare(weight), bias, num_narrow_rows)
    assert_rows_close(actual, reference.norm_linear(x, norm, reference.prepare(weight), bias))


@pytest.mark.parametrize(("rows", "num_narrow_rows"), ROWS)
@pytest.mark.parametrize("has_post_norm", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_linear_add(
    backend: Backend,
    reference: Backend,
    rows: int,
    num_narrow_rows: int | None,
    has_post_norm: bool,
    dtype: torch.dtype,
) -> None:
    weight, post_norm = random_weight(88, 160), random_norm(88) if has_post_norm else None
    x, residual = torch.randn(rows, 160).to(dtype), torch.randn(rows, 88)
    kept = residual.clone()
    actual = backend.linear_add(x, backend.prepare(weight), residual, post_norm, num_narrow_rows)
    assert_rows_close(actual, reference.linear_add(x, reference.prepare(weight), residual, post_norm))
    assert actual.dtype == torch.float32
    assert torch.equal(residual, kept)


@pytest.mark.parametrize(("rows", "num_narrow_rows"), ROWS)
@pytest.mark.parametrize("activation", [None, "silu", "gelu_tanh", "gelu"])
def test_layer_norm_bias_and_activation(
    backend: Backend, reference: Backend, rows: int, num_narrow_rows: int | None, activation: str | None
) -> None:
    weight, norm, bias = random_weight(203, 96), random_layer_norm(96), torch.randn(203)
    x = 3 + torch.randn(rows, 96)
    actual = backend.norm_linear(x, norm, backend.prepare(weight), bias, num_narrow_rows, activation)
    expected = reference.norm_linear(x, norm, reference.prepare(weight), bias, None, activation)
    assert actual.dtype == torch.float32
    assert_rows_close(actual, expected)


@pytest.mark.parametrize("activation", [None, "silu", "gelu_tanh", "gelu"])
def test_the_reference_is_what_torch_computes(reference: Backend, activation: str | None) -> None:
    weight, norm, bias, x = random_weight(40, 96), random_layer_norm(96), torch.randn(40), 3 + torch.randn(5, 96)
    y = F.linear(F.layer_norm(x, (96,), norm.weight, norm.bias, norm.eps), dequantize(weight), bias)
    functions = {None: nn.Identity(), "silu": nn.SiLU(), "gelu_tanh": nn.GELU("tanh"), "gelu": nn.GELU()}
    actual = reference.norm_linear(x, norm, reference.prepare(weight), bias, None, activation)
    torch.testing.assert_close(actual, functions[activation](y))


@pytest.mark.parametrize("has_post_norm", [False, True])
@pytest.mark.parametrize(("rows", "num_narrow_rows"), [(1, None), (129, 17)])
def test_a_bias_is_added_before_the_norm(
    backend: Backend, reference: Backend, rows: int, num_narrow_rows: int | None, has_post_norm: bool
) -> None:
    weight, post_norm, bias = random_weight(88, 160), random_norm(88) if has_post_norm else None, torch.randn(88)
    x, residual = torch.randn(rows, 160), torch.randn(rows, 88)
    actual = backend.linear_add(x, backend.prepare(weight), residual, post_norm, num_narrow_rows, bias)
    assert_rows_close(actual, reference.linear_add(x, reference.prepare(weight), residual, post_norm, None, bias))


@pytest.mark.parametrize(("rows", "num_narrow_rows"), ROWS)
@pytest.mark.parametrize("activation", ["silu", "gelu_tanh", "gelu"])
def test_norm_gate_up(
    backend: Backend, reference: Backend, rows: int, num_narrow_rows: int | None, activation: str
) -> None:
    weight, norm, x = random_weight(2 * 100, 64), random_norm(64), torch.randn(rows, 64)
    actual = backend.norm_gate_up(x, norm, backend.prepare(weight), activation, num_narrow_rows)
    expected = reference.norm_gate_up(x, norm, reference.prepare(weight), activation)
    assert actual.is_contiguous()
    # The errors of gate and up multiply: twice those of x in eight bits.
    assert_rows_close(actual, expected, tolerance=0.08 if isinstance(backend, TensorFace) else 0.025)


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("scale", [1.0, 12.0])
def test_embed_gathers_rows_of_the_table(backend: Backend, reference: Backend, bits: int, scale: float) -> None:
    table = random_weight(50, 64, bits)
    token_ids = torch.tensor([49, 0, 7, 7])
    expected = dequantize(table)[token_ids] * scale
    for each in (backend, reference):
        assert torch.equal(each.embed(each.prepare(table), token_ids, scale), expected)


@pytest.mark.parametrize("bits", [3, 8])
@pytest.mark.parametrize("num_narrow_rows", [None, 2])
def test_a_weight_longer_than_the_packing_steps(
    backend: Backend, reference: Backend, monkeypatch: pytest.MonkeyPatch, bits: int, num_narrow_rows: int | None
) -> None:
    monkeypatch.setattr(weights, "_PACK_ROWS", 64)
    monkeypatch.setattr(weights, "_DENSE_ELEMENTS", 70 * 64)
    weight, norm, x = random_weight(203, 64, bits), random_norm(64), torch.randn(70, 64)
    actual = backend.norm_linear(x, norm, backend.prepare(weight), num_narrow_rows=num_narrow_rows)
    assert_rows_close(actual, reference.norm_linear(x, norm, reference.prepare(weight)))


@pytest.mark.parametrize(("bits", "group_size", "has_minimum"), FORMATS)
def test_a_weight_is_written_out_from_the_scales_of_the_int4_kernel(
    bits: int, group_size: int, has_minimum: bool
) -> None:
    weight = random_weight(24, 128, bits, group_size, has_minimum)
    scale, zero = weights.centred_scales(weight)
    dense = weights.dense_rows(weight, 3, 20, torch.float32)
    through_kernel = weights.linear(torch.eye(128).bfloat16(), weights.pack(weight), None, torch.float32).t()
    assert torch.equal(through_kernel[3:20], dense.bfloat16())
    exact = dequantize(weight)[3:20]
    spread = (scale.float().abs() * (1 << bits)).repeat_interleave(group_size, dim=1)[3:20]
    assert bool(((dense - exact).abs() <= spread * 2.0**-8 + zero.float().abs().max() * 2.0**-8).all())


def test_facts_name_the_container_that_runs(reference: Backend) -> None:
    backend = TorchBackend()
    facts = {bits: backend.describe(random_weight(16, 32, bits)) for bits in BITS}
    assert facts[3].weight_format.startswith("3-bit codes in int4")
    assert facts[4].weight_format.startswith("int4, groups of 32")
    assert facts[5].weight_format.startswith("5-bit codes in two int4 planes")
    assert facts[8].weight_format.startswith("8-bit codes in two int4 planes")
    assert {fact.activation for fact in facts.values()} == {"bfloat16"}
    assert reference.describe(random_weight(16, 32)).weight_format == "float32"


@pytest.mark.parametrize(("bits", "num_planes"), [(3, 1), (4, 1), (5, 2), (8, 2)])
def test_a_prepared_weight_counts_the_bytes_it_holds_itself(reference: Backend, bits: int, num_planes: int) -> None:
    backend, weight = TorchBackend(), random_weight(20, 64, bits)
    # 20 rows are padded to 32; nibbles, and two bfloat16 a group.
    assert backend.resident_bytes(backend.prepare(weight)) == 32 * num_planes * (64 // 2 + 64 // 32 * 4)
    assert reference.resident_bytes(reference.prepare(weight)) == 20 * 64 * 4
