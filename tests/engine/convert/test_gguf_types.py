"""Every type that the gguf package can write or read: what is imported is what it dequantises, or within the error."""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np
import numpy.typing as npt
import pytest
import torch
from gguf import GGML_QUANT_SIZES
from gguf import GGMLQuantizationType as Kind

from engine.convert.options import QuantizeOptions
from engine.convert.packing import pack
from engine.convert.sources.gguf_files import GgufFiles
from engine.convert.sources.gguf_layouts import KEPT_LAYOUTS
from engine.convert.sources.gguf_matrix import GgufMatrix
from engine.convert.sources.gguf_source import GgufSource
from engine.errors import SourceError
from kernels.formats import dequantize
from tests.engine.convert.packed_models import pack_model
from tests.engine.tiny_models import split_gguf, tiny_gguf

Bytes = npt.NDArray[np.uint8]
NUM_ROWS, NUM_COLUMNS = 5, 512


def rows_of(kind: Kind) -> Bytes | None:
    """A matrix of the type: quantised by the package, or blocks of random bits that stand for finite numbers.

    None if the package cannot read the type.
    """
    random = np.random.default_rng(11)
    block_size, block_bytes = GGML_QUANT_SIZES[kind]
    num_blocks = NUM_ROWS * NUM_COLUMNS // block_size
    try:
        return gguf.quants.quantize(random.standard_normal((NUM_ROWS, NUM_COLUMNS)).astype(np.float32), kind)
    except NotImplementedError:
        pass
    blocks = np.zeros((0, block_bytes), np.uint8)
    for _ in range(200):
        # Scales lie anywhere in a block, so blocks of too large or infinite numbers are thrown away.
        more = random.integers(0, 256, (num_blocks, block_bytes), dtype=np.uint8)
        try:
            with np.errstate(all="ignore"):
                values = gguf.quants.dequantize(more, kind)
        except NotImplementedError:
            return None
        is_good = np.isfinite(values).all(1) & (np.abs(values).max(1) < 1000)
        blocks = np.concatenate([blocks, more[is_good]])
        if len(blocks) >= num_blocks:
            return blocks[:num_blocks].reshape(NUM_ROWS, -1)
    raise AssertionError(f"no blocks of {kind.name}")


READABLE = [kind for kind in Kind if kind in GGML_QUANT_SIZES and rows_of(kind) is not None]


def test_most_types_are_readable() -> None:
    names = {kind.name for kind in READABLE}
    assert {"F32", "F16", "BF16", "Q4_0", "Q2_K", "Q6_K", "IQ1_M", "IQ4_XS", "TQ1_0", "TQ2_0", "MXFP4"} <= names


@pytest.mark.parametrize("kind", READABLE, ids=lambda kind: kind.name)
@pytest.mark.parametrize("bits", [None, 8])
def test_a_type_is_imported_exactly_or_within_the_error_that_is_told(
    tmp_path: Path, kind: Kind, bits: int | None
) -> None:
    rows = rows_of(kind)
    assert rows is not None
    writer = gguf.GGUFWriter(tmp_path / "model.gguf", "llama")
    writer.add_tensor("x", rows, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    wanted = torch.from_numpy(np.array(gguf.quants.dequantize(rows, kind), np.float32)).view(NUM_ROWS, NUM_COLUMNS)
    with GgufFiles(tmp_path / "model.gguf") as files:
        matrix = GgufMatrix(files, files.tensors["x"])
        assert torch.equal(matrix.read_values(0, NUM_ROWS), wanted)
        packed = pack(matrix, QuantizeOptions(bits))
    found, form = dequantize(packed.weight), packed.form
    assert form.source == kind.name
    if form.is_exact:
        assert form.error == 0.0
        assert torch.equal(found, wanted)
    else:
        error = float((found - wanted).norm() / wanted.norm())
        assert form.error == pytest.approx(error, rel=1e-4)
        assert error < (0.2 if form.bits == 4 else 0.02)
    if kind in KEPT_LAYOUTS:
        assert form.is_exact == KEPT_LAYOUTS[kind].is_exact


def test_a_split_model_is_that_of_the_whole_file(tmp_path: Path) -> None:
    whole = tiny_gguf().write(tmp_path / "whole.gguf", Kind.Q8_0)
    paths = split_gguf(tmp_path, 3)
    with GgufSource(whole) as one:
        wanted = pack_model(one).matrices
    with GgufSource(paths[1]) as several:
        assert several.paths == paths
        found = pack_model(several).matrices
    assert found.keys() == wanted.keys()
    for name, item in found.items():
        assert item.form == wanted[name].form
        assert torch.equal(dequantize(item.weight), dequantize(wanted[name].weight))


def test_missing_and_renamed_parts_are_told(tmp_path: Path) -> None:
    paths = split_gguf(tmp_path, 3)
    paths[2].unlink()
    with pytest.raises(SourceError, match=r"one of 3 parts, of which tiny-00003-of-00003\.gguf is missing"):
        GgufSource(paths[0])
    alone = paths[0].rename(tmp_path / "alone.gguf")
    with pytest.raises(SourceError, match="says that it is part 1 of 3: give the parts their names back"):
        GgufSource(alone)
