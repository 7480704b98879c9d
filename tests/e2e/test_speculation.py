"""Guessed tokens with the real starter model: the same answers, in fewer steps."""

import json
import subprocess

import pytest

from engine.backends import choose_backend
from engine.config import EngineConfig
from engine.messages import ChatMessage, SamplingParams, Submit, TextDelta
from engine.serving import serve
from engine.speculation import loading
from engine.speculation.speculator import Speculator
from engine.store.library import Library

CODE = """def total(prices, tax):
    result = 0
    for price in prices:
        result += price * (1 + tax)
    return result
"""
PROMPT = f"Rewrite this Python code, renaming prices to amounts:\n\n{CODE}"
LOOKUP = ("--speculate", "lookup")


def generate(engine, *arguments):
    result: subprocess.CompletedProcess[str] = engine("generate", "starter", "--json", "--prompt", PROMPT, *arguments)
    assert result.returncode == 0, result.stderr
    (completion,) = json.loads(result.stdout)
    return completion


@pytest.mark.parametrize("backend", ["reference", "cpu"])
def test_greedy_answers_are_the_same_by_lookup(engine, backend):
    arguments = ("--backend", backend, "--temperature", "0", "--max-tokens", "40")
    plain, guessed = generate(engine, *arguments, "--speculate", "off"), generate(engine, *arguments, *LOOKUP)
    assert guessed["token_ids"] == plain["token_ids"]
    assert (plain["drafted_tokens"], plain["accepted_tokens"]) == (0, 0)
    assert guessed["accepted_tokens"] > 10


@pytest.mark.parametrize("backend", ["reference", "cpu"])
@pytest.mark.parametrize("temperature", [0.0, 0.7])
def test_the_model_guesses_its_own_tokens_right(starter_home, monkeypatch, backend, temperature):
    # As if its guesses cost nothing: a model of the same size never pays.
    monkeypatch.setattr(loading, "Speculator", lambda proposer, _: Speculator(proposer, 0.01))
    answers = []
    for config in (EngineConfig(starter_home), EngineConfig(starter_home, speculation="draft", draft_model="starter")):
        entry = Library(config.models_dir).find("starter")
        core = serve(entry, choose_backend(backend, 1), config, lambda progress: None).core
        params = SamplingParams(temperature=temperature, seed=1, max_tokens=30)
        core.submit(Submit("a", params, messages=(ChatMessage("user", PROMPT),)))
        events = []
        while core.num_live:
            events += core.step()
        core.check_invariants()
        answers.append([token_id for event in events if isinstance(event, TextDelta) for token_id in event.token_ids])
    assert core.metrics.num_drafted_tokens > 15
    # Not all of them need be right: the two compute the prompt in other chunks, which may round otherwise.
    assert core.metrics.num_accepted_tokens > 0.8 * core.metrics.num_drafted_tokens
    if not temperature:
        assert answers[0] == answers[1]


def test_a_seed_gives_the_same_sampled_answer_by_lookup(engine):
    arguments = ("--temperature", "0.7", "--seed", "1", "--max-tokens", "60")
    plain, guessed = generate(engine, *arguments), generate(engine, *arguments, *LOOKUP)
    assert guessed["token_ids"] == plain["token_ids"]
    assert guessed["accepted_tokens"] > 10


@pytest.mark.parametrize(
    ("arguments", "named"),
    [(("--speculate", "draft"), "--draft-model"), (("--draft-model", "starter"), "--speculate draft")],
)
def test_half_a_choice_of_a_draft_model_is_one_line_and_exit_code_2(engine, arguments, named):
    result = engine("generate", "starter", "--prompt", "x", *arguments)
    assert result.returncode == 2
    assert named in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1, result.stderr
