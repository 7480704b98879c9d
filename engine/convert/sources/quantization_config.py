"""How a checkpoint says that its weights are quantised: which method, and with what numbers.

Knows nothing of tensors. Every method, version and layout that cannot be read is refused by its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.convert.sources.text_files import read_optional_json
from engine.errors import SourceError

_METHODS = ("gptq", "awq", "auto-round", "compressed-tensors", "bitsandbytes", "fp8")
_GPTQ_BITS = (2, 3, 4, 8)
_COMPRESSED_FORMATS = ("pack-quantized", "int-quantized", "naive-quantized", "float-quantized", "dense")


@dataclass(frozen=True, slots=True)
class GptqLayout:
    """`group_size` None: all columns share a scale. `zero_offset`: what files of the first version left off zeros."""

    bits: int
    group_size: int | None
    zero_offset: int


@dataclass(frozen=True, slots=True)
class Quantization:
    """`gptq` and `awq_group_size` count where tensors have these layouts; `bits` are those of compressed-tensors.

    `float8_block`: rows and columns that share a scale of 8-bit floats.
    """

    method: str | None = None
    gptq: GptqLayout | None = None
    is_awq: bool = False
    awq_group_size: int | None = None
    bits: int | None = None
    float8_block: tuple[int, int] | None = None


def read_quantization(folder: Path, config: Mapping[str, Any]) -> Quantization:
    """From config.json, or from the files that older programs wrote beside it. Raises `SourceError`."""
    section = config_section(config)
    if section is None:
        # AutoGPTQ's and AutoAWQ's own files; neither need name its method.
        section = read_optional_json(folder / "quantize_config.json")
        if section:
            section = {"quant_method": "gptq", **section}
        elif section := read_optional_json(folder / "quant_config.json"):
            section = {
                "quant_method": "awq",
                "bits": section.get("w_bit"),
                "group_size": section.get("q_group_size"),
            } | (section)
    return quantization_of(folder, section)


def config_section(config: Mapping[str, Any]) -> Any:
    """What config.json says of quantisation, None if nothing."""
    return config.get("quantization_config", config.get("compression_config"))


def quantization_of(folder: object, section: Any) -> Quantization:
    """`folder` is for the message: where the section was found. Raises `SourceError`."""
    if not section:
        return Quantization()
    if not isinstance(section, Mapping):
        raise SourceError(f"{folder}: quantization_config is no table: get config.json again")
    method = section.get("quant_method")
    if method not in _METHODS:
        known = ", ".join(_METHODS)
        raise SourceError(
            f"{folder} is quantised by {str(method)[:40]!r}, supported are {known}: get the model in one of these, "
            "as it was before it was quantised, or as GGUF"
        )
    return _READERS[method](folder, section)


def _read_gptq(folder: object, section: Mapping[str, Any]) -> Quantization:
    bits = section.get("bits")
    if bits not in _GPTQ_BITS or isinstance(bits, bool):
        raise SourceError(f"{folder} has GPTQ weights of {str(bits)[:20]} bits, supported are 2, 3, 4 and 8")
    version = section.get("checkpoint_format", section.get("format", "gptq"))
    if version not in ("gptq", "gptq_v2", None, ""):
        raise SourceError(
            f"{folder} has GPTQ weights in the layout {str(version)[:40]!r}, supported are 'gptq' and 'gptq_v2'"
        )
    dynamic = section.get("dynamic")
    if isinstance(dynamic, Mapping) and any(not str(rule).startswith("-:") for rule in dynamic):
        raise SourceError(
            f"{folder} has GPTQ weights of several kinds (dynamic), supported is one: choose another model"
        )
    offset = 0 if version == "gptq_v2" else 1
    return Quantization("gptq", gptq=GptqLayout(int(bits), _group_size(folder, section), offset))


def _read_awq(folder: object, section: Mapping[str, Any]) -> Quantization:
    bits, version = section.get("bits"), str(section.get("version", section.get("format", "gemm"))).lower()
    if bits != 4 or version != "gemm":
        raise SourceError(
            f"{folder} has AWQ weights of {str(bits)[:20]} bits in the layout {version[:40]!r}, supported are 4 bits "
            "in 'gemm': get the model in that layout"
        )
    return Quantization("awq", is_awq=True, awq_group_size=_group_size(folder, section))


def _read_auto_round(folder: object, section: Mapping[str, Any]) -> Quantization:
    packing = str(section.get("packing_format", "auto_round:auto_gptq"))
    if packing.endswith("awq"):
        return _read_awq(folder, section)
    if packing in ("auto_round:auto_gptq", "auto_round:gptq", "auto_gptq"):
        return _read_gptq(folder, section)
    raise SourceError(
        f"{folder} is packed as {packing[:40]!r}, supported are auto_round:auto_gptq and auto_round:auto_awq"
    )


def _read_compressed(folder: object, section: Mapping[str, Any]) -> Quantization:
    described = section.get("config_groups")
    groups = [group for group in described.values() if _is_table(group)] if isinstance(described, Mapping) else []
    formats = [str(table["format"]) for table in (section, *groups) if table.get("format") is not None]
    if unknown := sorted(name[:40] for name in set(formats) - set(_COMPRESSED_FORMATS)):
        known = ", ".join(_COMPRESSED_FORMATS)
        raise SourceError(f"{folder} is compressed as {', '.join(unknown)!r}, supported are {known}")
    schemes = [group["weights"] for group in groups if _is_table(group.get("weights"))]
    bits = {str(scheme.get("num_bits")) for scheme in schemes if scheme.get("type", "int") == "int"}
    if len(bits) > 1 or not bits <= {"4", "8"}:
        raise SourceError(
            f"{folder} has weights of {', '.join(sorted(bits))[:40]} bits, supported is one of 4 and 8 for all of them"
        )
    block = next((scheme["block_structure"] for scheme in schemes if scheme.get("block_structure")), None)
    width = int(next(iter(bits))) if bits else None
    return Quantization("compressed-tensors", bits=width, float8_block=_block(folder, block))


def _read_bitsandbytes(folder: object, section: Mapping[str, Any]) -> Quantization:
    return Quantization("bitsandbytes")


def _read_fp8(folder: object, section: Mapping[str, Any]) -> Quantization:
    return Quantization("fp8", float8_block=_block(folder, section.get("weight_block_size")))


_READERS = {
    "gptq": _read_gptq,
    "awq": _read_awq,
    "auto-round": _read_auto_round,
    "compressed-tensors": _read_compressed,
    "bitsandbytes": _read_bitsandbytes,
    "fp8": _read_fp8,
}


def _group_size(folder: object, section: Mapping[str, Any]) -> int | None:
    """None: all columns of a row share their scale."""
    size = section.get("group_size", section.get("q_group_size"))
    if size in (-1, None):
        return None
    if type(size) is not int or not 0 < size < 1 << 28:
        raise SourceError(f"{folder} has groups of {str(size)[:20]} weights: get config.json again")
    return size


def _block(folder: object, block: Any) -> tuple[int, int] | None:
    if block is None:
        return None
    if not isinstance(block, list) or len(block) != 2 or any(type(size) is not int or size < 1 for size in block):
        raise SourceError(f"{folder} has blocks of {str(block)[:40]} weights: get config.json again")
    return block[0], block[1]


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping)
