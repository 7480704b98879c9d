"""The GGUF files of one model: a single one, or all parts of a split one. Knows nothing of what is in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.convert.sources.gguf_container import GgufFile, TensorInfo
from engine.errors import SourceError
from engine.hub.selection import part_of


def part_paths(path: Path) -> list[Path]:
    """All files of the model that `path` is a part of, in their order. Raises `SourceError` naming missing ones."""
    found = part_of(path.name)
    if found is None or path.suffix != ".gguf":
        return [path]
    stem, number, count = found
    paths = [path.with_name(f"{stem}-{part:05}-of-{count:05}.gguf") for part in range(1, count + 1)]
    missing = [part.name for part in paths if not part.exists()]
    if missing or not 1 <= number <= count:
        names = ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")
        raise SourceError(
            f"{path.name} is one of {count} parts, of which {names or 'this number'} is missing: "
            "get all parts into one folder"
        )
    return paths


class GgufFiles:
    """The open files; a context manager. `metadata` is the first part's, `tensors` those of all parts.

    `paths` are all parts, looked up beside `path` if not given; `open_part` opens each.
    """

    def __init__(
        self,
        path: Path,
        paths: Sequence[Path] | None = None,
        open_part: Callable[[Path], GgufFile] = GgufFile.open,
    ) -> None:
        self.path = path
        self.paths = list(part_paths(path) if paths is None else paths)
        with ExitStack() as stack:
            files = [stack.enter_context(open_part(part)) for part in self.paths]
            self.metadata: Mapping[str, Any] = files[0].metadata
            self._check_count(files)
            self.tensors: dict[str, TensorInfo] = {}
            self._owners: dict[str, GgufFile] = {}
            for file in files:
                self._take(file)
            self._files = files
            self._open = stack.pop_all()

    def __enter__(self) -> GgufFiles:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.__exit__(kind, error, trace)

    def forget_metadata(self) -> None:
        """Let go of all keys: a vocabulary of 150,000 words and its merges are some 40 MB."""
        self.metadata = {}
        for file in self._files:
            file.metadata = {}

    def read_rows(self, tensor: TensorInfo, start: int, stop: int) -> npt.NDArray[np.uint8]:
        """The bytes of some rows: uint8 [stop - start, row_bytes]. Raises `SourceError` if the file ends early."""
        return self._owners[tensor.name].read_rows(tensor, start, stop)

    def _take(self, file: GgufFile) -> None:
        for name, tensor in file.tensors.items():
            if name in self.tensors:
                raise SourceError(f"{file.path}: {name} is in another part too: get all parts again")
            self.tensors[name] = tensor
            self._owners[name] = file

    def _check_count(self, files: list[GgufFile]) -> None:
        """Each part says which it is of how many; a single file that was renamed says so as well."""
        for number, file in enumerate(files):
            count, index = file.metadata.get("split.count", 0), file.metadata.get("split.no", number)
            if count not in (0, len(files)) or (count and index != number):
                raise SourceError(
                    f"{file.path} says that it is part {index + 1 if isinstance(index, int) else index} of {count}: "
                    "give the parts their names back (…-00001-of-0000N.gguf), all in one folder"
                )
