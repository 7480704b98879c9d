"""Owns the words of an answer's figures: how fast, how long, from the cache, why it ended, guesses, seed.

Does not know the view that shows them.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.chat.chat_words import tokens_text
from app.i18n import translate
from app.state.message import AnswerStats, Message


@dataclass(frozen=True, slots=True)
class Figures:
    """What is told of an answer in one line, each empty if it is not known."""

    rate: str = ""
    first_token: str = ""
    length: str = ""
    cached: str = ""
    end: str = ""

    def text(self) -> str:
        """`62 tok/s · first token 0.21 s · 40 tokens · 412 cached · finished`."""
        return _joined(self.rate, self.first_token, self.length, self.cached, self.end)

    def shortened(self) -> list[str]:
        """The text, and shorter ones for where there is less room; each lacks what counts least in the one before."""
        shorter = (
            _joined(self.rate, self.first_token, self.length, self.end),
            _joined(self.rate, self.length, self.end),
            _joined(self.rate, self.end),
            self.end or self.rate,
        )
        return [self.text(), *shorter]


def _joined(*parts: str) -> str:
    return " · ".join(part for part in parts if part)


def figures_of(message: Message) -> Figures:
    end, stats = end_words(message), message.stats
    if stats is None:
        return Figures(end=end)
    rate = first_token = ""
    if stats.tokens_per_s is not None:
        number = f"{stats.tokens_per_s:.0f}" if stats.tokens_per_s >= 10 else f"{stats.tokens_per_s:.1f}"
        rate = translate("app", "{rate} tok/s").format(rate=number)
    if stats.ttft_s is not None:
        first_token = translate("app", "first token {time} s").format(time=f"{stats.ttft_s:.2f}")
    length = tokens_text(stats.num_completion_tokens) if stats.num_completion_tokens else ""
    cached = ""
    if stats.num_cached_tokens:
        cached = translate("app", "{number} cached").format(number=stats.num_cached_tokens)
    return Figures(rate, first_token, length, cached, end)


def details_text(message: Message) -> str:
    """A line each for what is asked for more rarely: guesses, seed, and where the time went."""
    stats = message.stats
    lines = []
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
        case "edited":
            return translate("app", "edited")
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
