"""Counting tokens beside the engine's own work."""

import queue

from engine.errors import TextError
from engine.jobs.token_counts import TokenCounts
from engine.messages import CountTokens, TokensCounted


def answers(question, count_text):
    events = queue.Queue()
    TokenCounts(events.put).ask(question, count_text)
    return events.get(timeout=30)


def test_each_text_is_counted_by_itself():
    assert answers(CountTokens("c", ("ab", "", "abc")), len) == [TokensCounted("c", (2, 0, 3))]


def test_without_a_model_there_is_an_answer_all_the_same():
    assert answers(CountTokens("c", ("ab",)), None) == [TokensCounted("c", None)]


def test_a_text_that_the_tokenizer_cannot_read_is_answered_too():
    def fail(text):
        raise TextError(text)

    assert answers(CountTokens("c", ("a",)), fail) == [TokensCounted("c", None)]
