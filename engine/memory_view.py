"""What the memory view is told of one loaded model: blocks, prefix tree, steps, chats, and what is in a block.

Reads cache and scheduler between two steps; of what they hold it changes pins and cached blocks alone, when asked.
Keeps nothing per step but when each block was written, unless somebody watches.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from collections.abc import Sequence as Tokens

from engine.cache.block_pool import NULL_BLOCK
from engine.cache.block_view import PoolState, snapshot_blocks
from engine.cache.kv_cache import KVCache
from engine.cache.prefix_cache import CachedBlock
from engine.cache.prefix_tree import blocks_from, find_runs, path_to
from engine.errors import TextError
from engine.messages import (
    BlockFacts,
    BlockSnapshot,
    ChatReport,
    ChatState,
    PrefixDropped,
    PrefixNode,
    PrefixTree,
    StepReport,
    StepsTaken,
)
from engine.prefixes import OwnedPrefixes
from engine.scheduler import Schedule, Scheduler
from engine.sequence import Sequence, SequenceState

MAX_KEPT_STEPS = 2000
_MAX_TEXT_TOKENS = 48
_REPLACEMENT = "�"
_STATES: dict[SequenceState, ChatState] = {
    SequenceState.WAITING: "waiting",
    SequenceState.SWAPPED: "swapped",
    SequenceState.PREFILL: "prefill",
    SequenceState.DECODE: "decode",
}


class MemoryView:
    """`decode` makes text of token ids and raises `TextError`; `block_bytes` is the size of one block."""

    def __init__(
        self,
        cache: KVCache,
        scheduler: Scheduler,
        prefixes: OwnedPrefixes,
        decode: Callable[[Tokens[int]], str],
        block_bytes: int,
    ) -> None:
        self._cache = cache
        self._scheduler = scheduler
        self._prefixes = prefixes
        self._decode = decode
        self._block_bytes = block_bytes
        self._written: frozenset[int] = frozenset()
        self._written_s: dict[int, float] = {}
        self._steps: deque[StepReport] | None = None
        self._schedules: list[Schedule] = []
        self._texts: dict[tuple[bytes, int], str] = {}

    def watch(self, is_on: bool) -> None:
        """Keep a report of each step from now on, or no longer."""
        if is_on != (self._steps is not None):
            self._steps = deque(maxlen=MAX_KEPT_STEPS) if is_on else None
            self._schedules = []
            self._texts = {}

    def on_schedule(self, schedule: Schedule) -> None:
        if self._steps is not None:
            self._schedules.append(schedule)

    def on_step(self, written: set[int], num_prefill: int, num_decode: int, num_sequences: int, span: Span) -> None:
        """A forward has written these blocks, with so many tokens of prompts and answers, from and until `span`."""
        start_s, end_s = span
        self._written = frozenset(written)
        self._written_s.update(dict.fromkeys(written, end_s))
        if self._steps is None:
            return
        schedules, self._schedules = self._schedules, []
        ways = [preempted.how for schedule in schedules for preempted in schedule.preempted]
        self._steps.append(
            StepReport(
                end_s,
                end_s - start_s,
                num_prefill,
                num_decode,
                num_sequences,
                len(self._scheduler.waiting),
                len(self._scheduler.swapped),
                ways.count("swap"),
                ways.count("recompute"),
                sum(len(schedule.resumed) for schedule in schedules),
            )
        )

    def take_steps(self, now_s: float) -> StepsTaken:
        """The steps since the last call."""
        steps = tuple(self._steps or ())
        if self._steps is not None:
            self._steps.clear()
        return StepsTaken(steps, now_s)

    def snapshot(self, model_id: str, step: int) -> BlockSnapshot:
        running, swapped = self._scheduler.running, self._scheduler.swapped
        # What the last step before the rest wrote is not being written now.
        written = self._written if running or swapped or self._scheduler.waiting else frozenset()
        state = PoolState(model_id, step, self._block_bytes, written, self._chats())
        return snapshot_blocks(self._cache, running, swapped, state)

    def _chats(self) -> tuple[ChatReport, ...]:
        live = [self._chat(sequence) for sequence in self._scheduler]
        owners = {chat.owner for chat in live}
        ended = [self._chat(sequence) for owner, sequence in self._prefixes.newest.items() if owner not in owners]
        return (*live, *ended)

    def _chat(self, sequence: Sequence) -> ChatReport:
        rate = None
        if sequence.first_token_s is not None and sequence.num_output_tokens > 1:
            assert sequence.last_token_s is not None, f"{sequence.request_id} has a first token and no last one"
            # Tokens that were guessed arrive together.
            rate = (sequence.num_output_tokens - 1) / max(sequence.last_token_s - sequence.first_token_s, 1e-9)
        return ChatReport(
            sequence.owner,
            _STATES.get(sequence.state, "ended"),
            len(sequence.token_ids),
            sequence.num_prompt_tokens,
            sequence.num_cached_tokens,
            self._cache.num_held_blocks(sequence),
            len(sequence.host_block_ids),
            rate,
        )

    def facts(self, block: int, now_s: float) -> BlockFacts:
        """What is in the block with this number."""
        written_s = self._written_s.get(block + 1)
        ago_s = None if written_s is None else now_s - written_s
        found = self._tokens_in(block + 1)
        if found is None:
            return BlockFacts(block, None, 0, "", ago_s)
        start, token_ids = found
        return BlockFacts(block, start, len(token_ids), self._text(token_ids), ago_s)

    def _tokens_in(self, block_id: int) -> tuple[int, Tokens[int]] | None:
        size = self._cache.block_size
        cached = self._cache.prefix_cache.cached_blocks().get(block_id)
        if cached is not None:
            return cached.index * size, cached.token_ids
        for sequence in self._scheduler.running:
            if block_id in sequence.block_ids:
                start = sequence.block_ids.index(block_id) * size
                return start, sequence.token_ids[start : min(start + size, sequence.num_computed_tokens)]
        return None

    def tree(self, model_id: str) -> PrefixTree:
        """All that is cached."""
        cached = self._cache.prefix_cache.cached_blocks()
        sharers: dict[int, list[str]] = {}
        for sequence in self._scheduler.running:
            _note(sharers, sequence.block_ids, sequence.owner)
        pins: dict[int, list[str]] = {}
        for name, block_ids in self._cache.prefix_cache.pins().items():
            _note(pins, block_ids, name)

        def mark(block_id: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
            return tuple(sorted(sharers.get(block_id, ()))), tuple(pins.get(block_id, ()))

        nodes: list[PrefixNode] = []
        texts: dict[tuple[bytes, int], str] = {}
        for run in find_runs(cached, mark):
            first, last = run.block_ids[0], run.block_ids[-1]
            nodes.append(
                PrefixNode(
                    run.parent,
                    cached[first].digest,
                    cached[last].digest,
                    tuple(block_id - 1 for block_id in run.block_ids),
                    cached[first].index * self._cache.block_size,
                    len(run.block_ids) * self._cache.block_size,
                    self._cache.prefix_cache.num_hits(first),
                    mark(first)[0],
                    self._cache.last_owners[last],
                    mark(first)[1],
                    self._beginning([cached[block_id] for block_id in run.block_ids], texts),
                )
            )
        self._texts = texts
        return PrefixTree(model_id, tuple(nodes))

    def _beginning(self, blocks: list[CachedBlock], texts: dict[tuple[bytes, int], str]) -> str:
        """How the text of a run begins; decoded once for as long as it stands in the tree."""
        num_blocks = min(len(blocks), -(-_MAX_TEXT_TOKENS // self._cache.block_size))
        key = blocks[0].digest, num_blocks
        text = self._texts.get(key)
        if text is None:
            text = self._text([token_id for block in blocks[:num_blocks] for token_id in block.token_ids])
        texts[key] = text
        return text

    def _text(self, token_ids: Tokens[int]) -> str:
        """Without the halves of characters that blocks before and after have the rest of."""
        try:
            return self._decode(token_ids).strip(_REPLACEMENT)
        except TextError:
            return ""

    def pin(self, digest: bytes) -> list[str]:
        """Set a pin on a place of the tree; returns its name."""
        cache = self._cache.prefix_cache
        name = f"prefix {digest.hex()[:16]}"
        if path := path_to(cache, digest):
            cache.pin(name, path)
        return [name]

    def unpin(self, first_digest: bytes, digest: bytes) -> list[str]:
        """Let go of a text in the tree; returns the names of the pins that held it.

        Those that end in it go whole. Those that go on behind it, which is of no use without it, keep what stands
        before it.
        """
        cache = self._cache.prefix_cache
        path, before = path_to(cache, digest), path_to(cache, first_digest)[:-1]
        held = {name: block_ids for name, block_ids in cache.pins().items() if path and path[-1] in block_ids}
        for name, block_ids in held.items():
            kept = [block_id for block_id in block_ids if block_id in before]
            if block_ids[-1] in path or not kept:
                self._prefixes.pin(name, False)
            else:
                cache.pin(name, kept)
        return list(held)

    def drop(self, digest: bytes) -> PrefixDropped:
        """Forget what can be forgotten of the block at a place of the tree and of all that follow it."""
        cache = self._cache.prefix_cache
        block_ids = blocks_from(cache, digest)
        dropped = [block_id for block_id in reversed(block_ids) if cache.is_evictable(block_id)]
        for block_id in dropped:
            cache.drop(block_id)
        return PrefixDropped(digest, len(dropped), len(block_ids) - len(dropped))


Span = tuple[float, float]
"""Start and end of a step, in seconds of the engine's clock."""


def _note(names: dict[int, list[str]], block_ids: Iterable[int], name: str) -> None:
    for block_id in block_ids:
        if block_id != NULL_BLOCK and name not in (known := names.setdefault(block_id, [])):
            known.append(name)
