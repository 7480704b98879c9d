"""The manifest: what a model is, where it came from and what its files must be.

Standard library only, so that listing models costs no import of torch. Knows nothing of the tensors.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from engine.errors import CheckpointError, DamagedCheckpointError
from engine.spec import ModelSpec
from engine.store.files import FileRecord
from engine.store.layout import (
    FORMAT_VERSION,
    GENERATION_FILE,
    MANIFEST_FILE,
    READABLE_VERSIONS,
    TEXT_FILES,
    is_file_name,
    matrix_names,
)
from engine.store.strict import record_of, table_of, text_of

MAX_TOKEN_ID = 1 << 31


@dataclass(frozen=True, slots=True)
class TensorFormat:
    """How a matrix is packed, and from what: `source` names the source's type ("Q4_1", several joined by "+").

    `is_exact` says that dequantising gives the source's numbers bit for bit. `error` is the Frobenius norm of what
    packing changed, over that of what was packed inexactly; None in models that were made before it was measured.
    """

    bits: int
    group_size: int
    has_minimum: bool
    source: str
    is_exact: bool
    error: float | None = None

    def __post_init__(self) -> None:
        if not (0 < self.bits <= 8 and 0 < self.group_size <= 1 << 20):
            raise ValueError(f"{self.bits} bits in groups of {self.group_size}")

    def size_bytes(self, num_rows: int, num_columns: int) -> int:
        """Bytes of codes, scales and minima of a matrix packed so."""
        num_scales = num_columns // self.group_size * (2 if self.has_minimum else 1)
        return num_rows * (num_columns * self.bits // 8 + 2 * num_scales)


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """The converted file and the options it was converted with, as `QuantizeOptions` explains them."""

    file_name: str
    sha256: str
    bits: int | None
    group_size: int
    gate_up_bits: int | None = None
    table_bits: int | None = None
    method: str = "nearest"
    is_group_flexible: bool = False
    keeps_narrow_source: bool = False

    @property
    def options_text(self) -> str:
        """`bits auto, groups of 32`, `bits 4, gate_up 3, tables 8, groups of 64 or smaller, calibrated`."""
        parts = [f"bits {'auto' if self.bits is None else self.bits}"]
        if self.gate_up_bits not in (None, self.bits):
            parts.append(f"gate_up {self.gate_up_bits}")
        if self.table_bits not in (None, self.bits):
            parts.append(f"tables {self.table_bits}")
        parts.append(f"groups of {self.group_size}{' or smaller' if self.is_group_flexible else ''}")
        return ", ".join(parts + ([self.method] if self.method != "nearest" else []))


@dataclass(frozen=True, slots=True)
class Fidelity:
    """What conversion has cost, on `num_tokens` tokens of a held text, both models computed in float32.

    Perplexities are exp of the mean negative log-likelihood; `divergence` is the mean Kullback-Leibler divergence of
    the model's distribution from the source's, in nats; `agreement` the share of tokens where both find the same one
    the most probable.
    """

    num_tokens: int
    source_perplexity: float
    perplexity: float
    divergence: float
    agreement: float


@dataclass(frozen=True, slots=True)
class Generation:
    """Which tokens begin a prompt and end an answer. A raw prompt gets `bos_token_id` in front if `adds_bos`."""

    end_token_ids: tuple[int, ...]
    bos_token_id: int | None
    adds_bos: bool

    def to_text(self) -> str:
        """The content of generation.json."""
        return json.dumps(asdict(self), indent=1)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Generation:
        """Raises KeyError, TypeError or ValueError."""
        end_token_ids, bos_token_id = data["end_token_ids"], data["bos_token_id"]
        if not isinstance(end_token_ids, list) or not all(map(_is_token_id, end_token_ids)):
            raise TypeError("end_token_ids is no list of token ids")
        if bos_token_id is not None and not _is_token_id(bos_token_id):
            raise TypeError("bos_token_id is no token id")
        if not isinstance(data["adds_bos"], bool):
            raise TypeError("adds_bos is neither true nor false")
        return cls(tuple(end_token_ids), bos_token_id, data["adds_bos"])


@dataclass(frozen=True, slots=True)
class Manifest:
    """All that is known of a model without reading its weights. `files` covers every file but the manifest."""

    model_id: str
    name: str
    spec: ModelSpec
    quantization: Mapping[str, TensorFormat]
    source: SourceRecord
    license: str | None
    generation: Generation
    files: Mapping[str, FileRecord]
    weights_digest: str
    tokenizer_digest: str
    fidelity: Fidelity | None = None
    """None where it was not measured."""

    @property
    def end_token_ids(self) -> tuple[int, ...]:
        return self.generation.end_token_ids

    @property
    def bos_token_id(self) -> int | None:
        return self.generation.bos_token_id

    @property
    def adds_bos(self) -> bool:
        return self.generation.adds_bos

    @property
    def size_bytes(self) -> int:
        return sum(record.size_bytes for record in self.files.values())

    def to_text(self) -> str:
        """The content of manifest.json, in this program's format version, whichever it was read in."""
        return json.dumps(self.to_json(), indent=1)

    def to_json(self) -> dict[str, Any]:
        """The content of manifest.json; `generation` has its own file."""
        return {
            "format_version": FORMAT_VERSION,
            "model_id": self.model_id,
            "name": self.name,
            "spec": self.spec.to_json(),
            "quantization": {name: asdict(tensor) for name, tensor in self.quantization.items()},
            "source": asdict(self.source),
            "license": self.license,
            "weights_digest": self.weights_digest,
            "tokenizer_digest": self.tokenizer_digest,
            "files": {name: asdict(record) for name, record in self.files.items()},
            "fidelity": None if self.fidelity is None else asdict(self.fidelity),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any], generation: Generation) -> Manifest:
        """Inverse of `to_json`. Raises KeyError, TypeError or ValueError on content of another shape."""
        license, fidelity = data["license"], data.get("fidelity")
        return cls(
            model_id=text_of(data["model_id"], "model_id"),
            name=text_of(data["name"], "name"),
            spec=ModelSpec.from_json(data["spec"]),
            quantization={
                name: record_of(TensorFormat, fields)
                for name, fields in table_of(data["quantization"], "quantization").items()
            },
            source=record_of(SourceRecord, data["source"]),
            license=None if license is None else text_of(license, "license"),
            generation=generation,
            files={_file_name(name): _file_record(fields) for name, fields in table_of(data["files"], "files").items()},
            weights_digest=text_of(data["weights_digest"], "weights_digest"),
            tokenizer_digest=text_of(data["tokenizer_digest"], "tokenizer_digest"),
            fidelity=None if fidelity is None else record_of(Fidelity, fidelity),
        )


