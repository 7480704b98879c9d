"""What sampling parameters do to whole answers, on the model of bytes with real sampling."""

import pytest
import torch

from engine.messages import RequestFailed, RequestPreempted, TextDelta
from tests.engine.fakes import END, FakeEngine
from tests.engine.sampling_fakes import SamplingEngine, logits_of

EVERYTHING = {
    "temperature": 1.3,
    "top_k": 30,
    "top_p": 0.9,
    "min_p": 0.01,
    "typical_p": 0.9,
    "repetition_penalty": 1.2,
    "frequency_penalty": 0.4,
    "presence_penalty": 0.3,
    "logit_bias": ((ord("q"), 3.0), (ord("z"), -5.0)),
    "banned_token_ids": (ord("e"),),
    "allowed_token_ids": (*range(ord("a"), ord("z") + 1), END),
    "min_tokens": 10,
    "logprobs": 2,
    "seed": 5,
}
MIXED = {
    "a": EVERYTHING,
    "b": {"temperature": 1.0, "seed": 1, "min_tokens": 12, "max_tokens": 12},
    "c": {"temperature": 0.0, "frequency_penalty": 1.5, "ignore_eos": True},
    "d": {"temperature": 0.0, "ignore_eos": True},
    "e": {"temperature": 1.0, "seed": 2, "banned_token_ids": (END,), "repetition_penalty": 1.5},
}


def submit(engine, request_id, **params):
    engine.submit(request_id, f"prompt of {request_id}, long enough", **{"max_tokens": 12, **params})


def answer(engine, request_id):
    return engine.token_ids(request_id), logprobs(engine, request_id)


def logprobs(engine, request_id):
    deltas = [e for e in engine.events if isinstance(e, TextDelta) and e.request_id == request_id]
    return [entry for delta in deltas for entry in delta.logprobs]


def run_alone(request_id, **options):
    engine = SamplingEngine(**options)
    submit(engine, request_id, **MIXED[request_id])
    engine.run()
    return answer(engine, request_id)


def test_answers_are_the_same_alone_and_in_company():
    engine = SamplingEngine()
    for request_id, params in MIXED.items():
        submit(engine, request_id, **params)
    engine.run()
    for request_id in MIXED:
        assert answer(engine, request_id) == run_alone(request_id)


@pytest.mark.parametrize("preemption", ["swap", "recompute"])
def test_answers_are_the_same_after_preemption(preemption):
    engine = SamplingEngine(num_blocks=24, preemption=preemption)
    for request_id, params in MIXED.items():
        submit(engine, request_id, **params)
    engine.run()
    assert any(isinstance(event, RequestPreempted) for event in engine.events)
    for request_id in MIXED:
        assert answer(engine, request_id) == run_alone(request_id)


def test_parameters_at_their_off_values_change_no_token():
    off = {
        "typical_p": 1.0,
        "repetition_penalty": 1.0,
        "frequency_penalty": 0.0,
        "presence_penalty": 0.0,
        "logit_bias": ((ord("k"), 0.0),),
        "allowed_token_ids": tuple(range(END + 1)),
        "min_tokens": 0,
    }
    engine = SamplingEngine()
    engine.submit("plain", "same prompt", temperature=1.1, seed=3, max_tokens=30)
    engine.submit("off", "same prompt", temperature=1.1, seed=3, max_tokens=30, **off)
    engine.run()
    assert engine.token_ids("plain") == engine.token_ids("off")


def test_no_end_token_comes_before_the_minimum():
    # The end token is worth its bias at every step, so only the minimum keeps it away.
    engine = SamplingEngine()
    engine.submit("a", "?", min_tokens=5, max_tokens=20, logit_bias=((END, 100.0),))
    engine.run()
    token_ids = engine.token_ids("a")
    assert (len(token_ids), token_ids.index(END), engine.end("a").reason) == (6, 5, "stop")


def test_minimum_keeps_own_stop_tokens_away_too():
    engine = SamplingEngine()
    engine.submit("a", "?", min_tokens=5, max_tokens=20, logit_bias=((ord("x"), 100.0),), stop_token_ids=(ord("x"),))
    engine.run()
    assert engine.token_ids("a").index(ord("x")) == 5
    assert engine.text("a") == bytes(engine.token_ids("a")[:5]).decode()


def test_minimum_gives_way_where_nothing_but_the_end_is_allowed():
    engine = SamplingEngine()
    engine.submit("a", "?", min_tokens=5, max_tokens=20, allowed_token_ids=(END,))
    engine.run()
    assert (engine.token_ids("a"), engine.end("a").reason) == ([END], "stop")


def test_stop_strings_before_the_minimum_are_let_through():
    engine = FakeEngine(choose=lambda context: b"one STOP two STOP"[len(context) - 1])
    engine.submit("a", "?", max_tokens=17, stop=("STOP",), min_tokens=10)
    engine.run()
    assert (engine.text("a"), engine.end("a").reason) == ("one STOP two ", "stop")


def test_ignored_end_token_is_counted_and_the_answer_goes_on():
    engine = FakeEngine(choose=lambda context: END if len(context) == 3 else ord("x"))
    engine.submit("a", "?", max_tokens=5, ignore_eos=True)
    engine.run()
    assert (engine.text("a"), engine.token_ids("a")) == ("xxxx", [ord("x")] * 2 + [END] + [ord("x")] * 2)
    assert (engine.end("a").reason, engine.end("a").num_completion_tokens) == ("length", 5)


def test_stop_token_ends_the_answer_unshown_but_counted():
    engine = FakeEngine(choose=lambda context: b"abc."[len(context) - 1])
    engine.submit("a", "?", max_tokens=20, stop_token_ids=(ord("."),))
    engine.run()
    assert (engine.text("a"), engine.token_ids("a")) == ("abc", list(b"abc."))
    assert (engine.end("a").reason, engine.end("a").num_completion_tokens) == ("stop", 4)


