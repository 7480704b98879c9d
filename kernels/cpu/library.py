"""Finds and loads the native library, and gives its functions their types. Knows nothing of tensors."""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, c_char_p, c_float, c_int, c_int32, c_int64, c_size_t, c_void_p
from functools import cache
from pathlib import Path

from kernels.cpu import structs
from kernels.cpu.build import SOURCES, BuildError, host_target, library_path, source_digest

BUILD_HINT = "build them with: python -m kernels.cpu.build"


class NativeUnavailableError(RuntimeError):
    """The native kernels cannot be used; the message says why and what to do."""


class WeightStruct(ctypes.Structure):
    """`di_weight` of src/weight.h."""

    _fields_ = (
        ("data", c_void_p),
        ("num_rows", c_int32),
        ("num_columns", c_int32),
        ("bits", c_int32),
        ("group_size", c_int32),
        ("has_minimum", c_int32),
    )


class EmbeddingStruct(ctypes.Structure):
    """`di_embedding` of src/weight.h."""

    _fields_ = (
        ("table", POINTER(WeightStruct)),
        ("token_ids", c_void_p),
        ("y", c_void_p),
        ("scale", c_float),
        ("num_tokens", c_int32),
    )


class LinearStruct(ctypes.Structure):
    """`di_linear` of src/linear.h. The fields after `y` are the plan's."""

    _fields_ = (
        ("weight", POINTER(WeightStruct)),
        ("norm", c_void_p),
        ("norm_bias", c_void_p),
        ("bias", c_void_p),
        ("post_norm", c_void_p),
        ("norm_eps", c_float),
        ("post_norm_eps", c_float),
        ("activation", c_int32),
        ("is_gated", c_int32),
        ("num_rows", c_int32),
        ("x", c_void_p),
        ("residual", c_void_p),
        ("y", c_void_p),
        ("scratch", c_void_p),
        ("tile", c_void_p),
        ("panel", c_void_p),
        ("serial", c_int64),
        ("is_quantised_once", c_int32),
        ("rows_per_item", c_int32),
        ("rows_per_strip", c_int32),
        ("blocks_per_item", c_int32),
        ("num_chunks", c_int32),
        ("first_codes", c_int64),
        ("num_groups", c_int32),
    )


_SIGNATURES = {
    **structs.SIGNATURES,
    "di_source_digest": (c_char_p, ()),
    "di_variant": (c_char_p, ()),
    "di_choose_variant": (c_int, (c_char_p,)),
    "di_pool_create": (c_void_p, (c_int, c_int)),
    "di_pool_destroy": (None, (c_void_p,)),
    "di_pool_num_workers": (c_int, (c_void_p,)),
    "di_pool_run": (None, (c_void_p, c_void_p, c_int)),
    "di_scratch_create": (c_void_p, (c_int,)),
    "di_scratch_destroy": (None, (c_void_p,)),
    "di_weight_bytes": (c_size_t, (POINTER(WeightStruct),)),
    "di_repack": (None, (c_void_p, POINTER(WeightStruct), c_void_p, c_void_p, c_void_p)),
    "di_embed": (None, (c_void_p, POINTER(EmbeddingStruct))),
    "di_linear_run": (c_int, (c_void_p, c_void_p, POINTER(LinearStruct))),
    "di_grouped_linear_run": (
        c_int,
        (c_void_p, c_void_p, POINTER(WeightStruct), c_int32, c_int32, c_void_p, c_void_p),
    ),
}


def load(path: Path | None = None) -> ctypes.CDLL:
    """The library with typed functions; every call releases the GIL. `path` None: the one built for this machine.

    Raises `NativeUnavailableError` if there is none, it is older than its sources, or the processor cannot run it.
    """
    path = default_path() if path is None else path
    if not path.is_file():
        raise NativeUnavailableError(f"The native CPU kernels are not built ({path} is missing): {BUILD_HINT}")
    try:
        library = ctypes.CDLL(str(path))
        for name, (result, arguments) in _SIGNATURES.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError) as error:
        raise NativeUnavailableError(f"The native CPU kernels do not load ({error}): {BUILD_HINT}") from error
    built_from = library.di_source_digest().decode()
    if SOURCES.is_dir() and built_from != source_digest():
        raise NativeUnavailableError(f"The native CPU kernels are older than their sources ({path}): {BUILD_HINT}")
    if library.di_variant() is None:
        raise NativeUnavailableError("The native CPU kernels need a processor with AVX2, FMA and F16C")
    return library


def default_path() -> Path:
    """Where the library lies: `DEEPINFER_CPU_LIBRARY` if set (sanitizer builds), else beside this module."""
    override = os.environ.get("DEEPINFER_CPU_LIBRARY")
    if override:
        return Path(override)
    try:
        return library_path(host_target())
    except BuildError as error:
        raise NativeUnavailableError(f"The native CPU kernels cannot be used: {error}") from error


@cache
def shared() -> ctypes.CDLL:
    """The library of this process, loaded at the first call. Raises as `load`."""
    return load()
