"""SentencePiece's own file, tokenizer.model: its pieces with their scores and kinds, read from the protobuf.

Message numbers: https://github.com/google/sentencepiece/blob/master/src/sentencepiece_model.proto. Knows nothing of
tokenizers.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.errors import SourceError

_BPE = 2
_KIND_NAMES = {1: "unigram", 3: "word", 4: "char"}
MAX_FILE_BYTES = 1 << 26
NORMAL = 1
Value = int | bytes


@dataclass(frozen=True, slots=True)
class SentencePieces:
    """`kinds` are numbered as GGUF's token types. `has_space_prefix`: a text begins as if a space were before it."""

    tokens: list[str]
    scores: list[float]
    kinds: list[int]
    has_space_prefix: bool


def read_sentencepieces(path: Path) -> SentencePieces:
    """Raises `SourceError` for a file that is damaged, or of another algorithm than BPE."""
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise SourceError(f"{path} has {path.stat().st_size} bytes, more than any such file: get it again")
        data = path.read_bytes()
    except OSError as error:
        raise SourceError(f"Cannot read {path}: {error.strerror}") from error
    tokens, scores, kinds, algorithm, has_space_prefix = [], [], [], 1, True
    try:
        for number, value in _fields(data):
            if number == 1:
                piece = dict(_fields(_bytes(value)))
                tokens.append(_bytes(piece[1]).decode())
                scores.append(float(struct.unpack("<f", _bytes(piece.get(2, bytes(4))))[0]))
                kinds.append(_int(piece.get(3, NORMAL)))
            elif number == 2:
                algorithm = _int(dict(_fields(_bytes(value))).get(3, 1))
            elif number == 3:
                has_space_prefix = bool(_int(dict(_fields(_bytes(value))).get(3, 1)))
    except (ValueError, KeyError, IndexError, struct.error) as error:
        raise SourceError(f"{path} is no SentencePiece model: get the file again") from error
    if algorithm != _BPE:
        raise SourceError(
            f"{path} is a {_KIND_NAMES.get(algorithm, algorithm)} model, only BPE can be read: get tokenizer.json too"
        )
    return SentencePieces(tokens, scores, kinds, has_space_prefix)


def _fields(data: bytes) -> Iterator[tuple[int, Value]]:
    """Number and value of each field of a message: varints as integers, all else as bytes."""
    position = 0
    while position < len(data):
        tag, position = _varint(data, position)
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            value, position = _varint(data, position)
            yield number, value
            continue
        if kind == 2:
            length, position = _varint(data, position)
        elif kind in (1, 5):
            length = 8 if kind == 1 else 4
        else:
            raise ValueError(f"wire type {kind}")
        if length > len(data) - position:
            raise ValueError(f"{length} bytes, {len(data) - position} are left")
        yield number, data[position : position + length]
        position += length


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value, shift = 0, 0
    while shift < 64:
        byte = data[position]
        position += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, position
        shift += 7
    raise ValueError("a number of more than 64 bits")


def _bytes(value: Value) -> bytes:
    if not isinstance(value, bytes):
        raise ValueError("a number in place of bytes")
    return value


def _int(value: Value) -> int:
    if not isinstance(value, int):
        raise ValueError("bytes in place of a number")
    return value
