"""Quantised matrices as other programs write them, made bit by bit in plain Python and numpy.

Independent of the code under test: every bit of every word is set by itself, from the formats' descriptions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]
AWQ_ORDER = (0, 2, 4, 6, 1, 3, 5, 7)


@dataclass(frozen=True, slots=True)
class Quantised:
    """A float matrix [N, K] rounded to codes; `values` is what they stand for: scale * (code - zero)."""

    codes: npt.NDArray[np.int64]
    scale: npt.NDArray[np.float16]
    zero: npt.NDArray[np.int64]
    group_of: npt.NDArray[np.int64]

    @property
    def values(self) -> Array:
        scale = self.scale.astype(np.float64)[:, self.group_of]
        return (scale * (self.codes - self.zero[:, self.group_of])).astype(np.float32)


def quantise(
    weight: Array, bits: int, group_of: npt.NDArray[np.int64], *, is_symmetric: bool, min_zero: int = 0
) -> Quantised:
    """Round-to-nearest of a known float matrix: per row and group a scale, and a zero among the codes."""
    num_groups, top = int(group_of.max()) + 1, (1 << bits) - 1
    scale = np.zeros((len(weight), num_groups), np.float16)
    zero = np.full((len(weight), num_groups), 1 << (bits - 1), np.int64)
    codes = np.zeros(weight.shape, np.int64)
    for group in range(num_groups):
        columns = np.flatnonzero(group_of == group)
        part = weight[:, columns]
        low, high = np.minimum(part.min(1), 0), np.maximum(part.max(1), 0)
        if is_symmetric:
            scale[:, group] = np.maximum(-low, high) / (1 << (bits - 1))
        else:
            scale[:, group] = (high - low) / top
            zero[:, group] = np.clip(np.round(-low / scale[:, group]), min_zero, top)
        step = scale[:, group].astype(np.float32)[:, None]
        codes[:, columns] = np.clip(np.round(part / step) + zero[:, [group]], 0, top)
    return Quantised(codes, scale, zero, group_of)


def pack_stream(codes: npt.NDArray[np.int64], bits: int) -> npt.NDArray[np.int32]:
    """Codes [n, count] to words [n, count * bits / 32]: bit b of code i is bit i * bits + b of the stream."""
    words = np.zeros((len(codes), codes.shape[1] * bits // 32), np.uint32)
    for row in range(len(codes)):
        for index, code in enumerate(codes[row]):
            for bit in range(bits):
                if code >> bit & 1:
                    place = index * bits + bit
                    words[row, place // 32] |= np.uint32(1) << np.uint32(place % 32)
    return words.view(np.int32)


def pack_3bit_as_autogptq(codes: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
    """32 codes in 3 words, as its program says it: ten, one that is split, ten, one that is split, ten."""
    words = np.zeros((len(codes), codes.shape[1] * 3 // 32), np.uint32)
    for row in range(len(codes)):
        for first in range(0, codes.shape[1], 32):
            c, w = [int(code) for code in codes[row, first : first + 32]], [0, 0, 0]
            for index in range(10):
                w[0] |= c[index] << 3 * index
                w[1] |= c[11 + index] << 3 * index + 1
                w[2] |= c[22 + index] << 3 * index + 2
            w[0] |= (c[10] & 3) << 30
            w[1] |= c[10] >> 2 | (c[21] & 1) << 31
            w[2] |= c[21] >> 1
            words[row, first // 32 * 3 : first // 32 * 3 + 3] = w
    return words.view(np.int32)


def gptq_tensors(matrix: Quantised, bits: int, *, zero_offset: int, has_order: bool) -> dict[str, npt.NDArray]:
    """qweight [K bits / 32, N], qzeros [G, N bits / 32], scales [G, N], g_idx [K]; `zero_offset` 1 is version 1."""
    pack = pack_3bit_as_autogptq if bits == 3 else lambda codes: pack_stream(codes, bits)
    tensors: dict[str, npt.NDArray] = {
        "qweight": np.ascontiguousarray(pack(matrix.codes).T),
        "qzeros": pack(np.ascontiguousarray(matrix.zero.T) - zero_offset),
        "scales": np.ascontiguousarray(matrix.scale.T),
    }
    if has_order:
        tensors["g_idx"] = matrix.group_of.astype(np.int32)
    return tensors


def awq_tensors(matrix: Quantised) -> dict[str, npt.NDArray]:
    """qweight [K, N / 8], qzeros [G, N / 8], scales [G, N]; nibble i of a word is row `AWQ_ORDER[i]` of its eight."""
    return {
        "qweight": _awq_words(matrix.codes.T),
        "qzeros": _awq_words(matrix.zero.T),
        "scales": np.ascontiguousarray(matrix.scale.T),
    }


def _awq_words(codes: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
    words = np.zeros((len(codes), codes.shape[1] // 8), np.uint32)
    for place, row in enumerate(AWQ_ORDER):
        words |= codes[:, row::8].astype(np.uint32) << np.uint32(4 * place)
    return words.view(np.int32)


def compressed_tensors(matrix: Quantised, bits: int, *, is_symmetric: bool, has_order: bool) -> dict[str, npt.NDArray]:
    """weight_packed [N, K bits / 32], weight_scale [N, G], weight_zero_point [N bits / 32, G], weight_shape [2]."""
    tensors: dict[str, npt.NDArray] = {
        "weight_packed": pack_stream(matrix.codes, bits),
        "weight_scale": matrix.scale,
        "weight_shape": np.array(matrix.codes.shape, np.int64),
    }
    if not is_symmetric:
        tensors["weight_zero_point"] = np.ascontiguousarray(pack_stream(matrix.zero.T, bits).T)
    if has_order:
        tensors["weight_g_idx"] = matrix.group_of.astype(np.int32)
    return tensors
