"""One answer on its way from tokens to shown text: characters made whole, stop strings found, thinking told apart.

Knows nothing of blocks, queues and of who reads the text.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.chunk_result import SampledToken
from engine.messages import FinishReason, TextDelta, TokenLogprobs
from engine.sequence import Sequence
from engine.text.detokenizer import IncrementalDetokenizer
from engine.text.reasoning import ReasoningSplitter
from engine.text.stop import StopMatcher


@dataclass(slots=True)
class Answer:
    """`splitter` None where nothing marks thinking."""

    sequence: Sequence
    detokenizer: IncrementalDetokenizer
    stop: StopMatcher
    splitter: ReasoningSplitter | None
    _unsent_token_ids: list[int] = field(default_factory=list)
    _unsent_logprobs: list[TokenLogprobs] = field(default_factory=list)

    def add(self, token: SampledToken) -> tuple[TextDelta | None, FinishReason | None]:
        """Append a token to the sequence; what is new of the text, and why the answer ends with it, if it does."""
        sequence, token_id = self.sequence, token.token_id
        sequence.token_ids.append(token_id)
        self._unsent_token_ids.append(token_id)
        if token.logprobs is not None:
            self._unsent_logprobs.append(token.logprobs)
        is_end = token_id in sequence.end_token_ids
        text = "" if is_end else self.detokenizer.add(token_id)
        if sequence.num_output_tokens >= sequence.params.min_tokens:
            text = self.stop.add(text)
        is_full = sequence.num_output_tokens >= sequence.max_tokens
        if (is_end or is_full) and not self.stop.has_matched:
            text += self.stop.add(self.detokenizer.finish())
            text += self.stop.finish()
        is_stopped = is_end or self.stop.has_matched
        reason: FinishReason | None = "stop" if is_stopped else "length" if is_full else None
        return self._delta(text, is_last=reason is not None), reason

    def cut(self) -> TextDelta | None:
        """What was held back of an answer that is ended from outside.

        A character that was cut in half is left out: nobody asked for its replacement sign.
        """
        return self._delta(self.stop.finish(), is_last=True)

    def _delta(self, text: str, is_last: bool) -> TextDelta | None:
        reasoning = ""
        if self.splitter is not None:
            reasoning, text = self.splitter.add(text)
            if is_last:
                last = self.splitter.finish()
                reasoning, text = reasoning + last.reasoning, text + last.answer
        if not (text or reasoning or self._unsent_token_ids):
            return None
        token_ids, logprobs = tuple(self._unsent_token_ids), tuple(self._unsent_logprobs)
        self._unsent_token_ids.clear()
        self._unsent_logprobs.clear()
        return TextDelta(self.sequence.request_id, text, token_ids, logprobs, reasoning, self.sequence.index)
