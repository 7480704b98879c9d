"""From a `Submit` to a `Sequence`: what a request may ask for, and what could never fit.

Knows nothing of queues and of what else is running.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence as Messages
from dataclasses import dataclass

from engine.answer import Answer
from engine.cache.identity import CacheIdentity
from engine.errors import InvalidRequestError, RequestTooLongError
from engine.messages import ChatMessage, Submit
from engine.rope_spec import RopeSpec
from engine.sampling_checks import check_params
from engine.sequence import Sequence
from engine.text.alternation import join_alike
from engine.text.context import FittedChat, fit_chat
from engine.text.detokenizer import CONTEXT_TOKENS, IncrementalDetokenizer
from engine.text.reasoning import CLOSE, OPEN, ReasoningSplitter
from engine.text.stop import StopMatcher
from engine.text.template import ChatTemplate
from engine.text.tokenizer import Tokenizer
from engine.text.typed_tokens import break_up

_TAIL_TOKENS = 16
"""More than an opening tag and white space take at a prompt's end."""
_RESERVED_PART = 4
"""A chat that may drop turns leaves so small a part of the context, a quarter, to an answer that names no length."""
_SEED_BITS = 32
"""Of a seed that the engine draws: enough, and still a number that a person can write down."""
_ROLES = ("system", "user", "assistant")


