"""Drafts in the core: the same tokens as without, blocks given back, and nobody hurt by a bad guess."""

import pytest

from engine.messages import RequestFailed
from engine.speculation.prompt_lookup import PromptLookup
from tests.engine.fakes import FakeEngine
from tests.engine.proposers import Oracle
from tests.engine.sampling_fakes import SamplingEngine
from tests.engine.test_core import expected_text

PROMPT = "Tell me about blocks"
WARM = {"temperature": 0.8, "max_tokens": 60, "allowed_token_ids": tuple(b"abc "), "presence_penalty": 0.3}
PATTERNS = {
    "right": lambda position: True,
    "wrong": lambda position: False,
    "every third wrong": lambda position: position % 3 != 0,
}


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("block_size", [1, 4, 16])
def test_greedy_text_is_the_same_with_any_guesses(pattern, block_size):
    engine = FakeEngine(block_size=block_size, proposer=Oracle(is_right=PATTERNS[pattern]))
    engine.submit("r", PROMPT, max_tokens=40)
    engine.run()
    assert engine.text("r") == expected_text(PROMPT, 40)
    end = engine.end("r")
    assert end.num_completion_tokens == 40
    assert end.num_drafted_tokens > 0
    assert (end.num_accepted_tokens > 0) == (pattern != "wrong")


def test_right_guesses_take_fewer_steps_and_are_all_counted():
    engine = FakeEngine(proposer=Oracle())
    engine.submit("r", PROMPT, max_tokens=41)
    engine.run()
    assert len(engine.runner.num_tokens_per_run) < 15
    end = engine.end("r")
    assert end.num_accepted_tokens == end.num_drafted_tokens == engine.core.metrics.num_accepted_tokens
    assert engine.core.metrics.num_generated_tokens == 41


def test_wrong_guesses_stop_after_a_few():
    engine = FakeEngine(proposer=Oracle(is_right=PATTERNS["wrong"]), row_cost=0.2)
    engine.submit("r", PROMPT, max_tokens=100)
    engine.run()
    assert engine.end("r").num_drafted_tokens < 25


def test_no_more_rows_than_the_budget_and_no_guess_past_the_last_token():
    engine = FakeEngine(proposer=Oracle(), max_batched_tokens=8, max_running_sequences=4)
    for index in range(4):
        engine.submit(str(index), f"{index} {PROMPT}", max_tokens=10)
    engine.run()
    assert max(engine.runner.num_tokens_per_run) <= 8
    for index in range(4):
        assert engine.text(str(index)) == expected_text(f"{index} {PROMPT}", 10)


def test_blocks_of_rejected_guesses_are_given_back_in_the_same_step():
    engine = FakeEngine(block_size=1, proposer=Oracle(is_right=PATTERNS["wrong"]))
    engine.submit("r", PROMPT, max_tokens=20)
    while engine.core.num_live:
        engine.step()  # checks that no sequence holds more blocks than its tokens need
    assert engine.end("r").num_drafted_tokens > 0


def test_guesses_never_take_blocks_from_others():
    plain = FakeEngine(num_blocks=20, block_size=4)
    guessing = FakeEngine(num_blocks=20, block_size=4, proposer=Oracle(is_right=PATTERNS["every third wrong"]))
    for engine in (plain, guessing):
        engine.submit("a", PROMPT, max_tokens=20)
        engine.submit("b", "something else entirely", max_tokens=20)
        engine.run()
        assert engine.text("a") == expected_text(PROMPT, 20)
        assert engine.text("b") == expected_text("something else entirely", 20)
    assert guessing.core.metrics.preemptions.total() <= plain.core.metrics.preemptions.total()


def test_stop_string_inside_accepted_guesses_ends_the_answer_there():
    text = expected_text(PROMPT, 40)
    stop = text[17:20]
    engine = FakeEngine(proposer=Oracle())
    engine.submit("r", PROMPT, max_tokens=40, stop=(stop,))
    engine.run()
    assert engine.text("r") == text[: text.index(stop)]
    assert engine.end("r").reason == "stop"
    assert engine.cache.num_available == engine.cache.pool.num_blocks


@pytest.mark.parametrize("seed", range(4))
def test_sampled_tokens_are_the_same_for_the_same_seed(seed):
    texts = []
    for proposer in (None, PromptLookup()):
        engine = SamplingEngine(proposer=proposer)
        engine.submit("r", "ab ab ab ab ab", seed=seed, **WARM)
        engine.run()
        texts.append(engine.token_ids("r"))
    assert engine.end("r").num_drafted_tokens > 0
    assert texts[0] == texts[1]


@pytest.mark.parametrize("n", [1, 3])
def test_several_answers_guess_each_for_itself(n):
    engine = FakeEngine(proposer=Oracle())
    engine.submit("r", PROMPT, max_tokens=15, n=n)
    engine.run()
    assert all(engine.text("r", index) == expected_text(PROMPT, 15) for index in range(n))


def test_cancel_between_verifications_frees_everything():
    engine = FakeEngine(proposer=(oracle := Oracle()))
    engine.submit("r", PROMPT, max_tokens=40)
    while engine.core.metrics.num_drafted_tokens < 3:
        engine.step()
    engine.core.cancel("r")
    engine.core.check_invariants()
    engine.run()
    assert engine.end("r").reason == "cancelled"
    assert engine.cache.num_available == engine.cache.pool.num_blocks
    assert len(oracle.forgotten) == 1


def test_a_proposer_that_breaks_is_switched_off_and_answers_go_on():
    oracle = Oracle()
    engine = FakeEngine(proposer=oracle)
    engine.submit("r", PROMPT, max_tokens=40)
    for _ in range(3):
        engine.step()
    oracle.error = RuntimeError("no more guesses")
    engine.run()
    assert engine.text("r") == expected_text(PROMPT, 40)


def test_a_forward_that_breaks_with_a_draft_fails_its_request_alone():
    engine = FakeEngine(proposer=Oracle())
    engine.submit("bad", PROMPT, max_tokens=40)
    engine.submit("good", "another prompt", max_tokens=40)
    for _ in range(3):
        engine.step()
    engine.runner.broken.add("bad")
    engine.run()
    assert isinstance(engine.ends("bad")[0], RequestFailed)
    assert engine.text("good") == expected_text("another prompt", 40)


def test_a_request_may_opt_out():
    engine = FakeEngine(proposer=Oracle())
    engine.submit("r", PROMPT, max_tokens=40, use_speculation=False)
    engine.run()
    assert engine.end("r").num_drafted_tokens == 0
    assert engine.text("r") == expected_text(PROMPT, 40)
