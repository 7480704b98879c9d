"""The engine's step on the model of bytes: the invariants are checked after every step."""

import pytest

from engine.messages import ChatMessage, PrefillProgress, RequestFailed, RequestQueued, TextDelta
from tests.engine.fakes import END, FakeEngine, next_token


def expected_text(prompt: str, num_tokens: int, window: int | None = None) -> str:
    """What the model of bytes says after a prompt if each token sees the last `window` alone."""
    context = list(prompt.encode())
    for _ in range(num_tokens):
        context.append(next_token(context if window is None else context[-window:]))
    return bytes(context[len(prompt.encode()) :]).decode()


def test_answer_continues_the_prompt():
    engine = FakeEngine()
    engine.submit("a", "hello world", max_tokens=20)
    engine.run()
    assert engine.text("a") == expected_text("hello world", 20)
    end = engine.end("a")
    assert (end.reason, end.num_prompt_tokens, end.num_completion_tokens) == ("length", 11, 20)
    assert engine.cache.num_available == engine.cache.pool.num_blocks


def test_prompt_of_token_ids_is_answered_as_its_text_is():
    engine = FakeEngine()
    engine.submit("a", tuple(b"hello world"), max_tokens=20)
    engine.run()
    assert engine.text("a") == expected_text("hello world", 20)


@pytest.mark.parametrize("token_id", [-1, END + 1])
def test_prompt_with_an_unknown_token_id_is_refused(token_id):
    engine = FakeEngine()
    engine.submit("a", (1, token_id))
    (failure,) = engine.step()
    assert failure.message == f"The prompt has the token {token_id}: this model's ids are 0 to {END}"


@pytest.mark.parametrize("max_batched_tokens", [8, 16, 17, 512])
@pytest.mark.parametrize("block_size", [1, 4, 16])
def test_batch_and_chunks_do_not_change_the_answers(max_batched_tokens, block_size):
    prompts = {"a": "x", "b": "a prompt of medium length", "c": "a long prompt, " * 6}
    engine = FakeEngine(num_blocks=400, block_size=block_size, max_batched_tokens=max_batched_tokens)
    for request_id, prompt in prompts.items():
        engine.submit(request_id, prompt, max_tokens=12)
    engine.run()
    assert {r: engine.text(r) for r in prompts} == {r: expected_text(p, 12) for r, p in prompts.items()}
    assert max(engine.runner.num_tokens_per_run) <= max_batched_tokens


def test_long_prompt_never_delays_a_running_answer():
    engine = FakeEngine(num_blocks=500, max_batched_tokens=16, max_running_sequences=8)
    for index in range(4):
        engine.submit(f"d{index}", f"prompt {index}", max_tokens=60)
    for _ in range(4):
        engine.step()
    engine.submit("long", "y" * 400, max_tokens=4)
    for _ in range(20):
        engine.step()
        assert {f"d{index}" for index in range(4)} <= set(engine.runner.requests_per_run[-1])
    assert any("long" in run for run in engine.runner.requests_per_run)


def test_second_prompt_reuses_whole_blocks_and_recomputes_the_last_token():
    engine = FakeEngine(block_size=4)
    engine.submit("a", "0123456789abcdef", max_tokens=2)
    engine.run()
    for request_id, prompt, cached in [
        ("b", "0123456789abcdef", 12),
        ("c", "0123456789abcdefg", 16),
        ("d", "0123x", 4),
    ]:
        engine.submit(request_id, prompt, max_tokens=2)
        engine.run()
        assert engine.end(request_id).num_cached_tokens == cached
        assert engine.text(request_id) == expected_text(prompt, 2)


def test_generated_tokens_are_reused_too():
    engine = FakeEngine(block_size=4)
    engine.submit("a", "abc", max_tokens=10)
    engine.run()
    # 3 + 10 tokens, of which the last was never computed: three full blocks.
    engine.submit("b", "abc" + engine.text("a") + "?", max_tokens=2)
    engine.run()
    assert engine.end("b").num_cached_tokens == 12


def test_prompts_that_arrive_together_compute_their_common_blocks_once():
    engine = FakeEngine(block_size=4, max_batched_tokens=64)
    engine.submit("a", "the same beginning, first")
    engine.submit("b", "the same beginning, second")
    engine.submit("c", "another prompt")
    engine.run()
    assert [engine.end(request_id).num_cached_tokens for request_id in "abc"] == [0, 20, 0]
    assert engine.runner.requests_per_run[:2] == [["a", "c"], ["a", "c", "b"]]
    assert engine.text("b") == expected_text("the same beginning, second", 8)


