"""A model that rotates long texts otherwise: who may grow long is computed so from the start, and shares nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.cache.kv_cache import KVCache
from engine.errors import SnapshotError
from engine.forward.runner import Runner
from engine.rope_spec import RopeSpec
from kernels.backends import load_backend
from tests.engine.fakes import FakeEngine
from tests.engine.tiny_decoder import SPEC, random_decoder

SHORT_CONTEXT = 60
ROPE = RopeSpec(10000.0, (1.0,) * 8, long_factors=(4.0,) * 8, short_context=SHORT_CONTEXT)
PROMPT = "a text of some forty characters and more"
LONG_ANSWER = SHORT_CONTEXT


class LongEngine(FakeEngine):
    """With the real runner on a decoder of two rotations."""

    def __init__(self) -> None:
        backend = load_backend("reference")
        decoder = random_decoder(replace(SPEC, rope=ROPE), backend)

        def make_runner(cache: KVCache, _: object) -> Runner:
            return Runner(decoder, backend, cache.pool.num_blocks, cache.block_size, cache.host_pool.num_blocks)

        super().__init__(num_blocks=200, rope=ROPE, make_runner=make_runner)  # type: ignore[arg-type]


def answers(**max_tokens: int) -> dict[str, list[int]]:
    """Of requests for the same prompt, all at once."""
    engine = LongEngine()
    for request_id, limit in max_tokens.items():
        engine.submit(request_id, PROMPT, max_tokens=limit, ignore_eos=True)
    engine.run()
    return {request_id: engine.token_ids(request_id) for request_id in max_tokens}


def test_long_and_short_requests_answer_together_as_they_do_alone() -> None:
    together = answers(short=12, long=LONG_ANSWER)
    assert together["short"] == answers(short=12)["short"]
    assert together["long"] == answers(long=LONG_ANSWER)["long"]
    assert together["short"] != together["long"][:12]


@pytest.mark.parametrize(
    ("num_prompt_tokens", "num_answer_tokens"),
    [
        (20, 120),
        # As short as it may be, it would have room for an answer of fair length.
        (60, 90),
        (110, 120),
    ],
)
def test_an_answer_that_names_no_length_leaves_a_short_chat_short(
    num_prompt_tokens: int, num_answer_tokens: int
) -> None:
    engine = FakeEngine(num_blocks=200, rope=replace(ROPE, short_context=150), default_max_tokens=120)
    engine.submit("r", "a" * num_prompt_tokens, max_tokens=None, ignore_eos=True)
    engine.run()
    assert engine.end("r").num_completion_tokens == num_answer_tokens


def test_only_requests_of_one_rotation_share_blocks() -> None:
    engine = FakeEngine(rope=ROPE)
    for request_id, max_tokens in (
        ("short", 4),
        ("long", LONG_ANSWER),
        ("short again", 5),
        ("long again", LONG_ANSWER),
    ):
        engine.submit(request_id, PROMPT, max_tokens=max_tokens)
        engine.run()
    cached = {name: engine.end(name).num_cached_tokens for name in ("short", "long", "short again", "long again")}
    assert (cached["short"], cached["long"]) == (0, 0)
    assert cached["short again"] == cached["long again"] > 0


def test_request_as_long_as_the_border_is_short() -> None:
    engine = FakeEngine(rope=ROPE)
    for request_id, longer in (("a", 0), ("b", 0), ("c", 1)):
        engine.submit(request_id, PROMPT, max_tokens=SHORT_CONTEXT - len(PROMPT) + longer)
        engine.run()
    assert engine.end("b").num_cached_tokens > 0
    assert engine.end("c").num_cached_tokens == 0


def test_prefix_of_a_long_request_is_not_saved_as_that_of_a_short_one() -> None:
    engine = FakeEngine(rope=ROPE)
    engine.submit("r", PROMPT, owner="chat", max_tokens=LONG_ANSWER)
    engine.run()
    with pytest.raises(SnapshotError, match="100 tokens, beyond 60"):
        engine.core.prefixes.save("chat")
