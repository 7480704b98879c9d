"""What sampling parameters may be. Standard library only; knows nothing of prompts and of how much fits."""

from __future__ import annotations

import math
from collections.abc import Collection

from engine.errors import InvalidRequestError
from engine.messages import SamplingParams

_MAX_COUNT = 1 << 31
_MAX_SHOWN = 80
MAX_LOGPROBS = 20
"""How many of the most probable tokens may be told per token."""


def check_params(params: SamplingParams, vocab_size: int) -> None:
    """Raises `InvalidRequestError` naming the parameter, its value and what it may be."""
    for name, value, is_good, wanted in (*_number_checks(params), *_limit_checks(params)):
        if not is_good:
            raise InvalidRequestError(f"{name} is {_short(value)}: it must be {wanted}")
    _check_token_ids(params, vocab_size)


def _short(value: object) -> str:
    """A list of the whole vocabulary is not for reading."""
    text = repr(value)
    return text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "…"


def _number_checks(params: SamplingParams) -> tuple[tuple[str, object, bool, str], ...]:
    frequency, presence = params.frequency_penalty, params.presence_penalty
    return (
        ("temperature", params.temperature, 0 <= params.temperature < math.inf, "a number from 0 up"),
        ("top_k", params.top_k, 0 <= params.top_k <= _MAX_COUNT, "0 (off) or more, up to 2**31"),
        ("top_p", params.top_p, 0 < params.top_p <= 1, "above 0 and at most 1"),
        ("min_p", params.min_p, 0 <= params.min_p < 1, "from 0 to below 1"),
        ("typical_p", params.typical_p, 0 < params.typical_p <= 1, "above 0 and at most 1"),
        ("repetition_penalty", params.repetition_penalty, 0 < params.repetition_penalty <= 10, "above 0, at most 10"),
        ("frequency_penalty", frequency, -2 <= frequency <= 2, "from -2 to 2"),
        ("presence_penalty", presence, -2 <= presence <= 2, "from -2 to 2"),
        (
            "logit_bias",
            params.logit_bias,
            all(-100 <= bias <= 100 for _, bias in params.logit_bias),
            "numbers from -100 to 100",
        ),
    )


def _limit_checks(params: SamplingParams) -> tuple[tuple[str, object, bool, str], ...]:
    logprobs, prompt_logprobs = params.logprobs, params.prompt_logprobs
    told = f"from 0 to {MAX_LOGPROBS}"
    return (
        ("max_tokens", params.max_tokens, params.max_tokens is None or params.max_tokens >= 1, "1 or more"),
        ("min_tokens", params.min_tokens, params.min_tokens >= 0, "0 (off) or more"),
        ("seed", params.seed, params.seed is None or 0 <= params.seed < 1 << 64, "from 0 to below 2**64"),
        ("stop", params.stop, all(params.stop), "strings that are not empty"),
        ("logprobs", logprobs, logprobs is None or 0 <= logprobs <= MAX_LOGPROBS, told),
        ("prompt_logprobs", prompt_logprobs, prompt_logprobs is None or 0 <= prompt_logprobs <= MAX_LOGPROBS, told),
        ("n", params.n, params.n >= 1, "1 or more"),
    )


def _check_token_ids(params: SamplingParams, vocab_size: int) -> None:
    biased = [token_id for token_id, _ in params.logit_bias]
    banned, allowed = params.banned_token_ids, params.allowed_token_ids
    _check_inside("logit_bias", biased, vocab_size)
    _check_inside("banned_token_ids", banned, vocab_size)
    _check_inside("allowed_token_ids", allowed or (), vocab_size)
    _check_inside("stop_token_ids", params.stop_token_ids, vocab_size)
    if len(set(biased)) < len(biased):
        raise InvalidRequestError("logit_bias names a token twice: give each token one bias")
    num_left = vocab_size if allowed is None else len(set(allowed))
    num_left -= len(set(banned) if allowed is None else set(banned) & set(allowed))
    if not num_left:
        raise InvalidRequestError(
            "allowed_token_ids and banned_token_ids leave no token to generate: allow one that is not banned"
        )


def _check_inside(name: str, token_ids: Collection[int], vocab_size: int) -> None:
    if token_ids and not 0 <= min(token_ids) <= max(token_ids) < vocab_size:
        outside = next(token_id for token_id in token_ids if not 0 <= token_id < vocab_size)
        raise InvalidRequestError(f"{name} has the token {outside}: this model's tokens are 0 to {vocab_size - 1}")
