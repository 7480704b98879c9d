"""What a GGUF file says arrives: numbers, order of rows, sizes and options of the architecture."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import torch
from gguf import GGMLQuantizationType as Kind
from gguf.quants import dequantize as gguf_dequantize
from gguf.quants import quantize as gguf_quantize

from engine.convert import packing
from engine.convert.options import QuantizeOptions
from engine.convert.packing import pack, planned_format
from engine.convert.source import matrices
from engine.convert.sources.gguf_source import GgufSource
from engine.rope_spec import RopeSpec
from engine.store.layout import matrix_names
from kernels.formats import dequantize
from tests.engine.convert.packed_models import pack_model
from tests.engine.tiny_models import TinyGguf, tiny_gguf

Array = npt.NDArray[np.float32]


def permuted(rows: Array, num_heads: int) -> Array:
    """llama.cpp's order of q and k rows, as its converter makes it from the half-rotating one."""
    halves = rows.reshape(num_heads, 2, rows.shape[0] // num_heads // 2, *rows.shape[1:])
    return np.ascontiguousarray(halves.swapaxes(1, 2).reshape(rows.shape))


def through_file(values: Array, kind: Kind) -> torch.Tensor:
    """What is left of the values after the file's own rounding."""
    return torch.from_numpy(np.array(gguf_dequantize(gguf_quantize(values, kind), kind)))


def as_file(tiny: TinyGguf) -> dict[str, Array]:
    """The tensors as the file must hold them, for a model whose tensors are in our order."""
    if tiny.family != "llama":
        return tiny.tensors
    heads = {"attn_q": tiny.shape.num_heads, "attn_k": tiny.shape.num_kv_heads}
    tensors = dict(tiny.tensors)
    for name in tensors:
        for part, num_heads in heads.items():
            if f".{part}." in name:
                tensors[name] = permuted(tensors[name], num_heads)
    return tensors


@pytest.mark.parametrize("family", ["llama", "qwen2"])
@pytest.mark.parametrize("kind", [Kind.Q4_0, Kind.Q4_1, Kind.Q8_0], ids=lambda kind: kind.name)
@pytest.mark.parametrize("chunk_weights", [1 << 22, 100])
def test_every_matrix_arrives_bit_for_bit_and_in_our_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, family: str, kind: Kind, chunk_weights: int
) -> None:
    monkeypatch.setattr(packing, "CHUNK_WEIGHTS", chunk_weights)
    tiny = tiny_gguf(family, is_tied=False)
    wanted = dict(tiny.tensors)
    tiny.tensors = as_file(tiny)
    with GgufSource(tiny.write(tmp_path / "model.gguf", kind)) as source:
        packed, head_norm = pack_model(source), source.head().norm
    found = {name: dequantize(item.weight) for name, item in packed.matrices.items()}
    assert all((item.form.is_exact, item.form.error) == (True, 0.0) for item in packed.matrices.values())
    assert torch.equal(found["embedding"], through_file(wanted["token_embd.weight"], kind))
    for index, layer in enumerate(packed.layers):
        block = {
            name: through_file(wanted[f"blk.{index}.{name}.weight"], kind)
            for name in ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
        }
        place = f"layers.{index}."
        assert torch.equal(found[f"{place}qkv"], torch.cat([block["attn_q"], block["attn_k"], block["attn_v"]]))
        assert torch.equal(found[f"{place}output"], block["attn_output"])
        assert torch.equal(found[f"{place}gate_up"], torch.cat([block["ffn_gate"], block["ffn_up"]]))
        assert torch.equal(found[f"{place}down"], block["ffn_down"])
        assert torch.equal(layer.attention_norm, torch.from_numpy(wanted[f"blk.{index}.attn_norm.weight"]))
    assert torch.equal(found["head"], through_file(wanted["output.weight"], kind))
    assert torch.equal(head_norm, torch.from_numpy(wanted["output_norm.weight"]))


@pytest.mark.parametrize("family", ["llama", "qwen2"])
def test_biases_arrive_in_our_order(tmp_path: Path, family: str) -> None:
    tiny = tiny_gguf(family)
    wanted = {
        part: np.arange(size, dtype=np.float32) for part, size in (("attn_q", 64), ("attn_k", 32), ("attn_v", 32))
    }
    for index in range(tiny.shape.num_layers):
        tiny.tensors |= {f"blk.{index}.{part}.bias": bias for part, bias in wanted.items()}
    tiny.tensors = as_file(tiny)
    with GgufSource(tiny.write(tmp_path / "model.gguf")) as source:
        assert source.spec.has_qkv_bias
        bias = source.layer(1).qkv_bias
    assert bias is not None
    assert torch.equal(bias, torch.from_numpy(np.concatenate(list(wanted.values()))))


