"""What `generate --json` says of one prompt."""

from engine.commands.completions import CompletedAnswer, Completion
from engine.messages import RequestFinished, TokenLogprobs

END = RequestFinished("0", "stop", 3, 0, 2, None, None)


def test_thinking_stands_beside_the_text_if_there_is_some():
    assert Completion([CompletedAnswer("4", "hm", [1, 2])], end=END).to_json()["reasoning"] == "hm"


def test_an_answer_without_thinking_says_nothing_of_it():
    assert "reasoning" not in Completion([CompletedAnswer("4", "", [1, 2])], end=END).to_json()


def test_several_answers_stand_side_by_side_and_the_first_on_top_too():
    answers = [CompletedAnswer("a", "", [1], reason="stop"), CompletedAnswer("bc", "", [2, 3], reason="length")]
    told = Completion(answers, end=END).to_json()
    assert (told["text"], told["token_ids"]) == ("a", [1])
    assert [(answer["text"], answer["finish_reason"], answer["completion_tokens"]) for answer in told["answers"]] == [
        ("a", "stop", 1),
        ("bc", "length", 2),
    ]


def test_one_answer_has_no_list_of_answers():
    assert "answers" not in Completion([CompletedAnswer("a", "", [1])], end=END).to_json()


def test_prompt_tokens_are_told_with_their_log_probabilities():
    completion = Completion([CompletedAnswer("a", "", [1])], [7, 8], [TokenLogprobs(-1.0), TokenLogprobs(-2.0)], END)
    assert [(token["token_id"], token["logprob"]) for token in completion.to_json()["prompt_logprobs"]] == [
        (7, -1.0),
        (8, -2.0),
    ]


def test_the_phases_of_a_request_are_told():
    end = RequestFinished("0", "stop", 3, 0, 2, 1.5, 2.0, 4, 3, 0.5, 1.0, 0.5, 0.6, 0.25, 1)
    told = Completion([CompletedAnswer()], end=end).to_json()
    phases = ("tpot_s", "queue_s", "prefill_s", "decode_s", "preempted_s", "num_preemptions")
    assert [told[name] for name in phases] == [0.5, 1.0, 0.5, 0.6, 0.25, 1]


def test_guessed_tokens_are_counted():
    end = RequestFinished("0", "stop", 3, 0, 9, None, None, num_drafted_tokens=8, num_accepted_tokens=5)
    told = Completion([CompletedAnswer()], end=end).to_json()
    assert (told["drafted_tokens"], told["accepted_tokens"]) == (8, 5)
