"""Which rows of a batch the last layer has to finish: those that a token is drawn from, or all."""

from __future__ import annotations

from engine.draft import Draft
from engine.forward.batch import build_batch
from engine.messages import SamplingParams
from engine.scheduler import ScheduledChunk
from engine.sequence import Sequence


def chunk(num_tokens: int, num_prompt_tokens: int, *drafted_ids: int, **params: object) -> ScheduledChunk:
    sampling = SamplingParams(**params)  # type: ignore[arg-type]
    sequence = Sequence("a", "", b"", list(range(num_prompt_tokens)), num_prompt_tokens, 60, sampling, 7, 0.0)
    sequence.block_ids = list(range(1, 20))
    return ScheduledChunk(sequence, num_tokens, Draft(drafted_ids))


def wanted_rows(*chunks: ScheduledChunk) -> tuple[int, ...] | None:
    return build_batch(chunks, 4).forward.wanted_rows


def test_of_a_prompt_the_last_row_is_wanted() -> None:
    assert wanted_rows(chunk(9, 9)) == (8,)


def test_of_a_part_of_a_prompt_no_row_is_wanted() -> None:
    assert wanted_rows(chunk(5, 9)) == ()


def test_beside_a_prompt_the_rows_of_answers_and_their_drafts_are_wanted() -> None:
    assert wanted_rows(chunk(1, 1), chunk(5, 9), chunk(1, 1, 3, 4), chunk(3, 3)) == (0, 6, 7, 8, 11)


def test_where_every_row_is_drawn_from_all_are_wanted() -> None:
    assert wanted_rows(chunk(1, 1), chunk(1, 1, 3, 4)) is None


def test_for_prompt_logprobs_all_rows_are_wanted() -> None:
    assert wanted_rows(chunk(9, 9, prompt_logprobs=1), chunk(9, 9)) is None
