"""What the memory view asks of the engine, and what it is told. Knows nothing of how it is shown.

Blocks are numbered in physical order from 0, as in `BlockSnapshot`; the null block has no number. A place in the
prefix tree is named by the digest of the last block that leads to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ChatState = Literal["waiting", "swapped", "prefill", "decode", "ended"]


@dataclass(frozen=True, slots=True)
class WatchBlocks:
    """Turn block snapshots and step reports on or off. At most one snapshot is made per step and per `interval_ms`.

    `with_tree` asks for a `PrefixTree` besides, at most one in `TREE_INTERVAL_S`.
    """

    is_on: bool
    interval_ms: int = 100
    with_tree: bool = False


TREE_INTERVAL_S = 1.0


@dataclass(frozen=True, slots=True)
class AskBlock:
    """Ask what is in a block. `BlockFacts` answers."""

    block: int


@dataclass(frozen=True, slots=True)
class PinNode:
    """Keep the cached text from its beginning to a place of the tree, or let go of a text there.

    What is let go stands from `first_digest` to `digest` (None: that block alone). A pin that ends there goes whole;
    one that goes on behind it keeps what stands before it. `PrefixPinned` answers for each pin that is another now.
    """

    digest: bytes
    is_pinned: bool
    first_digest: bytes | None = None


@dataclass(frozen=True, slots=True)
class DropNode:
    """Forget the block at a place and all that follow it. `PrefixDropped` answers.

    What running answers use or a pin keeps stays.
    """

    digest: bytes


MemoryCommand = WatchBlocks | AskBlock | PinNode | DropNode


@dataclass(frozen=True, slots=True)
class BlockFacts:
    """What is in a block now: the tokens from position `start` of their text on. A free block has none.

    `written_ago_s` is None if it was never written by this model.
    """

    block: int
    start: int | None
    num_tokens: int
    text: str
    written_ago_s: float | None


@dataclass(frozen=True, slots=True)
class PrefixDropped:
    """`num_blocks` blocks are free again; `num_kept` more of the same text are in use or pinned."""

    digest: bytes
    num_blocks: int
    num_kept: int


@dataclass(frozen=True, slots=True)
class PrefixNode:
    """Cached blocks that follow each other without a fork, alike in who uses and who pins them.

    `parent` is the index of the node before it, None where a text begins or what stood before is no longer cached.
    `first_digest` and `digest` are those of its first and of its last block. `num_hits` requests began with its first
    block without computing it. `sharers` are the owners of running requests that hold it, `last_owner` whose it was
    last, `pins` the names it is kept under. `text` is how its tokens begin.
    """

    parent: int | None
    first_digest: bytes
    digest: bytes
    blocks: tuple[int, ...]
    start: int
    num_tokens: int
    num_hits: int
    sharers: tuple[str, ...]
    last_owner: str
    pins: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class PrefixTree:
    """All that the prefix cache holds, parents before their children."""

    model_id: str
    nodes: tuple[PrefixNode, ...]


@dataclass(frozen=True, slots=True)
class StepReport:
    """One forward, which ended at `end_s` of the engine's clock and took `duration_s`.

    `num_prefill_tokens` of prompts and `num_decode_tokens` of answers, guessed ones included, were computed for
    `num_sequences` sequences; after it `num_waiting` and `num_swapped` requests stood in the queue. Since the step
    before, so many were preempted each way, and `num_resumed` were let in again.
    """

    end_s: float
    duration_s: float
    num_prefill_tokens: int
    num_decode_tokens: int
    num_sequences: int
    num_waiting: int
    num_swapped: int
    num_swapped_out: int = 0
    num_recomputed: int = 0
    num_resumed: int = 0


@dataclass(frozen=True, slots=True)
class StepsTaken:
    """The steps since the last of these, oldest first. `now_s` is the engine's clock."""

    steps: tuple[StepReport, ...]
    now_s: float


@dataclass(frozen=True, slots=True)
class ChatReport:
    """A running request, or the newest ended one of an owner who has none running.

    `num_saved_tokens` of its prompt came from the prefix cache. `num_blocks` are its blocks in the pool,
    `num_ram_blocks` those in the host pool. `tokens_per_s` counts from its first token, None before its second.
    """

    owner: str
    state: ChatState
    num_tokens: int
    num_prompt_tokens: int
    num_saved_tokens: int
    num_blocks: int
    num_ram_blocks: int
    tokens_per_s: float | None


@dataclass(frozen=True, slots=True)
class BlockSnapshot:
    """The block pool at one step, as bytes in physical order; travels in a latest-wins slot beside the events.

    Per block b: `ref_counts[b]` live sequences hold it (255 means 255 or more); `is_cached[b]` is 1 if the prefix
    cache holds it, `is_pinned[b]` if a pin keeps it there; `owners[b]` indexes `owner_names` with its last owner, 255
    if it has none; `written[b]` is 1 if this step wrote it. A block is free if neither referenced nor cached.
    `shared_owners` lists, for each block held by more than one owner, (block, owner indexes). At most 255 owners are
    named; blocks of further ones have the index 255 too.
    `swapped` are the blocks that lie in host memory, as (owner, number of blocks) of each sequence, of at most
    `num_ram_blocks`.
    """

    model_id: str
    step: int
    block_size: int
    block_bytes: int
    ref_counts: bytes
    is_cached: bytes
    is_pinned: bytes
    owners: bytes
    written: bytes
    owner_names: tuple[str, ...]
    shared_owners: tuple[tuple[int, tuple[int, ...]], ...]
    swapped: tuple[tuple[str, int], ...] = ()
    num_ram_blocks: int = 0
    chats: tuple[ChatReport, ...] = ()

    @property
    def num_blocks(self) -> int:
        return len(self.ref_counts)


MemoryEvent = BlockFacts | PrefixDropped | PrefixTree | StepsTaken
