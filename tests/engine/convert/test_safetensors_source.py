"""A folder of safetensors becomes a listed model: whatever its numbers are kept in, and only if it is whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from engine.__main__ import main
from engine.convert.opening import open_source
from engine.convert.options import QuantizeOptions
from engine.convert.pipeline import Conversion, convert_file
from engine.convert.sources.safetensors_source import SafetensorsSource
from engine.errors import SourceError
from engine.store.checkpoint import Checkpoint
from engine.store.library import Library
from kernels.formats import dequantize
from tests.engine.convert.hf_folders import HfFolder, ToTensors, float_weights, llama_folder
from tests.engine.convert.integer_checkpoints import (
    Quantised,
    awq_tensors,
    compressed_tensors,
    gptq_tensors,
    quantise,
)
from tests.engine.convert.packed_models import pack_model

SEVEN_PARTS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")


def layer_values(weights: dict[str, Tensor], index: int) -> dict[str, Tensor]:
    """The float matrices of a layer, stacked as the checkpoint has them."""
    found = {name.split(".")[-2]: values for name, values in weights.items() if f"layers.{index}." in name}
    return {
        "qkv": torch.cat([found["q_proj"], found["k_proj"], found["v_proj"]]),
        "output": found["o_proj"],
        "gate_up": torch.cat([found["gate_proj"], found["up_proj"]]),
        "down": found["down_proj"],
    }


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("num_shards", [1, 3])
def test_plain_numbers_arrive_as_they_are(tmp_path: Path, dtype: torch.dtype, num_shards: int) -> None:
    folder = llama_folder(is_tied=False, dtype=dtype).write(tmp_path / "model", num_shards)
    wanted = {name: values.to(dtype).float() for name, values in float_weights(False, 0).items()}
    with SafetensorsSource(folder) as source:
        assert not source.spec.is_tied
        assert torch.equal(source.embedding().read_values(0, 7), wanted["model.embed_tokens.weight"][:7])
        layer = source.layer(1)
        for name, values in layer_values(wanted, 1).items():
            assert torch.equal(getattr(layer, name).read_values(0, len(values)), values)
        assert layer.attention_norm is not None
        assert torch.equal(layer.attention_norm, wanted["model.layers.1.input_layernorm.weight"])
        packed = pack_model(source)
    assert {item.form.bits for item in packed.matrices.values()} == {8}
    assert all(0 < (item.form.error or 0) < 0.01 for item in packed.matrices.values())


def float8_parts(scales: str) -> ToTensors:
    """One scale per matrix, per row, or per block of 32 by 32, all of them powers of two."""

    def parts(name: str, values: Tensor) -> dict[str, Tensor]:
        rows, columns = values.shape
        shape = {"one": (), "rows": (rows, 1), "blocks": (-(-rows // 32), -(-columns // 32))}[scales]
        scale = torch.from_numpy(np.array(2.0 ** np.random.default_rng(3).integers(-9, -7, shape), np.float32))
        spread = scale if scales != "blocks" else scale.repeat_interleave(32, 0).repeat_interleave(32, 1)
        spread = spread[:rows, :columns] if scales == "blocks" else spread
        stored = (values / spread).to(torch.float8_e4m3fn)
        key = "weight_scale_inv" if scales == "blocks" else "weight_scale"
        return {name: stored, name.replace("weight", key): scale}

    return parts


@pytest.mark.parametrize("scales", ["one", "rows", "blocks"])
def test_8_bit_floats_are_multiplied_by_their_scales(tmp_path: Path, scales: str) -> None:
    config = {"quantization_config": {"quant_method": "fp8", "weight_block_size": [32, 32]}}
    made = llama_folder(to_tensors=float8_parts(scales), config=config)
    with SafetensorsSource(made.write(tmp_path / "model")) as source:
        down = source.layer(0).down
        assert down is not None
        values = down.read_values(0, down.num_rows)
        name = "model.layers.0.mlp.down_proj.weight"
        tensors = float8_parts(scales)(name, float_weights(True, 0)[name])
        scale = next(value for key, value in tensors.items() if key != name)
        rows, columns = (torch.arange(size) for size in values.shape)
        if scales == "blocks":
            scale = scale[rows // 32][:, columns // 32]
        assert torch.equal(values, tensors[name].float() * scale)
    wanted = float_weights(True, 0)[name]
    assert float((values - wanted).norm() / wanted.norm()) < 0.05


def quantised(name: str, values: Tensor, *, is_permuted: bool = False, is_symmetric: bool = True) -> Quantised:
    group_of = np.arange(values.shape[1]) // 32
    if is_permuted:
        group_of = np.random.default_rng(len(name)).permutation(group_of)
    return quantise(values.numpy(), 4, group_of, is_symmetric=is_symmetric, min_zero=1)


def module_tensors(name: str, tensors: dict[str, Any]) -> dict[str, Tensor]:
    module = name.removesuffix(".weight")
    return {f"{module}.{part}": torch.from_numpy(np.array(values)) for part, values in tensors.items()}


def gptq_parts(name: str, values: Tensor) -> dict[str, Tensor]:
    parts = gptq_tensors(quantised(name, values), 4, zero_offset=1, has_order=True)
    # AutoGPTQ writes biases that the model does not have.
    return module_tensors(name, {**parts, "bias": np.zeros(len(values), np.float16)})


METHODS: dict[str, tuple[ToTensors, dict[str, Any]]] = {
    "gptq": (gptq_parts, {"quant_method": "gptq", "bits": 4, "group_size": 32, "desc_act": False, "sym": True}),
    "awq": (
        lambda name, values: module_tensors(name, awq_tensors(quantised(name, values))),
        {"quant_method": "awq", "bits": 4, "group_size": 32, "version": "gemm", "zero_point": True},
    ),
    "compressed-tensors": (
        lambda name, values: module_tensors(
            name, compressed_tensors(quantised(name, values), 4, is_symmetric=True, has_order=False)
        ),
        {
            "quant_method": "compressed-tensors",
            "format": "pack-quantized",
            "config_groups": {"group_0": {"weights": {"num_bits": 4, "type": "int", "group_size": 32}}},
        },
    ),
}


@pytest.mark.parametrize("method", METHODS)
def test_quantised_models_are_converted_verified_and_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], method: str
) -> None:
    to_tensors, section = METHODS[method]
    made = llama_folder(dtype=torch.float16, to_tensors=to_tensors, config={"quantization_config": section})
    folder = made.write(tmp_path / "My Model", num_shards=2)
    home = tmp_path / "home"
    assert main(["--home", str(home), "--json", "convert", str(folder)]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["model_id"] == "my-model"
    assert not report["is_exact"]
    assert report["tensors"]["embedding"]["source"] == "F16"
    assert 0 < report["tensors"]["embedding"]["error"] < 0.01
    checkpoint = Checkpoint.open(home / "models" / "my-model")
    checkpoint.verify()
    weights = float_weights(True, 0)
    names = [name for name in weights if "layers.0." in name and "_proj" in name]
    exact = layer_values({name: torch.from_numpy(quantised(name, weights[name]).values) for name in names}, 0)
    layer = checkpoint.read_layer(0)
    for name, values in exact.items():
        form = report["tensors"][f"layers.0.{name}"]
        assert (form["is_exact"], form["error"], form["bits"], form["group_size"]) == (True, 0.0, 4, 32)
        assert torch.equal(dequantize(getattr(layer, name)), values)
    assert main(["--home", str(home), "inspect", "my-model"]) == 0
    shown = capsys.readouterr().out
    assert "qkv         4 bits in groups of 32, exactly from " in shown
    assert "from F16, error 0." in shown
    assert main(["--home", str(home), "generate", "my-model", "--prompt", "hello", "--max-tokens", "4"]) == 0


def test_down_keeps_its_codes_in_another_order_which_gate_and_up_follow(tmp_path: Path) -> None:
    def parts(name: str, values: Tensor) -> dict[str, Tensor]:
        matrix = quantised(name, values, is_permuted=True)
        return module_tensors(name, gptq_tensors(matrix, 4, zero_offset=1, has_order=True))

    section = {"quant_method": "gptq", "bits": 4, "group_size": 32, "desc_act": True}
    made = llama_folder(to_tensors=parts, config={"quantization_config": section})
    with SafetensorsSource(made.write(tmp_path / "model")) as source:
        packed, layers = pack_model(source, QuantizeOptions(8)), [source.layer(0)]
    weights = float_weights(True, 0)
    wanted = {
        name: torch.from_numpy(quantised(full, weights[full], is_permuted=True).values)
        for name in ("gate_proj", "up_proj", "down_proj")
        for full in [full_name(name)]
    }
    down, gate_up = packed.matrices["layers.0.down"], packed.matrices["layers.0.gate_up"]
    assert (down.form.is_exact, down.form.bits) == (True, 4)
    assert not gate_up.form.is_exact
    order = torch.from_numpy(
        np.argsort(
            quantised(full_name("down_proj"), weights[full_name("down_proj")], is_permuted=True).group_of, kind="stable"
        )
    )
    assert torch.equal(dequantize(down.weight), wanted["down_proj"][:, order])
    values = torch.cat([wanted["gate_proj"][order], wanted["up_proj"][order]])
    assert layers[0].gate_up is not None
    torch.testing.assert_close(layers[0].gate_up.read_values(0, 192), values, rtol=1e-6, atol=1e-9)
    torch.testing.assert_close(dequantize(gate_up.weight), values, rtol=0, atol=0.01)


def full_name(part: str) -> str:
    return f"model.layers.0.mlp.{part}.weight"


def test_converting_again_does_nothing_and_a_changed_text_makes_another_model(tmp_path: Path) -> None:
    folder, home = llama_folder().write(tmp_path / "model"), tmp_path / "home"

    def convert() -> bool:
        return convert_file(home, Conversion(folder), lambda *progress: None, lambda: False).was_there

    assert not convert()
    assert convert()
    (folder / "chat_template.jinja").write_text("{{ messages }}")
    with pytest.raises(Exception, match="made from another file"):
        convert()


def test_errors_of_layers_survive_an_interruption(tmp_path: Path) -> None:
    folder, home = llama_folder().write(tmp_path / "model"), tmp_path / "home"
    checks = iter(range(17))
    with pytest.raises(Exception, match="finished parts are kept"):
        convert_file(home, Conversion(folder), lambda *progress: None, lambda: next(checks, None) is None)
    convert_file(home, Conversion(folder), lambda *progress: None, lambda: False)
    whole = tmp_path / "whole"
    convert_file(whole, Conversion(folder), lambda *progress: None, lambda: False)
    manifests = [Library(place / "models").manifest("model") for place in (home, whole)]
    assert manifests[0] is not None
    assert manifests[0] == manifests[1]
    assert all(form.error is not None for form in manifests[0].quantization.values())


def test_groups_of_the_source_are_kept_and_cut_where_matrices_are_stacked(tmp_path: Path) -> None:
    def parts(name: str, values: Tensor) -> dict[str, Tensor]:
        if "k_proj" in name:
            return {name: values}
        matrix = quantise(values.numpy(), 4, np.arange(values.shape[1]) // 64, is_symmetric=True)
        return module_tensors(name, gptq_tensors(matrix, 4, zero_offset=1, has_order=False))

    section = {"quant_method": "gptq", "bits": 4, "group_size": 64}
    made = llama_folder(to_tensors=parts, config={"quantization_config": section})
    with SafetensorsSource(made.write(tmp_path / "model")) as source:
        packed = pack_model(source).matrices
    assert (packed["layers.0.output"].form.group_size, packed["layers.0.output"].form.is_exact) == (64, True)
    qkv = packed["layers.0.qkv"]
    assert (qkv.form.bits, qkv.form.group_size, qkv.form.source) == (8, 32, "GPTQ 4-bit+F32")
    weight = float_weights(True, 0)["model.layers.0.self_attn.q_proj.weight"]
    wanted = quantise(weight.numpy(), 4, np.arange(64) // 64, is_symmetric=True).values
    assert torch.equal(dequantize(qkv.weight)[:64], torch.from_numpy(wanted))


@pytest.mark.parametrize("has_head", [True, False])
@pytest.mark.parametrize("says_tied", [True, False, None])
def test_a_model_is_tied_if_it_says_so_or_has_no_head(tmp_path: Path, has_head: bool, says_tied: bool | None) -> None:
    made = llama_folder(is_tied=not has_head)
    made.config["tie_word_embeddings"] = says_tied
    with SafetensorsSource(made.write(tmp_path / "model")) as source:
        assert source.spec.is_tied == (says_tied is True or not has_head)
        assert (source.head().matrix is None) == source.spec.is_tied


def test_gemma_norms_are_given_their_one(tmp_path: Path) -> None:
    made = llama_folder(config={"architectures": ["GemmaForCausalLM"], "model_type": "gemma", "head_dim": 16})
    with SafetensorsSource(made.write(tmp_path / "model")) as source:
        norm = source.layer(0).attention_norm
    assert norm is not None
    assert torch.equal(norm, made.weights["model.layers.0.input_layernorm.weight"] + 1)


def change_config(**values: Any):
    return lambda made: made.config.update(values)


def quantization(**values: Any):
    return change_config(quantization_config=values)


def put(name: str, *shape: int, dtype: torch.dtype = torch.float32):
    return lambda made: made.weights.update({name: torch.ones(shape, dtype=dtype)})


def drop(name: str):
    return lambda made: made.weights.pop(name)


DOWN = "model.layers.1.mlp.down_proj.weight"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (change_config(architectures=["BertModel"]), "architecture 'BertModel' is not supported"),
        (change_config(num_hidden_layers=1), r"has model\.layers\.1\..*, which this family of models does not use"),
        (change_config(num_hidden_layers=3), r"lacks the tensor model\.layers\.2\."),
        (change_config(num_hidden_layers=10**8), "claims 100000000 layers"),
        (change_config(max_position_embeddings=10**8), "100000000 tokens of context"),
        (change_config(head_dim=10**6), "head_dim is 1000000"),
        (change_config(hidden_size=128), r"embed_tokens\.weight is \(\d+, 64\), must be \(\d+, 128\)"),
        (change_config(intermediate_size="big"), "intermediate_size is 'big', must be a whole number"),
        (change_config(vocab_size=4), r"must be \(4, 64\)"),
        (change_config(eos_token_id=[2, 5000]), "token 5000 is outside"),
        (quantization(quant_method="quip"), "quantised by 'quip', supported are gptq, awq"),
        (quantization(quant_method="gptq", bits=5), "GPTQ weights of 5 bits"),
        (quantization(quant_method="gptq", bits=4, checkpoint_format="marlin"), "layout 'marlin'"),
        (quantization(quant_method="gptq", bits=4, group_size="x"), "groups of x"),
        (quantization(quant_method="gptq", bits=4, dynamic={"+:.*": {"bits": 8}}), "of several kinds"),
        (quantization(quant_method="awq", bits=4, version="gemv"), "layout 'gemv'"),
        (quantization(quant_method="compressed-tensors", format="marlin-24"), "compressed as 'marlin-24'"),
        (drop("model.embed_tokens.weight"), r"no tensor embed_tokens\.weight"),
        (drop(DOWN), r"lacks the tensor model\.layers\.1\.mlp\.down_proj\.weight: get all files"),
        (put(DOWN, 64, 32), r"down_proj.weight is \(64, 32\), must be \(64, 96\)"),
        (put(DOWN, 64, 96, 1), r"is \(64, 96, 1\), must be a matrix"),
        (put(DOWN, 64, 96, dtype=torch.int32), "I32, and nothing beside it says"),
        (put(DOWN, 64, 96, dtype=torch.float8_e4m3fn), "lacks the tensor .*weight_scale_inv"),
        (put("model.layers.0.self_attn.o_proj.bias", 64), "o_proj.bias, which this family"),
        (put("model.norm.weight", 32), r"model.norm.weight is \(32,\), must be \(64,\)"),
        (lambda made: made.texts.update({"config.json": "{"}), "config.json is damaged"),
        (lambda made: made.texts.update({"config.json": "[]"}), "config.json is no JSON object"),
        (lambda made: made.texts.update({"tokenizer.json": None}), "has no tokenizer: get tokenizer.json"),
        (lambda made: made.texts.update({"tokenizer.json": "{}"}), "tokenizer.json is no tokenizer"),
    ],
)
def test_a_model_that_cannot_run_says_why(tmp_path: Path, change, words: str) -> None:
    made: HfFolder = llama_folder()
    change(made)
    folder = made.write(tmp_path / "model")
    with pytest.raises(SourceError, match=words) as raised, SafetensorsSource(folder) as source:
        pack_model(source)
    assert "\n" not in str(raised.value)


def test_weights_that_are_not_finite_are_refused(tmp_path: Path) -> None:
    made = llama_folder()
    made.weights[DOWN][0, 0] = float("nan")
    with (
        pytest.raises(SourceError, match=r"down_proj\.weight: .*not finite"),
        SafetensorsSource(made.write(tmp_path / "model")) as source,
    ):
        pack_model(source)


def test_missing_shards_are_named(tmp_path: Path) -> None:
    folder = llama_folder().write(tmp_path / "model", num_shards=3)
    (folder / "model-00002-of-00003.safetensors").unlink()
    with pytest.raises(SourceError, match=r"lacks model-00002-of-00003\.safetensors of the model's 3 files"):
        open_source(folder)
    (folder / "model.safetensors.index.json").unlink()
    with pytest.raises(SourceError, match=r"lacks model-00002-of-00003\.safetensors of the model's 3 files"):
        open_source(folder)


def test_shards_need_no_index(tmp_path: Path) -> None:
    folder = llama_folder().write(tmp_path / "model", num_shards=3)
    (folder / "model.safetensors.index.json").unlink()
    with open_source(folder) as source:
        assert len([path for path in source.paths if path.suffix == ".safetensors"]) == 3


@pytest.mark.parametrize(
    "name", ["../model.safetensors", "/etc/passwd", "C:\\x.safetensors", "sub/a.safetensors", "x", 5]
)
def test_an_index_never_leads_out_of_its_folder(tmp_path: Path, name: object) -> None:
    folder = llama_folder().write(tmp_path / "model", num_shards=2)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"a": name}}))
    with pytest.raises(SourceError, match="which is no file of this folder"):
        open_source(folder)


def test_pickles_are_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "pytorch_model.bin").write_bytes(b"\x80\x02")
    for path in (tmp_path, tmp_path / "pytorch_model.bin"):
        with pytest.raises(SourceError, match=r"is a pickle, which can run any program.*as safetensors or GGUF"):
            open_source(path)


def test_a_folder_without_a_model_says_what_it_lacks(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"has no weights \(\*\.safetensors or \*\.gguf\)"):
        open_source(tmp_path)
    folder = llama_folder().write(tmp_path / "model")
    (folder / "config.json").unlink()
    with pytest.raises(SourceError, match=r"has no config\.json: give the folder of a whole model"):
        open_source(folder)


def test_a_file_of_safetensors_stands_for_its_folder(tmp_path: Path) -> None:
    folder = llama_folder().write(tmp_path / "model")
    with open_source(folder / "model.safetensors") as source:
        assert source.spec.family == "llama"


def test_options_are_those_asked_for(tmp_path: Path) -> None:
    with SafetensorsSource(llama_folder().write(tmp_path / "model")) as source:
        packed = pack_model(source, QuantizeOptions(4, 32)).matrices
    assert {(item.form.bits, item.form.has_minimum) for item in packed.values()} == {(4, True)}
