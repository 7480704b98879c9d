"""Operations of any kind in one native call: the Python face of src/program.h. Knows nothing of what they compute."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Protocol

from kernels.cpu.library import OperationStruct
from kernels.cpu.pool import Pool


class Operation(Protocol):
    """`kind` is one of src/program.h's; `struct` its descriptor, whose call the owner fills in before a run."""

    @property
    def kind(self) -> int: ...

    @property
    def struct(self) -> ctypes.Structure: ...


class Program:
    """Operations in order, each of them once; they must outlive the program. For one thread at a time."""

    def __init__(self, operations: Sequence[Operation]) -> None:
        structs = (OperationStruct(each.kind, ctypes.addressof(each.struct)) for each in operations)
        self._operations = (OperationStruct * len(operations))(*structs)

    def run(self, pool: Pool) -> None:
        """Raises MemoryError; nothing has run then."""
        if pool.library.di_program_run(pool.handle, pool.scratch, self._operations, len(self._operations)) != 0:
            raise MemoryError("no memory for the rows of a linear operation")