@dataclass(frozen=True, slots=True)
class RequestReader:
    """What must be known of the loaded model to read a request. Token limits are in tokens."""

    tokenizer: Tokenizer
    template: ChatTemplate | None
    cache_identity: CacheIdentity
    max_context: int
    pool_tokens: int
    """The longest sequence that the pool holds alone."""
    default_max_tokens: int
    reply_reserve: int
    vocab_size: int
    end_token_ids: frozenset[int]
    max_answers: int
    """How many answers of one request may run at once."""
    rope: RopeSpec | None = None
    """Tells requests that may grow long from others; None where the model makes no difference."""
    knows_thinking: bool = False
    """Whether the model marks what it thinks by `<think>`."""

    def read(self, submit: Submit, arrival_s: float) -> Sequence:
        """Raises `InvalidRequestError` for bad content and `RequestTooLongError` for what could never fit."""
        params = submit.params
        if submit.timeout_s is not None and not submit.timeout_s > 0:
            raise InvalidRequestError(f"timeout_s is {submit.timeout_s}: it must be above 0, or None for no limit")
        check_params(params, self.vocab_size)
        if params.n > self.max_answers:
            raise InvalidRequestError(
                f"n is {params.n}, but this engine runs {self.max_answers} answers at once: ask for fewer"
            )
        prompt = self._prompt(submit)
        num_prompt_tokens = len(prompt.token_ids)
        max_tokens = self._max_tokens(num_prompt_tokens, submit)
        rope_offset = 0 if self.rope is None else self.rope.offset(num_prompt_tokens + max_tokens)
        seed = secrets.randbits(_SEED_BITS) if params.seed is None else params.seed
        return Sequence(
            request_id=submit.request_id,
            owner=submit.owner,
            scope=self.cache_identity.scope(submit.security_domain, rope_offset),
            token_ids=prompt.token_ids,
            num_prompt_tokens=num_prompt_tokens,
            max_tokens=max_tokens,
            rope_offset=rope_offset,
            params=params,
            seed=seed,
            arrival_s=arrival_s,
            num_forks=params.n - 1,
            priority=submit.priority,
            deadline_s=None if submit.timeout_s is None else arrival_s + submit.timeout_s,
            uses_prefix_cache=submit.use_prefix_cache,
            uses_speculation=submit.use_speculation,
            dropped_messages=prompt.dropped,
            num_dropped_tokens=prompt.num_dropped_tokens,
            end_token_ids=frozenset(params.stop_token_ids) | (frozenset() if params.ignore_eos else self.end_token_ids),
        )

    def _prompt(self, submit: Submit) -> FittedChat:
        if (submit.prompt is None) == (not submit.messages):
            raise InvalidRequestError("A request needs either messages or a raw prompt")
        check_text(submit)
        if isinstance(submit.prompt, tuple):
            prompt = FittedChat(self._checked_ids(submit.prompt))
        elif submit.prompt is not None:
            prompt = FittedChat(self.tokenizer.encode_raw(submit.prompt))
        else:
            prompt = self._chat(submit)
        if not prompt.token_ids:
            raise InvalidRequestError("The prompt is empty: write something")
        return prompt

    def _chat(self, submit: Submit) -> FittedChat:
        template = self.template
        if template is None:
            raise InvalidRequestError("This model has no chat template: send a raw prompt (--raw)")
        unknown = sorted({message.role for message in submit.messages} - set(_ROLES))
        if unknown:
            raise InvalidRequestError(f"Unknown role {unknown[0]!r}: use system, user or assistant")
        if submit.continues_answer and submit.messages[-1].role != "assistant":
            raise InvalidRequestError(
                f"There is no answer to go on with: the last message is the {submit.messages[-1].role}'s"
            )

        def encode_chat(messages: Messages[ChatMessage]) -> list[int]:
            marked, mark = break_up(join_alike(messages), self.tokenizer.special_tokens)
            goes_on = submit.continues_answer and marked[-1].role == "assistant"
            text = _begun_answer(template, marked) if goes_on else template.render(marked)
            return self.tokenizer.encode(text) if mark is None else self.tokenizer.encode_marked(text, mark)

        if submit.when_full == "stop":
            return FittedChat(encode_chat(submit.messages))
        room = self._max_length - self._reserve(submit)
        return fit_chat(submit.messages, room, encode_chat, lambda text: len(self.tokenizer.encode(text)))

    @property
    def _max_length(self) -> int:
        """The most tokens that prompt and answer may have together."""
        return min(self.max_context, self.pool_tokens)

    def _reserve(self, submit: Submit) -> int:
        """Tokens that a chat which may drop turns leaves to its answer."""
        params = submit.params
        if params.max_tokens is not None and not submit.cuts_answer:
            return params.max_tokens
        reserve = min(self.reply_reserve, self._max_length // _RESERVED_PART)
        return max(1, params.min_tokens, reserve if params.max_tokens is None else min(reserve, params.max_tokens))

    def _checked_ids(self, token_ids: tuple[int, ...]) -> list[int]:
        unknown = next((token_id for token_id in token_ids if not 0 <= token_id < self.vocab_size), None)
        if unknown is not None:
            last = self.vocab_size - 1
            raise InvalidRequestError(f"The prompt has the token {unknown}: this model's ids are 0 to {last}")
        return list(token_ids)

    def _max_tokens(self, num_prompt_tokens: int, submit: Submit) -> int:
        params = submit.params
        limit = self._max_length
        asked = params.max_tokens
        if asked is not None and submit.cuts_answer:
            asked = max(1, min(asked, limit - num_prompt_tokens))
        name = "the model's context" if self.max_context <= self.pool_tokens else "the whole block pool"
        needed = num_prompt_tokens + (1 if asked is None else asked)
        if needed > limit:
            answer = "1 token of answer" if asked is None else f"up to {asked:,} of answer"
            prompt, advice = _too_long_words(submit)
            raise RequestTooLongError(
                f"Needs {needed:,} tokens ({num_prompt_tokens:,} of {prompt} and {answer}), "
                f"{name} holds {limit:,}: {advice}"
            )
        max_tokens = self._unasked_tokens(num_prompt_tokens) if asked is None else asked
        if params.min_tokens > max_tokens:
            raise InvalidRequestError(
                f"min_tokens is {params.min_tokens}, but the answer may have {max_tokens} tokens at most: "
                "ask for fewer, or raise max_tokens"
            )
        return max_tokens

    def _unasked_tokens(self, num_prompt_tokens: int) -> int:
        """The bound of an answer that names no length."""
        max_tokens = min(self.default_max_tokens, self._max_length - num_prompt_tokens)
        short = None if self.rope is None else self.rope.short_context
        if short is not None and num_prompt_tokens + self.reply_reserve <= short:
            # It keeps the factors of a short chat, and with them what is cached of it.
            max_tokens = min(max_tokens, short - num_prompt_tokens)
        return max_tokens

    def answer(self, submit: Submit, sequence: Sequence) -> Answer:
        """How the text of one answer is made. The sequence's prompt is what `submit` says."""
        # A raw prompt's text goes on, and so does an answer that was begun; another answer is a text of its own.
        prompt_ids = sequence.token_ids[: sequence.num_prompt_tokens]
        goes_on = submit.prompt is not None or submit.continues_answer
        context = prompt_ids[-CONTEXT_TOKENS:] if goes_on else []
        detokenizer = IncrementalDetokenizer(self.tokenizer.decode, context)
        return Answer(sequence, detokenizer, StopMatcher(self._stops(submit)), self._splitter(submit, prompt_ids))

    def _stops(self, submit: Submit) -> tuple[str, ...]:
        """What ends the answer: the request's stop strings, and those of a template without end tokens."""
        own = () if submit.prompt is not None or self.template is None else self.template.stops
        return (*submit.params.stop, *own)

    def _splitter(self, submit: Submit, prompt_ids: list[int]) -> ReasoningSplitter | None:
        """What tells thinking from answer; None for a raw prompt, which is continued as it is, and other models."""
        if submit.prompt is not None or not self.knows_thinking:
            return None
        return ReasoningSplitter(self.tokenizer.decode(prompt_ids[-_TAIL_TOKENS:]).rstrip().endswith(OPEN))


def _begun_answer(template: ChatTemplate, messages: Messages[ChatMessage]) -> str:
    """A prompt that ends inside the assistant's turn, behind the text of the last message."""
    prompt = template.render(messages[:-1])
    # A template may begin the thinking itself; what is continued is the answer behind it.
    thought = f"\n{CLOSE}\n\n" if prompt.rstrip().endswith(OPEN) else ""
    return prompt + thought + messages[-1].content


def _too_long_words(submit: Submit) -> tuple[str, str]:
    """What a prompt that does not fit consists of, and what to do."""
    # Where no length was asked for, a single token of answer was counted, and none can be shorter.
    has_length = (submit.params.max_tokens or 1) > 1
    if submit.when_full == "drop_oldest" and submit.messages:
        advice = "shorten the message or ask for a shorter answer" if has_length else "shorten the message"
        return "system prompt and newest message alone", advice
    num_questions = sum(message.role == "user" for message in submit.messages)
    steps = ["shorten the chat" if num_questions > 1 else "shorten the message"]
    if num_questions > 1:
        steps.append("let it forget its oldest turns")
    if has_length:
        steps.append("ask for a shorter answer")
    return "prompt", (", ".join(steps[:-1]) + ", or " if len(steps) > 1 else "") + steps[-1]


def check_text(submit: Submit) -> None:
    """Raises `InvalidRequestError` for text that is no Unicode: a file or an argument of another encoding."""
    texts = [submit.prompt if isinstance(submit.prompt, str) else "", *submit.params.stop]
    for text in (*texts, *(message.content for message in submit.messages)):
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise InvalidRequestError(
                f"The text is not valid Unicode at character {error.start}: save or send it as UTF-8"
            ) from error