def test_stop_tokens_end_an_answer_that_ignores_the_end_token():
    engine = FakeEngine(choose=lambda context: [ord("a"), END, ord("."), ord("b")][len(context) - 1])
    engine.submit("a", "?", max_tokens=20, stop_token_ids=(ord("."),), ignore_eos=True)
    engine.run()
    assert (engine.text("a"), engine.end("a").num_completion_tokens) == ("a", 3)


def test_banned_and_disallowed_tokens_never_come():
    engine = SamplingEngine()
    engine.submit("a", "?", temperature=3.0, seed=1, max_tokens=40, allowed_token_ids=tuple(b"abcd"))
    engine.submit("b", "?", temperature=3.0, seed=1, max_tokens=40, banned_token_ids=tuple(b"aeiou"), ignore_eos=True)
    engine.run()
    assert set(engine.token_ids("a")) == set(b"abcd")
    assert len(engine.token_ids("b")) == 40
    assert not set(engine.token_ids("b")) & set(b"aeiou")


def test_penalties_count_the_prompt():
    # Greedy, and the prompt has every letter but one: a strong penalty leaves only that.
    engine = SamplingEngine()
    letters = "abcdefghijklmnoprstuvwxyz"
    everything = tuple(range(ord("a"), ord("z") + 1))
    engine.submit("a", letters * 8, max_tokens=1, frequency_penalty=2.0, allowed_token_ids=everything)
    engine.run()
    assert engine.text("a") == "q"


def test_logprobs_come_with_every_token_and_are_those_of_the_raw_logits():
    prompt, params = "?", {"temperature": 1.5, "seed": 4, "frequency_penalty": 1.0, "banned_token_ids": tuple(b"ab")}
    engine = SamplingEngine()
    engine.submit("a", prompt, max_tokens=8, ignore_eos=True, logprobs=3, **params)
    engine.submit("b", prompt, max_tokens=8, ignore_eos=True, logprobs=0, **params)
    engine.submit("c", prompt, max_tokens=8, ignore_eos=True, **params)
    engine.run()
    token_ids, entries = answer(engine, "a")
    assert len(token_ids) == len(entries) == 8
    for place, (token_id, entry) in enumerate(zip(token_ids, entries, strict=True)):
        expected = logits_of([*prompt.encode(), *token_ids[:place]]).double().log_softmax(0)
        best, best_ids = expected.topk(3)
        assert entry.logprob == pytest.approx(float(expected[token_id]), abs=1e-9)
        assert [top_id for top_id, _ in entry.top] == best_ids.tolist()
        assert [logprob for _, logprob in entry.top] == pytest.approx(best.tolist(), abs=1e-9)
    assert engine.token_ids("b") == engine.token_ids("c") == token_ids
    assert [(entry.logprob, entry.top) for entry in logprobs(engine, "b")] == [(e.logprob, ()) for e in entries]
    assert logprobs(engine, "c") == []


def test_logits_that_are_not_finite_give_finite_logprobs(monkeypatch):
    monkeypatch.setattr("tests.engine.sampling_fakes.logits_of", lambda context: torch.full((END + 1,), float("nan")))
    engine = SamplingEngine()
    engine.submit("a", "?", temperature=1.0, max_tokens=3, logprobs=2, seed=1, banned_token_ids=(7,))
    engine.run()
    assert all(torch.tensor([e.logprob, *(p for _, p in e.top)]).isfinite().all() for e in logprobs(engine, "a"))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"typical_p": 0.0}, "typical_p is 0.0: it must be above 0"),
        ({"repetition_penalty": 0.0}, "repetition_penalty is 0.0: it must be above 0"),
        ({"repetition_penalty": float("nan")}, "repetition_penalty is nan"),
        ({"frequency_penalty": 2.5}, "frequency_penalty is 2.5: it must be from -2 to 2"),
        ({"presence_penalty": float("inf")}, "presence_penalty is inf"),
        ({"logit_bias": ((1, float("nan")),)}, "logit_bias is"),
        ({"logit_bias": ((257, 1.0),)}, "logit_bias has the token 257: this model's tokens are 0 to 256"),
        ({"logit_bias": ((1, 1.0), (1, 2.0))}, "logit_bias names a token twice"),
        ({"banned_token_ids": (3, -1)}, "banned_token_ids has the token -1"),
        ({"banned_token_ids": tuple(range(257))}, "leave no token"),
        ({"allowed_token_ids": ()}, "leave no token"),
        ({"allowed_token_ids": (3, 4), "banned_token_ids": (4, 3, 5)}, "leave no token"),
        ({"allowed_token_ids": (999,)}, "allowed_token_ids has the token 999"),
        ({"stop_token_ids": (257,)}, "stop_token_ids has the token 257"),
        ({"min_tokens": -1}, "min_tokens is -1: it must be 0"),
        ({"min_tokens": 9, "max_tokens": 8}, "min_tokens is 9, but the answer may have 8 tokens at most"),
        ({"min_tokens": 51, "max_tokens": None}, "min_tokens is 51, but the answer may have 50 tokens at most"),
        ({"logprobs": 21}, "logprobs is 21: it must be from 0 to 20"),
    ],
)
def test_what_no_parameter_may_be_is_refused_with_its_name_and_value(params, message):
    engine = FakeEngine()
    engine.submit("a", "?", **params)
    engine.submit("neighbour", "?")
    engine.run()
    (end,) = engine.ends("a")
    assert isinstance(end, RequestFailed)
    assert end.code == "invalid_request"
    assert message in end.message
    assert engine.end("neighbour").reason == "length"
