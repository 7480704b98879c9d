"""A calibrated conversion: nearer to its source, resumable, the same whatever interrupts it, and measured."""

import math
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from gguf import GGMLQuantizationType as Kind

from engine.convert import time_left, writing
from engine.convert.calibration.pending import PendingGroup
from engine.convert.matrix import SourceMatrix, StackedRows
from engine.convert.options import QuantizeOptions
from engine.convert.pipeline import Conversion, Converted, convert_file
from engine.errors import InvalidRequestError, JobCancelledError, SourceError
from engine.store.checkpoint import Checkpoint
from engine.store.library import Library
from engine.store.manifest import Fidelity, Manifest, TensorFormat
from tests.engine.convert.hf_folders import tokenizer_json
from tests.engine.models.tiny_families import FAMILIES, export, make_model
from tests.engine.tiny_models import TinyShape, tiny_gguf, vocabulary

ROOT = Path(__file__).resolve().parents[3]
CALIBRATED = QuantizeOptions(3, 32, table_bits=8, method="calibrated")
SHAPE = TinyShape(num_layers=2, hidden_size=64, intermediate_size=128)


class NamedRows(SourceMatrix):
    def __init__(self, name: str, values: torch.Tensor) -> None:
        super().__init__(name, (values.shape[0], values.shape[1]), "F32", 32.0)
        self._values = values

    def read_values(self, start: int, stop: int) -> torch.Tensor:
        return self._values[start:stop]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_gguf("qwen2", shape=SHAPE).write(tmp_path_factory.mktemp("source") / "Tiny.gguf", Kind.F16)


def convert(home: Path, source: Path, options: QuantizeOptions, name: str = "Tiny") -> Manifest:
    converted = convert_file(home, Conversion(source, name, options), lambda *progress: None, lambda: False)
    return Checkpoint.open(home / "models" / converted.model_id).manifest


def fidelity(manifest: Manifest) -> Fidelity:
    assert manifest.fidelity is not None
    return manifest.fidelity


@pytest.mark.parametrize("bits", [3, 4])
def test_it_diverges_less_from_its_source_than_the_nearest_codes(tmp_path: Path, source: Path, bits: int) -> None:
    nearest = convert(tmp_path, source, QuantizeOptions(bits, table_bits=8), "nearest")
    calibrated = convert(tmp_path, source, QuantizeOptions(bits, table_bits=8, method="calibrated"), "calibrated")
    assert fidelity(calibrated).divergence < 0.75 * fidelity(nearest).divergence
    assert calibrated.size_bytes == pytest.approx(nearest.size_bytes, rel=0.02)
    assert {form.bits for form in calibrated.quantization.values()} == {bits, 8}


def test_an_untied_head_is_calibrated_too(tmp_path: Path) -> None:
    path = tiny_gguf("llama", shape=SHAPE, is_tied=False).write(tmp_path / "model.gguf", Kind.F16)
    found = [
        fidelity(convert(tmp_path, path, QuantizeOptions(8, table_bits=3, method=method), method))
        for method in ("nearest", "calibrated")
    ]
    assert found[1].divergence < 0.9 * found[0].divergence


def test_codes_that_can_be_kept_are_kept(tmp_path: Path) -> None:
    path = tiny_gguf("llama", shape=SHAPE).write(tmp_path / "model.gguf", Kind.Q4_0)
    manifest = convert(tmp_path, path, QuantizeOptions(4, method="calibrated"))
    assert all(form.is_exact for form in manifest.quantization.values())
    assert manifest.fidelity is None


def test_the_record_tells_how_it_was_made(tmp_path: Path, source: Path) -> None:
    manifest = convert(tmp_path, source, CALIBRATED)
    assert manifest.source.options_text == "bits 3, tables 8, groups of 32, calibrated"
    assert all(form.error is not None for form in manifest.quantization.values())
    with pytest.raises(InvalidRequestError, match=r"other options \(bits 3, tables 8, groups of 32, calibrated\)"):
        convert(tmp_path, source, QuantizeOptions(3, table_bits=8))
    assert Manifest.from_json(manifest.to_json(), manifest.generation) == manifest


def cancelled_after(num_checks: int):
    checks = iter(range(num_checks))
    return lambda: next(checks, None) is None


def test_cancelled_anywhere_it_resumes_to_the_same_model(tmp_path: Path, source: Path) -> None:
    wanted = convert(tmp_path / "whole", source, CALIBRATED)
    home, num_cancelled = tmp_path / "home", 0
    for num_checks in range(1, 400, 5):
        try:
            conversion = Conversion(source, "Tiny", CALIBRATED)
            convert_file(home, conversion, lambda *progress: None, cancelled_after(num_checks))
        except JobCancelledError:
            num_cancelled += 1
            assert Library(home / "models").list() == []
        else:
            break
    assert num_cancelled > 3
    assert Checkpoint.open(home / "models" / "tiny").manifest == wanted


