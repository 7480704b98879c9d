"""Where a decoder's prepared matrices come from: repacked now, or mapped from a file that keeps them.

Knows nothing of which matrices a model has.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from engine.errors import StorageError
from engine.store.checkpoint import Checkpoint
from engine.store.prepared_file import PreparedFile, PreparedIdentity, new_prepared_file
from kernels.ops import Backend
from kernels.packed_weight import PackedWeight

_log = logging.getLogger(__name__)

Prepare = Callable[[PackedWeight], Any]


def choose_prepare(
    checkpoint: Checkpoint, backend: Backend, order: int, visit_all: Callable[[Prepare], object]
) -> Prepare:
    """A function for every matrix of the checkpoint in the order in which `visit_all` visits them, the embedding first.

    `order` is another number for another order. The file is made if there is none that fits; if it cannot be, because
    there is no room for one, matrices are repacked as they come.
    """
    layout = backend.layout
    if layout is None:
        return backend.prepare
    identity = PreparedIdentity(order, layout.name, checkpoint.manifest.weights_digest)
    file = PreparedFile.open(checkpoint.path, identity)
    if file is None:
        try:
            with new_prepared_file(checkpoint.path, identity, checkpoint.manifest.size_bytes) as append:
                visit_all(lambda weight: append(layout.data(backend.prepare(weight))))
        except StorageError as error:
            _log.info("the weights of %s are repacked in memory: %s", checkpoint.manifest.name, error)
            return backend.prepare
        file = PreparedFile.open(checkpoint.path, identity)
    if file is None:
        _log.warning("%s does not read back: the weights are repacked in memory", checkpoint.path)
        return backend.prepare
    mapped = file
    # Of an embedding that is not the head, only the rows that occur are ever read.
    is_tied = checkpoint.manifest.spec.is_tied
    mapped.expect_whole_reads(0 if is_tied else layout.size_bytes(checkpoint.read_embedding()))
    return lambda weight: layout.adopt(weight, mapped.take(layout.size_bytes(weight)))