def test_waiting_for_common_blocks_ends_when_their_computer_is_cancelled():
    engine = FakeEngine(block_size=4, max_batched_tokens=8)
    engine.submit("a", "the same beginning, first")
    engine.submit("b", "the same beginning, second")
    engine.step()
    engine.core.cancel("a")
    engine.run()
    assert engine.end("b").num_cached_tokens == 8
    assert engine.text("b") == expected_text("the same beginning, second", 8)


def test_security_domains_share_no_blocks():
    engine = FakeEngine()
    engine.submit("a", "a secret that is long enough", domain="app")
    engine.run()
    engine.submit("b", "a secret that is long enough", domain="api key 1")
    engine.run()
    assert engine.end("b").num_cached_tokens == 0


def test_cancelled_request_gives_its_blocks_back_at_once():
    engine = FakeEngine()
    engine.submit("a", "some prompt", max_tokens=40)
    engine.submit("b", "other prompt", max_tokens=40)
    for _ in range(5):
        engine.step()
    engine.core.cancel("a")
    engine.core.check_invariants()
    assert engine.core.stats().num_running == 1
    engine.core.cancel("a")
    engine.run()
    assert [end.reason for end in engine.ends("a")] == ["cancelled"]
    assert engine.text("b") == expected_text("other prompt", 40)
    assert expected_text("some prompt", 40).startswith(engine.text("a"))


def test_broken_request_does_not_touch_its_neighbours():
    engine = FakeEngine()
    for request_id in "abc":
        engine.submit(request_id, f"prompt {request_id}")
    engine.runner.broken = {"b"}
    engine.run()
    (failure,) = engine.ends("b")
    assert isinstance(failure, RequestFailed)
    assert failure.code == "forward_failed"
    for request_id in "ac":
        assert engine.text(request_id) == expected_text(f"prompt {request_id}", 8)
    assert engine.cache.num_available == engine.cache.pool.num_blocks


def test_end_token_finishes_without_being_shown():
    engine = FakeEngine(choose=lambda context: END if len(context) == 8 else ord("x"))
    engine.submit("a", "12345", max_tokens=40)
    engine.run()
    assert (engine.text("a"), engine.token_ids("a")) == ("xxx", [ord("x")] * 3 + [END])
    assert (engine.end("a").reason, engine.end("a").num_completion_tokens) == ("stop", 4)


def test_stop_string_is_never_shown_in_part():
    answer = "one two STOP three"
    engine = FakeEngine(choose=lambda context: answer.encode()[len(context) - 1])
    engine.submit("a", "?", max_tokens=len(answer), stop=("STOP",))
    engine.run()
    assert engine.text("a") == "one two "
    assert engine.end("a").reason == "stop"


def test_held_back_start_of_a_stop_string_is_shown_at_the_end():
    engine = FakeEngine(choose=lambda context: ord("S"))
    engine.submit("a", "?", max_tokens=3, stop=("STOP",))
    engine.run()
    assert engine.text("a") == "SSS"


def test_cancel_shows_what_was_held_back():
    engine = FakeEngine(choose=lambda context: ord("S"))
    engine.submit("a", "?", max_tokens=30, stop=("SSSSSSSSSSSSS",))
    for _ in range(5):
        engine.step()
    engine.core.cancel("a")
    engine.run()
    assert engine.text("a") == "SSSSS"


def test_cancel_in_the_middle_of_a_character_shows_no_half_of_it():
    answer = "好好".encode()
    engine = FakeEngine(choose=lambda context: answer[len(context) - 1])
    engine.submit("a", "?", max_tokens=len(answer))
    for _ in range(4):
        engine.step()
    engine.core.cancel("a")
    engine.run()
    assert engine.text("a") == "好"


def test_multibyte_character_comes_whole():
    answer = "日本 👩‍👩‍👧 é".encode()
    engine = FakeEngine(choose=lambda context: answer[len(context) - 1])
    engine.submit("a", "?", max_tokens=len(answer))
    engine.run()
    assert engine.text("a") == answer.decode()
    deltas = [event.text for event in engine.events if isinstance(event, TextDelta)]
    assert not any("\N{REPLACEMENT CHARACTER}" in delta for delta in deltas)


