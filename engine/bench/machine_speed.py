"""What this machine can do at best, measured: the yardstick of the kernels.

By torch's own operations on as many threads as torch has; knows nothing of ours.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable

import torch
from torch import Tensor

_ARRAY_BYTES = 256 << 20
"""Far beyond any cache."""
_MATRIX_SIZE = 2048
_NUM_TRIES = 5


def measure_machine() -> dict[str, float]:
    """Best of some tries, in bytes or operations per second; a multiplication and its addition are two operations.

    `copy` counts each byte twice, read and written. `int8` is the fastest 8-bit product that torch has here.
    """
    source = _large_array()
    target = torch.zeros_like(source)
    left, right = (torch.randn(_MATRIX_SIZE, _MATRIX_SIZE) for _ in range(2))
    num_ops = 2.0 * _MATRIX_SIZE**3
    return {
        "copy": 2 * _ARRAY_BYTES / _best_s(lambda: target.copy_(source)),
        "read": _read_speed(source),
        "float32": num_ops / _best_s(lambda: left @ right),
        "int8": num_ops / min(_best_s(product) for product in _integer_products()),
    }


def measure_reading(num_threads: int) -> float:
    """Bytes per second that so many threads read from memory just now; best of some tries.

    It bounds what a sequence alone can decode, since each token reads all weights, and is not the same at all times
    where other machines use the same memory.
    """
    torch.set_num_threads(num_threads)
    return _read_speed(_large_array())


def _large_array() -> Tensor:
    return torch.ones(_ARRAY_BYTES // 4, dtype=torch.int32)


def _read_speed(array: Tensor) -> float:
    return _ARRAY_BYTES / _best_s(lambda: array.amax())


def _integer_products() -> list[Callable[[], Tensor]]:
    left, right = (torch.randint(-127, 128, (_MATRIX_SIZE, _MATRIX_SIZE), dtype=torch.int8) for _ in range(2))
    products: list[Callable[[], Tensor]] = [lambda: torch._int_mm(left, right)]
    engines = [name for name in torch.backends.quantized.supported_engines if name != "none"]
    return products + [_quantized_product(name) for name in engines]


def _quantized_product(engine_name: str) -> Callable[[], Tensor]:
    """uint8 times int8 by one of torch's engines for quantised linears."""
    torch.backends.quantized.engine = engine_name
    with warnings.catch_warnings():
        # torch means to drop them one day; our version of it is pinned.
        warnings.simplefilter("ignore", UserWarning)
        x = torch.quantize_per_tensor(torch.rand(_MATRIX_SIZE, _MATRIX_SIZE), 0.01, 0, torch.quint8)
        w = torch.quantize_per_tensor(torch.randn(_MATRIX_SIZE, _MATRIX_SIZE), 0.05, 0, torch.qint8)
    packed = torch.ops.quantized.linear_prepack(w, None)
    return lambda: torch.ops.quantized.linear(x, packed, 1.0, 0)


def _best_s(call: Callable[[], Tensor]) -> float:
    times_s = []
    for _ in range(_NUM_TRIES + 1):
        start_s = time.perf_counter()
        call()
        times_s.append(time.perf_counter() - start_s)
    # The first one finds cold caches and threads.
    return min(times_s[1:])
