"""The command line with the real starter model, held to what transformers computed from the same file."""

import json
from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[1] / "data"
CASES = json.loads((DATA / "starter-greedy.json").read_text(encoding="utf-8"))["cases"]
RAW_CASES = [case for case in CASES if "prompt" in case]
CHAT_CASES = [case for case in CASES if "messages" in case]


def generate(engine, *arguments):
    result = engine("generate", "starter", "--temperature", "0", "--json", *arguments)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def prompts(cases):
    return [argument for case in cases for argument in ("--prompt", case["prompt"])]


@pytest.mark.parametrize("case", RAW_CASES, ids=lambda case: case["prompt"])
def test_reference_backend_gives_the_token_ids_of_transformers(engine, case):
    arguments = ("--backend", "reference", "--raw", "--max-tokens", "24", "--prompt", case["prompt"])
    (completion,) = generate(engine, *arguments)
    assert completion["token_ids"] == case["token_ids"]
    assert completion["prompt_tokens"] == len(case["prompt_ids"])
    assert completion["text"] == case["text"]


@pytest.mark.parametrize("case", CHAT_CASES, ids=lambda case: case["messages"][0]["content"])
def test_chat_template_gives_the_token_ids_of_transformers(engine, case):
    arguments = ("--backend", "reference", "--max-tokens", "24", "--prompt", case["messages"][0]["content"])
    (completion,) = generate(engine, *arguments)
    assert completion["token_ids"] == case["token_ids"]
    assert completion["prompt_tokens"] == len(case["prompt_ids"])
    assert completion["finish_reason"] == "stop"


def test_cpu_backend_agrees_on_the_first_token(engine):
    completions = generate(engine, "--backend", "cpu", "--raw", "--max-tokens", "1", *prompts(RAW_CASES))
    assert [c["token_ids"][0] for c in completions] == [case["token_ids"][0] for case in RAW_CASES]


def test_backends_differ_by_half_a_percent_at_most_in_perplexity(engine):
    def perplexity(backend):
        result = engine("perplexity", "starter", str(DATA / "prose.txt"), "--json", "--backend", backend)
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)["perplexity"]

    reference = perplexity("reference")
    assert 1 < reference < 100
    assert perplexity("cpu") == pytest.approx(reference, rel=0.005)


