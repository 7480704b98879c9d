"""A deterministic model of bytes that runs the whole engine in milliseconds.

Its runner keeps the tokens that a real one would turn into keys and values, in the very slots that the block tables
name, and computes the next token from what it reads back there. A wrong table, a stale block or a write into a
shared block therefore changes the answer or fails at once.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Callable, Sequence

from engine.cache.block_pool import NULL_BLOCK
from engine.cache.identity import CacheIdentity
from engine.cache.kv_cache import BlockMoves, KVCache
from engine.cache.snapshot import BlockContents
from engine.cache.swap import PreemptionCosts
from engine.chunk_result import ChunkResult, SampledToken
from engine.core import EngineCore
from engine.errors import TextError
from engine.forward.batch import own_draws
from engine.forward.sampler import Draw
from engine.forward.verification import accepted
from engine.messages import ChatMessage, Event, RequestFailed, RequestFinished, SamplingParams, Submit, TextDelta
from engine.requests import RequestReader
from engine.rope_spec import RopeSpec
from engine.scheduler import Preemption, ScheduledChunk, Scheduler, SchedulerLimits
from engine.sequence import Sequence as EngineSequence
from engine.speculation.proposer import Proposer
from engine.speculation.speculator import Speculator
from engine.text.template import ChatTemplate
from tests.engine.step_checks import StepChecks

END = 256
TEMPLATE = "{% for m in messages %}<{{ m.role }}>{{ m.content }}\n{% endfor %}<assistant>"


class ByteTokenizer:
    """UTF-8 bytes are the tokens. Decoding the `broken_token`, if there is one, fails."""

    broken_token: int | None = None
    special_tokens: Sequence[str] = ()

    def encode(self, text: str) -> list[int]:
        return list(text.encode())

    encode_raw = encode

    def decode(self, token_ids: Sequence[int]) -> str:
        if self.broken_token in token_ids:
            raise TextError("broken on purpose")
        return bytes(t for t in token_ids if t < 256).decode(errors="replace")


def next_token(context: Sequence[int]) -> int:
    """A lower-case letter or space that depends on the whole context."""
    digest = hashlib.sha256(repr(list(context)).encode()).digest()
    return b"abcdefghijklmnopqrstuvwxyz  "[digest[0] % 28]


def tiny_identity(block_size: int, window: int | None = None, model_name: str = "Tiny") -> CacheIdentity:
    return CacheIdentity(
        model_name=model_name,
        weights_digest=model_name,
        tokenizer_digest="bytes",
        quantization="none",
        rope="none",
        sliding_window=window,
        backend="fake",
        num_layers=1,
        num_kv_heads=1,
        head_dim=1,
        block_size=block_size,
        dtype="int64",
        element_bytes=8,
        layout="layers, blocks, kv_heads, block_size, head_dim",
    )


class FakeRunner:
    """`choose` maps the context, as far as a window shows it, to the next token.

    `broken` request ids raise, as does any batch with them.
    """

    def __init__(self, cache: KVCache, choose: Callable[[Sequence[int]], int] = next_token) -> None:
        self._cache = cache
        self._choose = choose
        self._window = cache.window.size
        self._slots: dict[tuple[int, int], int] = {}
        self._host_slots: dict[tuple[int, int], int] = {}
        self.broken: set[str] = set()
        self.failing_calls: frozenset[int] = frozenset()
        """Which calls find no memory, counted over `run` and over `move_blocks` with anything to move."""
        self.num_calls = 0
        self.fails_to_write = False
        self.num_tokens_per_run: list[int] = []
        self.requests_per_run: list[list[str]] = []

    def _take_memory(self) -> None:
        self.num_calls += 1
        if self.num_calls in self.failing_calls:
            raise MemoryError(f"call {self.num_calls}")

    def move_blocks(self, moves: BlockMoves) -> None:
        if moves.swap_out or moves.swap_in or moves.copies:
            self._take_memory()
        for pairs, source_slots, target_slots in (
            (moves.swap_out, self._slots, self._host_slots),
            (moves.swap_in, self._host_slots, self._slots),
            (moves.copies, self._slots, self._slots),
        ):
            for source, target in pairs:
                for offset in range(self._cache.block_size):
                    target_slots.pop((target, offset), None)
                    if (source, offset) in source_slots:
                        target_slots[target, offset] = source_slots[source, offset]

    def read_blocks(self, block_ids: Sequence[int]) -> BlockContents:
        """The tokens in the slots are the keys; the values are the same, negated."""
        size = self._cache.block_size
        tokens = [self._slots[block_id, offset] for block_id in block_ids for offset in range(size)]
        keys, values = (memoryview(array("q", side).tobytes()) for side in (tokens, [-token for token in tokens]))
        return BlockContents(len(block_ids), keys, values)

    def write_blocks(self, contents: BlockContents, pairs: Sequence[tuple[int, int]]) -> None:
        if self.fails_to_write:
            raise RuntimeError("no memory, on purpose")
        size, cached = self._cache.block_size, self._cache.prefix_cache.cached_blocks()
        keys, values = array("q", contents.keys.tobytes()), array("q", contents.values.tobytes())
        assert len(keys) == contents.num_blocks * size
        assert list(keys) == [-value for value in values]
        for index, block_id in pairs:
            assert block_id != NULL_BLOCK
            assert self._cache.pool.ref_counts[block_id] == 1, f"block {block_id} is shared and written"
            assert block_id not in cached, f"block {block_id} is cached and written"
            for offset in range(size):
                self._slots[block_id, offset] = keys[index * size + offset]

    def run(self, chunks: Sequence[ScheduledChunk]) -> dict[EngineSequence, ChunkResult]:
        if any(chunk.sequence.request_id in self.broken for chunk in chunks):
            raise RuntimeError("broken on purpose")
        self._take_memory()
        self.num_tokens_per_run.append(sum(chunk.num_rows for chunk in chunks))
        self.requests_per_run.append([chunk.sequence.request_id for chunk in chunks])
        contexts = [self._run_chunk(chunk) for chunk in chunks]
        return {chunk.sequence: self._result(chunk, context) for chunk, context in zip(chunks, contexts, strict=True)}

    def _result(self, chunk: ScheduledChunk, context: list[int]) -> ChunkResult:
        if not chunk.closes_gap:
            return ChunkResult()
        draws = own_draws(chunk)
        num_certain = len(context) - len(chunk.draft.token_ids)
        contexts = [self._seen(context[: num_certain + len(draw.drafted_ids)]) for draw in draws]
        return self.decide(chunk, draws, contexts)

    def _seen(self, context: list[int]) -> list[int]:
        return context if self._window is None else context[-self._window :]

    def decide(self, chunk: ScheduledChunk, draws: list[Draw], contexts: list[list[int]]) -> ChunkResult:
        """The tokens of the chunk's own draws, from the contexts that were read back for them, and of its forks."""
        own = accepted(chunk.draft, [self._choose(context) for context in contexts])
        forks = [self._choose(contexts[0]) for _ in chunk.forks]
        return ChunkResult(tuple(map(SampledToken, own)), tuple(map(SampledToken, forks)))

    def _run_chunk(self, chunk: ScheduledChunk) -> list[int]:
        sequence, size = chunk.sequence, self._cache.block_size
        start, end = sequence.num_computed_tokens, sequence.num_computed_tokens + chunk.num_rows
        token_ids = [*sequence.token_ids[: end - len(chunk.draft.token_ids)], *chunk.draft.token_ids]
        for position in range(start, end):
            block_id = sequence.block_ids[position // size]
            assert block_id != NULL_BLOCK
            assert self._cache.pool.ref_counts[block_id] == 1, f"block {block_id} is shared and written"
            self._slots[block_id, position % size] = token_ids[position]
        # What the chunk's first token sees, and all after it.
        first = 0 if self._window is None else max(0, start - self._window + 1)
        read = [sequence.block_ids[position // size] for position in range(first, end)]
        lost = [block_id for block_id in read if not self._cache.pool.ref_counts[block_id]]
        assert not lost, f"{sequence.request_id} reads blocks that nobody owns: {lost}"
        context = [self._slots[block_id, position % size] for position, block_id in enumerate(read, first)]
        assert context == token_ids[first:], f"{sequence.request_id} reads tokens that are not its own"
        return context


class FakeEngine:
    """An `EngineCore` on the model of bytes, with a clock that ticks once per reading."""

    def __init__(
        self,
        num_blocks: int = 64,
        block_size: int = 4,
        max_batched_tokens: int = 32,
        max_running_sequences: int = 8,
        max_waiting_requests: int = 100,
        max_context: int = 1000,
        max_prompt_chunk: int | None = None,
        num_host_blocks: int = 64,
        preemption: Preemption | None = None,
        ageing_s: float = 1000.0,
        chunk_alignment: int = 1,
        max_stretch: float | None = None,
        window: int | None = None,
        choose: Callable[[Sequence[int]], int] = next_token,
        make_runner: Callable[[KVCache, Callable[[Sequence[int]], int]], FakeRunner] = FakeRunner,
        template: ChatTemplate | None = None,
        knows_thinking: bool = False,
        rope: RopeSpec | None = None,
        model_name: str = "Tiny",
        proposer: Proposer | None = None,
        row_cost: float = 0.01,
        default_max_tokens: int = 50,
    ) -> None:
        self._now_s = 0.0
        self.cache = KVCache(num_blocks, block_size, num_host_blocks, window)
        self.runner = make_runner(self.cache, choose)
        limits = SchedulerLimits(
            max_batched_tokens,
            max_running_sequences,
            max_waiting_requests,
            max_batched_tokens if max_prompt_chunk is None else max_prompt_chunk,
            ageing_s=ageing_s,
            chunk_alignment=chunk_alignment,
            max_stretch=max_stretch,
            preemption=preemption,
        )
        self.scheduler = Scheduler(self.cache, limits, PreemptionCosts(1.0, 1.0))
        self.tokenizer = ByteTokenizer()
        self.core = EngineCore(
            RequestReader(
                self.tokenizer,  # type: ignore[arg-type]
                ChatTemplate(TEMPLATE, "", "") if template is None else template,
                tiny_identity(block_size, window, model_name),
                max_context,
                self.cache.window.longest_sequence(max_context, num_blocks, max_batched_tokens),
                default_max_tokens=default_max_tokens,
                reply_reserve=50,
                vocab_size=END + 1,
                end_token_ids=frozenset({END}),
                max_answers=max_running_sequences,
                rope=rope,
                knows_thinking=knows_thinking,
            ),
            self.runner,
            self.cache,
            self.scheduler,
            self._tick,
            block_bytes=64,
            # Rows so cheap that every guess that may be right pays.
            speculator=None if proposer is None else Speculator(proposer, row_cost),
        )
        self._checks = StepChecks(self.core, self.scheduler, max_batched_tokens)
        self.events: list[Event] = []

    def _tick(self) -> float:
        self._now_s += 1.0
        return self._now_s

    def submit(
        self,
        request_id: str,
        prompt: str | tuple[int, ...],
        domain: str = "app",
        owner: str | None = None,
        priority: int = 1,
        timeout_s: float | None = None,
        use_prefix_cache: bool = True,
        use_speculation: bool = True,
        **params: object,
    ) -> None:
        settings = {"temperature": 0.0, "max_tokens": 8, **params}
        self.core.submit(
            Submit(
                request_id,
                SamplingParams(**settings),  # type: ignore[arg-type]
                prompt=prompt,
                owner=request_id if owner is None else owner,
                security_domain=domain,
                priority=priority,
                timeout_s=timeout_s,
                use_prefix_cache=use_prefix_cache,
                use_speculation=use_speculation,
            )
        )

    def chat(self, request_id: str, *messages: ChatMessage, **params: object) -> None:
        settings = {"temperature": 0.0, "max_tokens": 8, **params}
        self.core.submit(Submit(request_id, SamplingParams(**settings), messages=messages))  # type: ignore[arg-type]

    def step(self) -> list[Event]:
        """One step, with the invariants checked after it."""
        self._checks.remember()
        events = self.core.step()
        self.core.check_invariants()
        self._checks.check()
        self.events += events
        return events

    def run(self, max_steps: int = 1000) -> None:
        """Until nothing is live."""
        for _ in range(max_steps):
            if not self.core.num_live:
                self.events += self.core.drain_events()
                return
            self.step()
        raise AssertionError(f"{self.core.num_live} requests still live after {max_steps} steps")

    def text(self, request_id: str, index: int = 0) -> str:
        return "".join(delta.text for delta in self._deltas(request_id, index))

    def token_ids(self, request_id: str, index: int = 0) -> list[int]:
        return [token for delta in self._deltas(request_id, index) for token in delta.token_ids]

    def _deltas(self, request_id: str, index: int) -> list[TextDelta]:
        deltas = [event for event in self.events if isinstance(event, TextDelta)]
        return [delta for delta in deltas if (delta.request_id, delta.index) == (request_id, index)]

    def ends(self, request_id: str) -> list[RequestFinished | RequestFailed]:
        kinds = (RequestFinished, RequestFailed)
        return [e for e in self.events if isinstance(e, kinds) and e.request_id == request_id]

    def end(self, request_id: str) -> RequestFinished:
        (end,) = self.ends(request_id)
        assert isinstance(end, RequestFinished), end
        return end
