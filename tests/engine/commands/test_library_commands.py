"""`fetch`, `convert`, `models` and `inspect` as a person types them."""

import io
import json
from pathlib import Path

import pytest
from gguf import GGMLQuantizationType as Kind

from engine.__main__ import main
from engine.commands.progress import ProgressLine
from tests.engine.tiny_models import tiny_gguf, write_tiny_gguf


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_tiny_gguf(tmp_path / "tiny.gguf", "qwen2", Kind.Q4_1)


def run(home: Path, *words: str | Path) -> int:
    return main(["--home", str(home), *map(str, words)])


def test_convert_lists_the_model_and_says_so(tmp_path: Path, source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, "convert", source, "--name", "My Model") == 0
    output = capsys.readouterr()
    assert output.out == "my-model is ready, all weights exactly as in the source\n"
    assert "convert layer 2 of 2\n" in output.err
    assert run(tmp_path, "convert", source, "--name", "My Model") == 0
    assert capsys.readouterr().out == "my-model is already there, nothing to do\n"
    assert run(tmp_path, "models") == 0
    assert capsys.readouterr().out.split() == ["my-model", "0.1", "MB", "qwen2", "My", "Model"]


def test_the_folder_that_one_is_in_is_a_model_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "Big Model"
    folder.mkdir()
    write_tiny_gguf(folder / "weights.gguf", "qwen2", Kind.Q4_1)
    monkeypatch.chdir(folder)
    assert run(tmp_path, "convert", ".") == 0
    assert capsys.readouterr().out.startswith("big-model is ready")


def test_results_are_printed_as_json(tmp_path: Path, source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, "--json", "convert", source, "--bits", "3", "--group", "32") == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["model_id"], report["was_there"], report["is_exact"]) == ("tiny", False, False)
    assert 0.05 < report["max_error"] < 0.3
    assert report["max_error"] == max(tensor["error"] for tensor in report["tensors"].values())
    assert run(tmp_path, "--json", "models") == 0
    (model,) = json.loads(capsys.readouterr().out)
    assert (model["model_id"], model["family"], model["source"]) == ("tiny", "qwen2", "tiny.gguf")
    assert run(tmp_path, "--json", "inspect", "tiny") == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["formats"]["qkv"].startswith("3 bits with minimum in groups of 32, from Q4_1, error 1")
    assert facts["effective_bits"] == 4.0
    assert facts["kv_bytes_per_token"] == {"2": 2 * 2 * 32 * 2, "4": 2 * 2 * 32 * 4}


def test_inspect_groups_the_layers_that_agree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tiny = tiny_gguf()
    tiny.types = {"blk.1.ffn_down.weight": Kind.F16}
    run(tmp_path, "convert", tiny.write(tmp_path / "tiny.gguf", Kind.Q4_0))
    capsys.readouterr()
    assert run(tmp_path, "inspect", "tiny") == 0
    shown = capsys.readouterr().out
    assert "qkv         4 bits in groups of 32, exactly from Q4_0" in shown
    assert "down in layers 0 4 bits in groups of 32, exactly from Q4_0" in shown
    assert "down in layers 1 8 bits in groups of 32, from F16, error 0." in shown
    assert "licence     apache-2.0" in shown


def test_inspect_tells_what_runs_for_each_format(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tiny = tiny_gguf(is_tied=False)
    tiny.types = {"blk.1.ffn_down.weight": Kind.F16, "output.weight": Kind.Q8_0}
    run(tmp_path, "convert", tiny.write(tmp_path / "tiny.gguf", Kind.Q4_0))
    capsys.readouterr()
    assert run(tmp_path, "--json", "inspect", "tiny") == 0
    execution = json.loads(capsys.readouterr().out)["execution"]
    assert execution["backend"] == "cpu"
    eight, four = execution["weights"]
    # The embedding is no product here: the head is a matrix of its own.
    assert eight["tensors"] == ["head", "down in layers 1"]
    assert four["tensors"] == ["qkv", "output", "gate_up", "down in layers 0"]
    assert (eight["checkpoint_bits"], four["checkpoint_bits"]) == (8, 4)
    assert four["weight_format"] == "4-bit codes, groups of 32 with float16 scales"
    assert (four["activation"], four["accumulator"]) == ("int8 in groups of 32", "int32 in a group, float32 over them")
    assert "native integer dot products" in four["kernel"]
    assert run(tmp_path, "inspect", "tiny", "--backend", "reference") == 0
    assert "on reference, qkv, output, gate_up, down in layers 0\n  checkpoint  4 bits\n" in capsys.readouterr().out


def test_inspect_reads_the_files_when_asked(tmp_path: Path, source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(tmp_path, "convert", source)
    assert run(tmp_path, "inspect", "tiny", "--verify") == 0
    assert "files       all as recorded" in capsys.readouterr().out
    path = tmp_path / "models" / "tiny" / "head.safetensors"
    data = path.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    assert run(tmp_path, "inspect", "tiny") == 0
    assert "as recorded" not in capsys.readouterr().out
    assert run(tmp_path, "inspect", "tiny", "--verify") == 2
    assert "head.safetensors differs from its recorded sha256" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["fetch", "nope"], "choose one of starter"),
        (["convert", "nowhere.gguf"], "There is no file"),
        (["inspect", "nope"], "There is no model 'nope'"),
        (["inspect", "../x"], "There is no model"),
    ],
)
def test_an_error_is_one_line_and_exit_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert run(tmp_path, *words) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("error: ")
    assert output.err.count("\n") == 1
    assert message in output.err