def test_mixed_types_are_stacked_without_loss(tmp_path: Path) -> None:
    tiny = tiny_gguf("qwen2")
    tiny.types = {"blk.0.attn_v.weight": Kind.Q8_0}
    with GgufSource(tiny.write(tmp_path / "model.gguf", Kind.Q4_1)) as source:
        packed = pack(source.layer(0).qkv, QuantizeOptions())
    listed, qkv = packed.form, packed.weight
    assert (listed.bits, listed.has_minimum, listed.source, listed.is_exact) == (8, True, "Q4_1+Q8_0", True)
    assert (qkv.bits, qkv.minimum is not None) == (8, True)
    assert torch.equal(dequantize(qkv)[96:], through_file(tiny.tensors["blk.0.attn_v.weight"], Kind.Q8_0))


@pytest.mark.parametrize(("bits", "tolerance"), [(3, 0.2), (4, 0.1), (8, 0.01)])
def test_other_types_are_rounded_to_the_asked_for_bits(tmp_path: Path, bits: int, tolerance: float) -> None:
    tiny = tiny_gguf("qwen2", is_tied=False)
    with GgufSource(tiny.write(tmp_path / "model.gguf", Kind.F16)) as source:
        packed = pack_model(source, QuantizeOptions(bits)).matrices
    assert {item.form.bits for item in packed.values()} == {bits}
    assert not any(item.form.is_exact for item in packed.values())
    down = packed["layers.0.down"].weight
    assert down.bits == bits
    wanted = torch.from_numpy(tiny.tensors["blk.0.ffn_down.weight"])
    assert float((dequantize(down) - wanted).norm() / wanted.norm()) < tolerance


def test_the_formats_announced_are_those_delivered(tmp_path: Path) -> None:
    tiny = tiny_gguf("llama", is_tied=False)
    tiny.types = {"blk.0.ffn_up.weight": Kind.F16, "blk.1.attn_q.weight": Kind.Q5_1, "output.weight": Kind.Q5_0}
    with GgufSource(tiny.write(tmp_path / "model.gguf", Kind.Q4_0)) as source:
        planned = {name: planned_format(matrix, QuantizeOptions()) for name, matrix in matrices(source)}
        packed = pack_model(source).matrices
    assert packed.keys() == planned.keys() == set(matrix_names(source.spec))
    for name, item in packed.items():
        form, weight = planned[name], item.weight
        assert replace(item.form, error=None, is_exact=form.is_exact) == form
        assert (weight.bits, weight.group_size, weight.minimum is not None) == (form.bits, 32, form.has_minimum)
        assert weight.size_bytes == form.size_bytes(weight.num_rows, weight.num_columns)


@pytest.mark.parametrize(
    ("metadata", "factors", "rope"),
    [
        ({}, None, RopeSpec(10000.0)),
        ({"llama.rope.scaling.type": "none", "llama.rope.scaling.factor": 4.0}, None, RopeSpec(10000.0)),
        ({"llama.rope.scaling.type": "linear", "llama.rope.scaling.factor": 4.0}, None, RopeSpec(10000.0, (4.0,) * 8)),
        ({"llama.rope.scale_linear": 2.0}, None, RopeSpec(10000.0, (2.0,) * 8)),
        ({"llama.rope.freq_base": 500000.0}, [1, 1, 1, 2, 4, 8, 8, 8], RopeSpec(5e5, (1, 1, 1, 2, 4, 8, 8, 8))),
    ],
)
def test_rotary_scaling_becomes_factors(
    tmp_path: Path, metadata: dict[str, object], factors: list[float] | None, rope: RopeSpec
) -> None:
    tiny = tiny_gguf(metadata=metadata)
    if factors is not None:
        tiny.tensors["rope_freqs.weight"] = np.array(factors, np.float32)
    with GgufSource(tiny.write(tmp_path / "model.gguf")) as source:
        assert source.spec.rope == rope


def test_head_size_window_and_tying_are_read(tmp_path: Path) -> None:
    metadata = {
        "llama.attention.sliding_window": 48,
        "llama.attention.key_length": 16,
        "llama.attention.value_length": 16,
    }
    path = tiny_gguf(metadata=metadata).write(tmp_path / "model.gguf")
    with GgufSource(path) as source:
        assert source.spec.sliding_window == 48
        assert source.spec.head_dim == 16
        assert source.spec.is_tied
        assert source.head().matrix is None
        assert source.license == "apache-2.0"