def test_chat_goes_through_the_template():
    engine = FakeEngine()
    engine.chat("a", ChatMessage("system", "be brief"), ChatMessage("user", "hi"))
    engine.run()
    assert engine.text("a") == expected_text("<system>be brief\n<user>hi\n<assistant>", 8)


@pytest.mark.parametrize(
    ("params", "named"),
    [
        ({"temperature": -1.0}, "temperature is -1.0"),
        ({"temperature": float("nan")}, "temperature is nan"),
        ({"top_p": 0.0}, "top_p is 0.0"),
        ({"top_k": -2}, "top_k is -2"),
        ({"top_k": 10**20}, "top_k is 1"),
        ({"min_p": 1.0}, "min_p is 1.0"),
        ({"max_tokens": 0}, "max_tokens is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"stop": ("",)}, "stop is"),
    ],
)
def test_bad_sampling_parameter_is_refused_by_name(params, named):
    engine = FakeEngine()
    engine.submit("a", "prompt", **params)
    engine.submit("b", "prompt")
    engine.run()
    (failure,) = engine.ends("a")
    assert failure.code == "invalid_request"
    assert named in failure.message
    assert engine.text("b") == expected_text("prompt", 8)


def test_text_that_is_no_unicode_is_refused():
    engine = FakeEngine()
    engine.submit("a", "a \udcff byte")
    engine.submit("b", "prompt", stop=("\ud800",))
    engine.run()
    assert [engine.ends(request_id)[0].code for request_id in "ab"] == ["invalid_request"] * 2
    assert "character 2" in engine.ends("a")[0].message


def test_request_that_could_never_fit_is_refused_with_both_numbers():
    engine = FakeEngine(num_blocks=8, block_size=4, max_context=1000)
    engine.submit("pool", "x" * 30, max_tokens=10)
    engine.submit("none", "x" * 32, max_tokens=None)
    engine.run()
    assert "40 tokens" in engine.ends("pool")[0].message
    assert "32" in engine.ends("pool")[0].message
    assert engine.ends("none")[0].code == "request_too_long"


def test_answer_without_a_limit_takes_what_the_context_leaves():
    engine = FakeEngine(max_context=40)
    engine.submit("a", "x" * 30, max_tokens=None)
    engine.run()
    assert (engine.end("a").num_completion_tokens, engine.end("a").reason) == (10, "length")


def test_full_queue_refuses_with_its_length():
    engine = FakeEngine(max_waiting_requests=2, max_running_sequences=1)
    for request_id in "abc":
        engine.submit(request_id, "prompt")
    engine.run()
    assert engine.ends("c")[0].code == "queue_full"
    assert "2 requests" in engine.ends("c")[0].message
    assert engine.end("a").reason == engine.end("b").reason == "length"


def test_queue_position_is_told_whenever_it_changes():
    engine = FakeEngine(max_running_sequences=1)
    for request_id in "abc":
        engine.submit(request_id, "prompt", max_tokens=2)
    engine.run()
    positions = [e.position for e in engine.events if isinstance(e, RequestQueued) and e.request_id == "c"]
    assert list(dict.fromkeys(positions)) == [2, 1, 0]


def test_prefill_progress_counts_to_the_whole_prompt():
    engine = FakeEngine(max_batched_tokens=8)
    engine.submit("a", "x" * 20)
    engine.run()
    progress = [e for e in engine.events if isinstance(e, PrefillProgress)]
    assert [p.num_computed_tokens for p in progress] == [8, 16, 20]
    assert {p.num_prompt_tokens for p in progress} == {20}


def test_first_token_time_counts_from_arrival():
    engine = FakeEngine()
    engine.submit("a", "prompt", max_tokens=5)
    engine.run()
    end = engine.end("a")
    assert end.ttft_s is not None
    assert end.ttft_s > 0
    assert end.tokens_per_s is not None
    assert end.tokens_per_s > 0


def test_metrics_count_each_token_and_each_end_once():
    engine = FakeEngine()
    for request_id in "abc":
        engine.submit(request_id, f"prompt {request_id}", max_tokens=5)
    engine.submit("bad", "", max_tokens=5)
    engine.step()
    engine.core.cancel("c")
    engine.run()
    counted = sum(len(engine.token_ids(request_id)) for request_id in "abc")
    assert engine.core.metrics.num_generated_tokens == counted
    assert dict(engine.core.metrics.ends) == {"length": 2, "cancelled": 1, "refused": 1}
