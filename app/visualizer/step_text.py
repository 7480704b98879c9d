"""Owns the words for the engine's steps: a moment, the last seconds, and a table of seconds.

Knows neither widgets nor where the numbers come from.
"""

from __future__ import annotations

from app.i18n import translate
from app.visualizer.step_log import SPAN_S, StepLog, StepSums

_MS_PER_S = 1000


def describe_slice(part: StepSums, ago_s: float) -> str:
    """`2.4 s ago · 8 tokens of answers in 2 steps of 31 ms · 4 chats at once · 1 waiting`."""
    parts = [translate("app", "{time} s ago").format(time=f"{ago_s:.1f}")]
    if not part.num_steps:
        return " · ".join([*parts, translate("app", "nothing computed")])
    return " · ".join([*parts, *_parts(part)])


def describe_span(log: StepLog) -> str:
    """The last seconds in a sentence's worth of numbers."""
    total = log.total()
    if not total.num_steps:
        return translate("app", "Nothing was computed in the last {time} s.").format(time=f"{SPAN_S:.0f}")
    words = translate("app", "Last {time} s: {sums}")
    longest = translate("app", "longest {time} ms").format(time=f"{total.max_duration_s * _MS_PER_S:.0f}")
    return words.format(time=f"{SPAN_S:.0f}", sums=" · ".join([*_parts(total), longest]))


def table(log: StepLog) -> str:
    """A line for each second, columns parted by tabs, the oldest first."""
    header = (
        translate("app", "seconds ago"),
        translate("app", "steps"),
        translate("app", "prompt tokens"),
        translate("app", "answer tokens"),
        translate("app", "ms per step"),
        translate("app", "at once"),
        translate("app", "waiting"),
        translate("app", "swapped out"),
        translate("app", "preempted"),
    )
    lines = ["\t".join(header)]
    seconds = log.seconds()
    for index, part in enumerate(seconds):
        numbers = (
            len(seconds) - index,
            part.num_steps,
            part.num_prefill_tokens,
            part.num_decode_tokens,
            round(part.mean_duration_s * _MS_PER_S),
            part.max_sequences,
            part.max_waiting,
            part.num_swapped_out,
            part.num_preempted,
        )
        lines.append("\t".join(str(number) for number in numbers))
    return "\n".join(lines)


def _parts(part: StepSums) -> list[str]:
    found = []
    if part.num_prefill_tokens:
        found.append(translate("app", "%n token(s) of prompts", None, part.num_prefill_tokens))
    if part.num_decode_tokens:
        found.append(translate("app", "%n token(s) of answers", None, part.num_decode_tokens))
    steps = translate("app", "%n step(s) of {time} ms", None, part.num_steps)
    found.append(steps.format(time=f"{part.mean_duration_s * _MS_PER_S:.0f}"))
    found.append(translate("app", "%n chat(s) at once", None, part.max_sequences))
    for words, number in (
        (translate("app", "up to %n waiting", None, part.max_waiting), part.max_waiting),
        (translate("app", "%n swapped out", None, part.num_swapped_out), part.num_swapped_out),
        (translate("app", "%n to be computed again", None, part.num_recomputed), part.num_recomputed),
        (translate("app", "%n let in again", None, part.num_resumed), part.num_resumed),
    ):
        if number:
            found.append(words)
    return found