def test_a_damaged_model_is_listed_with_what_is_wrong(
    tmp_path: Path, source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path, "convert", source)
    (tmp_path / "models" / "tiny" / "head.safetensors").unlink()
    capsys.readouterr()
    assert run(tmp_path, "models") == 0
    shown = capsys.readouterr()
    assert "cannot be loaded: " in shown.out
    assert "head.safetensors is missing" in shown.out
    assert "no models yet" not in shown.err
    assert run(tmp_path, "--json", "models") == 0
    (model,) = json.loads(capsys.readouterr().out)
    assert (model["model_id"], model["name"], model["family"]) == ("tiny", "tiny", None)
    assert "is missing" in model["problem"]


def test_a_data_folder_that_is_a_file_is_told_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    assert run(tmp_path / "file", "models") == 2
    assert "Not a directory" in capsys.readouterr().err
    assert caplog.records == []


def test_an_empty_library_names_the_next_step(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, "models") == 0
    output = capsys.readouterr()
    assert output.out == ""
    assert "fetch starter" in output.err


def test_interrupted_it_ends_with_130_and_resumes(
    tmp_path: Path, source: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(self: ProgressLine, stage: str, done: int, total: int, left_s: float | None = None) -> None:
        if (stage, done) == ("convert", 1):
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(ProgressLine, "show", interrupt)
        assert run(tmp_path, "convert", source) == 130
    assert capsys.readouterr().err == "interrupted: finished parts are kept, run the command again to go on\n"
    assert (tmp_path / "models" / "tiny.partial" / "layers" / "0000.safetensors").exists()
    assert run(tmp_path, "convert", source) == 0


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_on_a_terminal_one_line_is_rewritten_and_cleared() -> None:
    stream = Terminal()
    with ProgressLine(stream) as line:
        for done in range(3):
            line.show("convert", done, 2)
    assert "\n" not in stream.getvalue()
    assert stream.getvalue().split("\r")[1:4] == [f"convert layer {done} of 2" for done in range(3)]
    assert stream.getvalue().endswith(" \r")


def test_in_a_log_a_stage_takes_few_lines() -> None:
    stream = io.StringIO()
    with ProgressLine(stream) as line:
        for done in range(1001):
            line.show("download", done << 20, 1000 << 20)
    assert stream.getvalue().splitlines()[0] == "download 0.0 MB of 1.0 GB"
    assert stream.getvalue().splitlines()[-1] == "download 1.0 GB of 1.0 GB"
    assert len(stream.getvalue().splitlines()) == 5


def test_a_quality_is_told_in_the_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = write_tiny_gguf(tmp_path / "tiny.gguf", "qwen2", Kind.F16)
    assert run(tmp_path, "convert", source, "--quality", "balanced") == 0
    told = capsys.readouterr().err
    assert "convert layer 0 of 2, about 1 s left" in told
    assert "measure layer 2 of 2" in told
    assert run(tmp_path, "inspect", "tiny") == 0
    shown = capsys.readouterr().out
    assert "options     bits 4, tables 8, groups of 32 or smaller, calibrated" in shown
    assert "fidelity    perplexity " in shown


def test_a_quality_stands_for_its_details(tmp_path: Path, source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, "convert", source, "--quality", "balanced", "--bits", "3") == 2
    assert "--quality stands for --bits" in capsys.readouterr().err


def test_a_data_folder_whose_name_is_no_text_is_refused_before_anything_is_made(
    tmp_path: Path, source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "home\udcff"
    assert run(home, "convert", source) == 2
    told = capsys.readouterr().err
    assert told.endswith("has bytes that are no text (UTF-8): rename it, or choose another data folder with --home\n")
    assert not home.exists()


def test_a_file_whose_name_was_lost_is_to_be_renamed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, "convert", tmp_path / "model\ufffd.gguf") == 2
    assert capsys.readouterr().err.endswith("(UTF-8): rename it, then choose it again\n")
