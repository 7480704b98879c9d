"""Owns the words of an answer's figures: how fast, how long, from the cache, why it ended, guesses, seed.

Does not know the view that shows them.
"""

from __future__ import annotations

from app.chat.chat_words import tokens_text
from app.i18n import translate
from app.state.message import AnswerStats, Message


def stats_text(message: Message) -> str:
    """`62 tok/s · first token 0.21 s · 40 tokens · finished`."""
    parts = [] if message.stats is None else _figures(message.stats)
    end = end_words(message)
    if end:
        parts.append(end)
    return " · ".join(parts)


def details_text(message: Message) -> str:
    """A line each for what is asked for more rarely: cached tokens, guesses, seed, and where the time went."""
    stats = message.stats
    lines = []
    if stats is not None and stats.num_cached_tokens:
        lines.append(translate("app", "{number} cached").format(number=stats.num_cached_tokens))
    if stats is not None and stats.num_drafted_tokens:
        words = translate("app", "guesses {right} of {all} right")
        lines.append(words.format(right=stats.num_accepted_tokens or 0, all=stats.num_drafted_tokens))
    if message.seed is not None:
        lines.append(translate("app", "seed {seed}").format(seed=message.seed))
    if phases := phases_text(stats):
        lines.append(phases)
    return "\n".join(lines)


def end_words(message: Message) -> str:
    """Why an answer ended; empty for one that has not, and for one that failed, as its error is told."""
    match message.end:
        case "stop":
            return translate("app", "finished")
        case "cancelled":
            return translate("app", "stopped")
        case "interrupted":
            return translate("app", "interrupted")
        case "length" if message.stats is not None:
            words = translate("app", "stopped at the limit of {tokens}")
            return words.format(tokens=tokens_text(message.stats.num_completion_tokens))
        case "length":
            return translate("app", "stopped at the limit")
        case _:
            return ""


def phases_text(stats: AnswerStats | None) -> str:
    """`waiting 0.02 s, reading 0.19 s, writing 3.10 s, set aside 0.40 s`: where the time went; empty if not known."""
    if stats is None or stats.queue_s is None:
        return ""
    phases = (
        (translate("app", "waiting {time}"), stats.queue_s),
        (translate("app", "reading {time}"), stats.prefill_s),
        (translate("app", "writing {time}"), stats.decode_s),
        (translate("app", "set aside for other chats {time}"), stats.preempted_s),
    )
    return ", ".join(words.format(time=f"{time_s:.2f} s") for words, time_s in phases if time_s)


def _figures(stats: AnswerStats) -> list[str]:
    parts = []
    if stats.tokens_per_s is not None:
        rate = f"{stats.tokens_per_s:.0f}" if stats.tokens_per_s >= 10 else f"{stats.tokens_per_s:.1f}"
        parts.append(translate("app", "{rate} tok/s").format(rate=rate))
    if stats.ttft_s is not None:
        parts.append(translate("app", "first token {time} s").format(time=f"{stats.ttft_s:.2f}"))
    if stats.num_completion_tokens:
        parts.append(tokens_text(stats.num_completion_tokens))
    return parts