@pytest.mark.parametrize("backend", ["reference", "cpu"])
def test_common_beginning_of_two_prompts_is_computed_once(engine, backend):
    # Every word is one token, so that the first 200 tokens agree and the next differ.
    common = "the" + " the" * 199
    arguments = ("--backend", backend, "--raw", "--max-tokens", "4")
    first, second = generate(engine, *arguments, "--prompt", common + " red", "--prompt", common + " blue")
    assert (first["prompt_tokens"], second["prompt_tokens"]) == (201, 201)
    assert (first["cached_tokens"], second["cached_tokens"]) == (0, 200 // 16 * 16)


def test_second_chat_computes_its_own_question_and_at_most_a_block_of_a_long_system_prompt(engine):
    prose = (DATA / "prose.txt").read_text(encoding="utf-8")
    system = ("--system", prose[:4500])
    questions = ["What is the text about?", "Who wrote it, and when?"]
    arguments = ("--backend", "cpu", "--max-tokens", "2", *system)
    first, second = generate(engine, *arguments, *(a for question in questions for a in ("--prompt", question)))
    assert first["prompt_tokens"] > 1000
    num_own_tokens = 16  # the question and what the template puts around it
    assert second["prompt_tokens"] - second["cached_tokens"] <= 16 + num_own_tokens


@pytest.mark.parametrize("backend", ["reference", "cpu"])
def test_answers_are_the_same_alone_and_in_company(engine, backend):
    prose = (DATA / "prose.txt").read_text(encoding="utf-8")
    chosen = ["Water boils at", prose[:600], prose[600:2600]]
    arguments = ("--backend", backend, "--raw", "--max-tokens", "24")
    together = generate(engine, *arguments, *(a for prompt in chosen for a in ("--prompt", prompt)))
    alone = [generate(engine, *arguments, "--prompt", prompt)[0] for prompt in chosen]
    assert [c["token_ids"] for c in together] == [c["token_ids"] for c in alone]


def test_seed_repeats_a_sampled_answer(engine):
    arguments = ("--temperature", "1.5", "--max-tokens", "12", "--raw", "--prompt", "Once upon a time")
    once, again = (generate(engine, *arguments, "--seed", "5") for _ in range(2))
    other = generate(engine, *arguments, "--seed", "6")
    assert once[0]["token_ids"] == again[0]["token_ids"] != other[0]["token_ids"]


def test_stop_string_ends_the_answer(engine):
    (completion,) = generate(
        engine, "--raw", "--prompt", "The capital of France is", "--stop", ".", "--max-tokens", "9"
    )
    assert (completion["text"], completion["finish_reason"]) == (" Paris", "stop")


def test_chat_answers_line_by_line(engine):
    result = engine(
        "chat", "starter", "--temperature", "0", "--max-tokens", "12", input="What is the capital of Japan?\n"
    )
    assert result.returncode == 0, result.stderr
    assert "The capital of Japan is Tokyo." in result.stdout


def test_full_chat_forgets_its_oldest_turns_and_says_so(engine):
    # Room for 1,024 tokens: the third question does not fit with the two before it.
    questions = [f"Say yes. {'word ' * 350}{name}\n" for name in ("one", "two", "three")]
    result = engine(
        *("chat", "starter", "--temperature", "0", "--max-tokens", "4", "--kv-mib", "23"),
        *("--when-full", "drop-oldest"),
        input="".join(questions),
    )
    assert result.returncode == 0, result.stderr
    assert "the model no longer sees turn 1 (" in result.stderr


def test_one_bad_prompt_does_not_spoil_the_other(engine):
    result = engine("generate", "starter", "--json", "--raw", "--max-tokens", "2", "--prompt", "", "--prompt", "Hello")
    assert result.returncode == 2
    assert "prompt 1" in result.stderr
    assert json.loads(result.stdout)[1]["completion_tokens"] == 2


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("generate", "nothing", "--prompt", "x"), "starter"),
        (("generate", "starter", "--prompt", "x", "--max-tokens", "100000"), "8,192"),
        (("generate", "starter", "--prompt", "x", "--temperature", "-1"), "temperature"),
        (("generate", "starter", "--prompt", "x", "--backend", "gpu"), "--backend cpu"),
        (("generate", "starter", "--prompt", "x", "--raw", "--system", "y"), "--system"),
        (("generate", "starter", "--prompt", "x", "-n", "1000000000"), "16 answers at once"),
        (("generate", "starter", "--prompt", "x", "--kv-mib", "999999999"), "lower the budget"),
        (("generate", "starter", "--prompt", "x", "--temperature", "-1", "--save-prefix", "x"), "temperature"),
        (("perplexity", "starter", "no such file.txt"), "no such file.txt"),
        (("perplexity", "starter", str(DATA / "prose.txt"), "--window", "1"), "window"),
        (("inspect", "nothing"), "nothing"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, tuple) else None,
)
def test_known_error_is_one_line_and_exit_code_2(engine, arguments, named):
    result = engine(*arguments)
    assert result.returncode == 2
    assert named in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1, result.stderr


def test_models_and_inspect_tell_what_is_there(engine):
    (entry,) = json.loads(engine("models", "--json").stdout)
    assert entry["name"]
    facts = engine("inspect", "starter")
    assert facts.returncode == 0, facts.stderr
    assert "135" in facts.stdout or "SmolLM2" in facts.stdout


@pytest.mark.parametrize("backend", ["reference", "cpu"])
def test_greedy_tokens_are_the_best_of_their_logprobs(engine, backend):
    arguments = ("--backend", backend, "--raw", "--max-tokens", "5", "--logprobs", "2", "--prompt", "Water boils at")
    (completion,) = generate(engine, *arguments)
    entries = completion["logprobs"]
    assert [entry["token_id"] for entry in entries] == completion["token_ids"]
    assert [entry["top"][0]["token_id"] for entry in entries] == completion["token_ids"]
    assert all(entry["top"][1]["logprob"] <= entry["logprob"] == entry["top"][0]["logprob"] < 0 for entry in entries)


def test_banned_token_gives_way_to_the_second_best(engine):
    arguments = ("--raw", "--max-tokens", "1", "--logprobs", "2", "--prompt", "Water boils at")
    (first,) = generate(engine, *arguments)
    best, second = (each["token_id"] for each in first["logprobs"][0]["top"])
    (changed,) = generate(engine, *arguments, "--ban-token", str(best))
    assert changed["token_ids"] == [second]
    # What is told is the model's own distribution, whatever was banned.
    assert changed["logprobs"][0]["top"] == first["logprobs"][0]["top"]