def _file_name(name: str) -> str:
    """Raises ValueError unless it is one that a model's file has: nothing may be written under any other."""
    if not is_file_name(name):
        raise ValueError(f"it names the file {name[:40]!r}")
    return name


def _file_record(fields: object) -> FileRecord:
    record = record_of(FileRecord, fields)
    if record.size_bytes < 0:
        raise ValueError(f"a file has {record.size_bytes} bytes")
    return record


def _is_token_id(value: object) -> bool:
    return type(value) is int and 0 <= value < MAX_TOKEN_ID


def digests(files: Mapping[str, FileRecord]) -> tuple[str, str]:
    """The weights' and the tokenizer's digest: sha256 over the names and digests of their files."""
    lines = [f"{name} {record.sha256}\n" for name, record in sorted(files.items())]
    is_text = [line.split(" ")[0] in TEXT_FILES for line in lines]
    weights, texts = (
        hashlib.sha256("".join(line for line, text in zip(lines, is_text, strict=True) if text is wanted).encode())
        for wanted in (False, True)
    )
    return weights.hexdigest(), texts.hexdigest()


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a finished model.

    Raises `CheckpointError` if the folder holds no model that this program knows, `DamagedCheckpointError` if it does,
    but generation.json is missing or damaged.
    """
    path = folder / MANIFEST_FILE
    try:
        data = _read_json(path)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise CheckpointError(f"{folder} is no model, it has no {path.name}: if it is in the way, move it") from error
    except OSError as error:
        raise file_error(path, error) from error
    except ValueError as error:
        raise _damaged_manifest(path, error) from error
    version = data.get("format_version")
    if version not in READABLE_VERSIONS:
        raise CheckpointError(
            f"{folder} has format version {version}, this program reads {FORMAT_VERSION}: "
            "use the program that made it, or convert the model again under another name"
        )
    if not isinstance(model_id := data.get("model_id"), str):
        raise _damaged_manifest(path, "it names no model")
    if model_id != folder.name:
        raise CheckpointError(f"{folder} holds the model {model_id}: give the folder that name")
    generation = _read_generation(folder / GENERATION_FILE)
    try:
        manifest = Manifest.from_json(data, generation)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _damaged_manifest(path, error) from error
    if manifest.spec.num_layers > len(manifest.files):
        raise _damaged_manifest(path, f"it names {manifest.spec.num_layers} layers and {len(manifest.files)} files")
    if missing := set(matrix_names(manifest.spec)) - set(manifest.quantization):
        raise _damaged_manifest(path, f"it lacks {min(missing)}")
    return manifest


def check_files(folder: Path, manifest: Manifest) -> None:
    """Raises as `read_manifest` does unless every file is there with its size; the content is not read."""
    for name, record in manifest.files.items():
        try:
            size_bytes = (folder / name).stat().st_size
        except OSError as error:
            raise file_error(folder / name, error) from error
        if size_bytes != record.size_bytes:
            raise DamagedCheckpointError(
                f"{folder / name} has {size_bytes} bytes, must have {record.size_bytes}: convert the model again"
            )


def file_error(path: Path, error: OSError) -> CheckpointError:
    """What to raise for a model's file that cannot be read: only one that is not there counts as damage."""
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return DamagedCheckpointError(f"{path} is missing: convert the model again")
    return CheckpointError(f"Cannot read {path} ({error.strerror}): check its permissions and the disk")


def _read_generation(path: Path) -> Generation:
    try:
        return Generation.from_json(_read_json(path))
    except OSError as error:
        raise file_error(path, error) from error
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedCheckpointError(f"{path} is damaged ({error}): convert the model again") from error


def _read_json(path: Path) -> dict[str, Any]:
    """Raises OSError, and ValueError unless it is a JSON object."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(data, dict):
        raise ValueError("no JSON object")
    return data


def _damaged_manifest(path: Path, reason: object) -> CheckpointError:
    return CheckpointError(f"{path} is damaged ({reason}): remove the folder, then convert the model again")