# Writes a point after each file, so that the parent can kill it there.
_CHILD = """
import sys
from pathlib import Path
from engine.convert.options import QuantizeOptions
from engine.convert.pipeline import Conversion, convert_file
from engine.store import partial
def record(self, name, found, real=partial.PartialCheckpoint._record):
    real(self, name, found)
    print(name, flush=True)
    sys.stdin.readline()
partial.PartialCheckpoint._record = record
options = QuantizeOptions(3, 32, table_bits=8, method="calibrated")
convert_file(Path(sys.argv[1]), Conversion(Path(sys.argv[2]), "Tiny", options), lambda *p: None, lambda: False)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_killed_after_any_file_it_resumes_to_the_same_model(tmp_path: Path, source: Path) -> None:
    wanted = convert(tmp_path / "whole", source, CALIBRATED)
    home = tmp_path / "home"
    for last in ("embed.safetensors", "layers/0000.safetensors", "layers/0001.safetensors", "head.safetensors"):
        command = [sys.executable, "-c", _CHILD, str(home), str(source)]
        child = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert child.stdin is not None
        assert child.stdout is not None
        for line in child.stdout:
            if line.strip() == last:
                os.kill(child.pid, signal.SIGKILL)
                break
            child.stdin.write("\n")
            child.stdin.flush()
        assert child.wait() == -signal.SIGKILL
        child.stdin.close()
        child.stdout.close()
        assert Library(home / "models").list() == []
    assert convert(home, source, CALIBRATED) == wanted


def test_a_time_is_told_before_the_first_layer_and_goes_to_zero(tmp_path: Path, source: Path) -> None:
    told: list[tuple[str, int, float | None]] = []

    def on_progress(stage: str, done: int, total: int, left_s: float | None = None) -> None:
        if stage in ("convert", "measure"):
            told.append((stage, done, left_s))

    convert_file(tmp_path, Conversion(source, "Tiny", CALIBRATED), on_progress, lambda: False)
    assert [(stage, done) for stage, done, _ in told] == [
        (stage, done) for stage in ("convert", "measure") for done in range(3)
    ]
    times = [left_s for _, _, left_s in told]
    assert all(left_s is not None and left_s > 0 for left_s in times[:-1])
    assert times[-1] == pytest.approx(0, abs=1e-6)


def test_a_layer_that_an_earlier_run_has_finished_counts_for_what_it_still_costs(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time_left, "_probe", lambda clock: 1e9)
    told: list[tuple[int, float | None]] = []

    def on_progress(stage: str, done: int, total: int, left_s: float | None = None) -> None:
        if stage == "convert":
            told.append((done, left_s))

    with pytest.raises(JobCancelledError):
        convert_file(tmp_path, Conversion(source, "Tiny", CALIBRATED), on_progress, lambda: len(told) == 2)
    convert_file(tmp_path, Conversion(source, "Tiny", CALIBRATED), on_progress, lambda: False)
    (_, first_s), _, (_, resumed_s) = told[:3]
    assert first_s is not None
    assert resumed_s is not None
    assert 0.5 * first_s < resumed_s < 0.9 * first_s


def test_a_source_that_turns_out_damaged_leaves_nothing_behind(tmp_path: Path) -> None:
    tiny = tiny_gguf("llama", shape=SHAPE)
    tiny.tensors["blk.1.ffn_down.weight"][0, 0] = float("nan")
    path = tiny.write(tmp_path / "model.gguf", Kind.F16)
    with pytest.raises(SourceError):
        convert(tmp_path, path, CALIBRATED)
    assert list((tmp_path / "models").iterdir()) == []


@pytest.mark.parametrize("name", ["attn_q", "attn_k", "attn_v", "ffn_gate", "ffn_up"])
@pytest.mark.parametrize("value", [float("nan"), float("-inf"), 3e38])
def test_of_matrices_that_are_packed_together_the_damaged_one_is_named(name: str, value: float) -> None:
    """Its rows lie between those of others."""
    tiny = tiny_gguf("llama", shape=SHAPE)
    parts = ["attn_q", "attn_k", "attn_v"] if name.startswith("attn") else ["ffn_gate", "ffn_up"]
    tiny.tensors[f"blk.1.{name}.weight"][-1, 3] = value
    matrix = StackedRows([NamedRows(part, torch.from_numpy(tiny.tensors[f"blk.1.{part}.weight"])) for part in parts])
    pending = PendingGroup(TensorFormat(4, 32, True, "F32", False)).add(matrix)
    with pytest.raises(SourceError, match=rf"^{name}: the weights hold values that are not finite or too large"):
        pending.see(torch.randn(40, matrix.num_columns, generator=torch.Generator().manual_seed(1)))


def test_a_text_of_too_few_tokens_to_score_measures_nothing(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "held_windows", lambda *facts: [[1, 2], [3, 4]])
    assert convert(tmp_path, source, QuantizeOptions(4)).fidelity is None


def test_fidelity_is_that_of_whole_rows_of_logits(tmp_path: Path, source: Path) -> None:
    from engine.convert.sample_texts import held_windows
    from engine.models.decoder import make_pool
    from engine.models.loading import load_decoder
    from engine.serving import load_tokenizer
    from kernels.faces import ArrayFace
    from kernels.ops import AttentionBatch, ForwardInput
    from kernels.reference import ReferenceBackend

    found = fidelity(convert(tmp_path, source, QuantizeOptions(3, table_bits=8), "three"))
    convert(tmp_path, source, QuantizeOptions(8), "eight")
    backend, sides = ArrayFace(ReferenceBackend()), {}
    for name in ("three", "eight"):
        checkpoint = Checkpoint.open(tmp_path / "models" / name)
        decoder, _ = load_decoder(checkpoint, backend)
        spec = checkpoint.manifest.spec
        windows = held_windows(load_tokenizer(checkpoint), spec.max_context, spec.vocab_size)
        rows = []
        for window in windows:
            length = len(window)
            positions, pool = np.arange(length), make_pool(spec, 1, length, backend)
            batch = AttentionBatch((0, length), (length,), (np.ones(1, np.int64),))
            forward = ForwardInput(np.array(window), positions, positions + length, batch, length)
            logits = torch.from_numpy(decoder.logits(decoder.hidden(forward, pool)))
            rows.append(torch.log_softmax(logits[min(16, length // 2) : -1].double(), dim=1))
        sides[name] = torch.cat(rows)
    targets = torch.tensor([token for window in windows for token in window[min(16, len(window) // 2) + 1 :]])
    losses = {name: -side.gather(1, targets.unsqueeze(1)).mean() for name, side in sides.items()}
    divergence = (sides["eight"].exp() * (sides["eight"] - sides["three"])).sum(dim=1).mean()
    assert found.num_tokens == len(targets)
    assert found.perplexity == pytest.approx(math.exp(losses["three"]), rel=1e-4)
    # The source is compared as it is, not rounded to eight bits.
    assert found.source_perplexity == pytest.approx(math.exp(losses["eight"]), rel=0.02)
    assert found.divergence == pytest.approx(float(divergence), rel=0.1)
    assert 0 < found.agreement < 1


def test_eight_bits_hardly_diverge(tmp_path: Path, source: Path) -> None:
    found = fidelity(convert(tmp_path, source, QuantizeOptions.of_quality("faithful")))
    assert found.divergence < 1e-3
    assert found.agreement > 0.95


@pytest.mark.parametrize("quality", ["smallest", "balanced", "faithful"])
def test_every_quality_makes_a_model(tmp_path: Path, source: Path, quality: str) -> None:
    manifest = convert(tmp_path, source, QuantizeOptions.of_quality(quality))  # type: ignore[arg-type]
    assert isinstance(fidelity(manifest), Fidelity)


def test_a_known_model_is_not_made_twice(tmp_path: Path, source: Path) -> None:
    convert(tmp_path, source, CALIBRATED)
    conversion = Conversion(source, "Tiny", CALIBRATED)
    again = convert_file(tmp_path, conversion, lambda *progress: None, lambda: False)
    assert again == Converted("tiny", was_there=True)


@pytest.mark.parametrize("name", ["qwen2-moe", "deepseek2", "gemma3", "granite", "olmo2", "phi4-mini"])
def test_every_kind_of_layer_gains(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "source"
    model = make_model(FAMILIES[name], vocab_size=len(vocabulary()[0]))
    if name == "gemma3":
        # Tied and scaled up, its random embedding would say with certainty what follows, whatever the layers do.
        model.get_input_embeddings().weight.data.mul_(0.05)
    export(model, folder)
    (folder / "tokenizer.json").write_text(tokenizer_json(), encoding="utf-8")
    nearest = convert(tmp_path, folder, QuantizeOptions(3, table_bits=8), "nearest")
    calibrated = convert(tmp_path, folder, QuantizeOptions(3, table_bits=8, method="calibrated"), "calibrated")
    assert fidelity(calibrated).divergence < 0.9 * fidelity(nearest).divergence
    assert {name: form.bits for name, form in calibrated.quantization.items()} == {
        name: form.bits for name, form in nearest.quantization.items()
    }
    Checkpoint.open(tmp_path / "models" / "calibrated").verify()
