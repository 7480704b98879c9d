"""Random histories of requests on the model of bytes: the invariants hold after every step, and every text is right.

`DEEPINFER_HISTORIES=100000 python -m pytest tests/engine/test_histories.py` runs many more of them.
"""

import os

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.messages import RequestFinished
from engine.speculation.prompt_lookup import PromptLookup
from tests.engine.fakes import FakeEngine, next_token
from tests.engine.proposers import Oracle
from tests.engine.test_core import expected_text
from tests.engine.test_sliding_window import WINDOWS, window_size

NUM_HISTORIES = int(os.environ.get("DEEPINFER_HISTORIES", "2000"))

GUESSES = {
    "none": lambda choose: None,
    "right": Oracle,
    "wrong": lambda choose: Oracle(choose, is_right=lambda position: False),
    "mixed": lambda choose: Oracle(choose, is_right=lambda position: position % 3 != 0),
    "lookup": lambda choose: PromptLookup(),
}
ACTIONS = st.lists(
    st.one_of(
        st.tuples(
            st.just("submit"),
            st.integers(0, 3),
            st.integers(1, 40),
            st.integers(1, 20),
            st.integers(0, 2),
            st.sampled_from([None, None, None, 5.0, 60.0]),
            st.sampled_from([1, 1, 1, 2, 4]),
        ),
        st.tuples(st.just("cancel"), st.integers(0, 30)),
        st.tuples(st.just("break"), st.integers(0, 30)),
        st.tuples(st.just("front"), st.integers(0, 30)),
        st.tuples(st.just("pin"), st.integers(0, 30), st.booleans()),
        st.tuples(st.just("step"), st.integers(1, 6)),
    ),
    max_size=40,
)


@settings(max_examples=NUM_HISTORIES, deadline=None)
@given(
    ACTIONS,
    st.sampled_from([1, 4, 16]),
    st.integers(60, 120),
    st.sampled_from([None, "swap", "recompute"]),
    st.integers(0, 30),
    st.sampled_from([16, 5]),
    st.sampled_from([None, *WINDOWS]),
    st.sampled_from(list(GUESSES)),
    st.frozensets(st.integers(1, 40), max_size=4),
    st.sampled_from([None, None, ord("q")]),
)
def test_random_histories_keep_the_invariants_and_the_texts(
    actions,
    block_size,
    pool_tokens,
    preemption,
    num_host_blocks,
    max_prompt_chunk,
    window_name,
    guesses,
    failing_calls,
    broken_token,
):
    window = window_size(window_name, block_size)
    if window is not None:
        # Too little for the longer requests, but for their windows.
        pool_tokens //= 3
    engine = FakeEngine(
        num_blocks=-(-pool_tokens // block_size),
        block_size=block_size,
        max_batched_tokens=16,
        max_prompt_chunk=max_prompt_chunk,
        num_host_blocks=num_host_blocks,
        preemption=preemption,
        window=window,
        proposer=GUESSES[guesses](lambda context: next_token(context if window is None else context[-window:])),
    )
    engine.runner.failing_calls = failing_calls
    engine.tokenizer.broken_token = broken_token
    prompts: list[tuple[str, int, int]] = []
    for action in actions:
        match action:
            case ("submit", family, length, max_tokens, priority, timeout_s, n):
                prompt = (f"family {family} " * 4)[:length]
                request_id = str(len(prompts))
                settings_ = {"max_tokens": max_tokens, "priority": priority, "timeout_s": timeout_s, "n": n}
                engine.submit(request_id, prompt, **settings_)
                prompts.append((prompt, max_tokens, n))
            case ("cancel", index):
                engine.core.cancel(str(index))
                engine.core.check_invariants()
            case ("break", index):
                engine.runner.broken.add(str(index))
            case ("front", index):
                engine.core.bring_to_front(str(index))
            case ("pin", index, is_pinned):
                engine.core.pin_prefix(str(index), is_pinned)
                engine.core.check_invariants()
            case ("step", count):
                for _ in range(count):
                    engine.step()
    engine.run()
    for index in range(len(prompts)):
        engine.core.pin_prefix(str(index), False)
    assert engine.cache.num_available == engine.cache.pool.num_blocks
    assert engine.cache.host_pool.num_free == num_host_blocks
    for index, (prompt, max_tokens, n) in enumerate(prompts):
        (end,) = engine.ends(str(index))
        texts = [engine.text(str(index), answer) for answer in range(n)]
        expected = expected_text(prompt, max_tokens, window)
        assert all(expected.startswith(text) for text in texts)
        if isinstance(end, RequestFinished):
            assert end.num_completion_tokens == sum(map(len, texts))
            assert end.reason == "cancelled" or texts == [expected] * n
