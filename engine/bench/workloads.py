"""What the benchmark has a side do, and what it reads from the answers' times. Knows nothing of how sides work.

Prompts are seeded token ids: every side gets the same, every round others, so that nothing is cached from before.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.bench.protocol import Answer, Ask, Task

_DECODE_PROMPT, _DECODE_TOKENS = 64, 32
_SHARED_PREFIX, _QUESTION = 1000, 24
_MIXED_RUNNING, _MIXED_TOKENS, _MIXED_UNDISTURBED, _MIXED_PROMPT = 4, 96, 16, 2000
_SERIAL_REQUESTS, _SERIAL_PROMPT, _SERIAL_TOKENS = 4, 64, 24
_SWEEP_REQUESTS, _SWEEP_PROMPT, _SWEEP_TOKENS = 8, 32, 16


@dataclass(frozen=True, slots=True)
class Metric:
    """A figure of a workload; `better` says which way."""

    name: str
    unit: str
    better: Literal["more", "less", ""] = ""


Figures = Mapping[Metric, float]

TOKENS_PER_S = Metric("tokens/s", "1/s", "more")
COLD_TTFT, WARM_TTFT = Metric("first token, cold", "ms", "less"), Metric("first token, warm", "ms", "less")
COLD_COMPUTED, WARM_COMPUTED = Metric("prompt tokens computed, cold", ""), Metric("prompt tokens computed, warm", "")
UNDISTURBED_GAP, WORST_GAP = Metric("gap, undisturbed", "ms", "less"), Metric("gap, worst", "ms", "less")
GAP_RATIO = Metric("worst / undisturbed", "x", "less")
ARRIVING_TTFT = Metric("first token of the long prompt", "ms", "less")
SERIAL_TIME, CONCURRENT_TIME = Metric("one after the other", "s", "less"), Metric("together", "s", "less")
SPEEDUP = Metric("one after the other / together", "x", "more")
SAME_TOKENS = Metric("same tokens both ways", "%")
ACCEPTED = Metric("guesses accepted", "%", "more")
TOKENS_PER_STEP = Metric("tokens per step", "", "more")


@dataclass(frozen=True, slots=True)
class Case:
    """One line of a workload: tasks that are run one after the other, and the figures their answers give.

    `make_tasks` gets the round's own random numbers.
    """

    label: str
    make_tasks: Callable[[random.Random], tuple[Task, ...]]
    measure: Callable[[Sequence[Sequence[Answer]], Sequence[Task]], Figures]

    @property
    def num_tokens(self) -> int:
        """The most tokens that its tasks keep at once; the longest of its asks is not longer."""
        tasks = self.make_tasks(random.Random(0))
        return max(sum(len(ask.prompt_ids) + ask.max_tokens for ask in task.asks) for task in tasks)

    @property
    def num_context_tokens(self) -> int:
        """The longest prompt with its answer."""
        tasks = self.make_tasks(random.Random(0))
        return max(len(ask.prompt_ids) + ask.max_tokens for task in tasks for ask in task.asks)


class PromptMaker:
    """Random prompts of a vocabulary, the lowest ids apart, among which special tokens often are."""

    def __init__(self, vocab_size: int) -> None:
        self._first = min(1000, vocab_size // 4)
        self._vocab_size = vocab_size

    def ids(self, numbers: random.Random, num_tokens: int) -> tuple[int, ...]:
        return tuple(numbers.randrange(self._first, self._vocab_size) for _ in range(num_tokens))


def decode_cases(prompts: PromptMaker, counts: Sequence[int] = (1, 4, 8, 16)) -> list[Case]:
    """Tokens per second of so many sequences together, once all of them decode."""

    def case(count: int) -> Case:
        # Long enough that the first still decodes when the last begins.
        num_tokens = _DECODE_TOKENS + 8 * count

        def tasks(numbers: random.Random) -> tuple[Task, ...]:
            return (Task(tuple(Ask(prompts.ids(numbers, _DECODE_PROMPT), num_tokens) for _ in range(count))),)

        label = f"{count} sequence{'' if count == 1 else 's'}"
        return Case(label, tasks, lambda answers, _: {TOKENS_PER_S: decode_rate(answers[0])})

    return [case(count) for count in counts]


def decode_rate(answers: Sequence[Answer]) -> float:
    """Tokens per second of all together, from when each has its first to when one has its last.

    Of a side that does not let them decode together: from the first token of all to the last.
    """
    start_s = max(answer.token_s[0] for answer in answers)
    end_s = min(answer.token_s[-1] for answer in answers)
    if end_s <= start_s:
        start_s = min(answer.token_s[0] for answer in answers)
        end_s = max(answer.token_s[-1] for answer in answers)
    num_tokens = sum(start_s < time_s <= end_s for answer in answers for time_s in answer.token_s)
    return num_tokens / (end_s - start_s)


def prefill_cases(prompts: PromptMaker, lengths: Sequence[int] = (128, 512, 2048)) -> list[Case]:
    """Prompt tokens per second, up to the first token of the answer."""

    def case(length: int) -> Case:
        def tasks(numbers: random.Random) -> tuple[Task, ...]:
            return (Task((Ask(prompts.ids(numbers, length), 1),)),)

        return Case(f"{length} tokens", tasks, lambda answers, _: {TOKENS_PER_S: length / ttft_s(answers[0][0])})

    return [case(length) for length in lengths]


def ttft_s(answer: Answer) -> float:
    return answer.token_s[0] - answer.arrival_s


def prefix_cases(prompts: PromptMaker) -> list[Case]:
    """Two questions with the same long beginning, the second after the first has been answered."""

    def tasks(numbers: random.Random) -> tuple[Task, ...]:
        shared = prompts.ids(numbers, _SHARED_PREFIX)
        cold, warm = (shared + prompts.ids(numbers, _QUESTION) for _ in range(2))
        return (Task((Ask(cold, 2), Ask(warm, 2, (0, 2))), reuses_prefixes=True),)

    def measure(answers: Sequence[Sequence[Answer]], _: Sequence[Task]) -> Figures:
        cold, warm = answers[0]
        figures = {COLD_TTFT: 1e3 * ttft_s(cold), WARM_TTFT: 1e3 * ttft_s(warm)}
        for metric, answer in ((COLD_COMPUTED, cold), (WARM_COMPUTED, warm)):
            if answer.num_cached_tokens is not None:
                figures[metric] = _SHARED_PREFIX + _QUESTION - answer.num_cached_tokens
        return figures

    return [Case(f"{_SHARED_PREFIX} tokens shared, {_QUESTION} of its own", tasks, measure)]


def mixed_cases(prompts: PromptMaker) -> list[Case]:
    """A long prompt arrives while some sequences decode: how long their tokens have to wait."""

    def tasks(numbers: random.Random) -> tuple[Task, ...]:
        running = tuple(Ask(prompts.ids(numbers, _DECODE_PROMPT), _MIXED_TOKENS) for _ in range(_MIXED_RUNNING))
        return (Task((*running, Ask(prompts.ids(numbers, _MIXED_PROMPT), 1, (0, _MIXED_UNDISTURBED)))),)

    def measure(answers: Sequence[Sequence[Answer]], _: Sequence[Task]) -> Figures:
        *running, arriving = answers[0]
        start_s = max(answer.token_s[0] for answer in running)
        undisturbed = statistics.median(gaps_s(running, start_s, arriving.arrival_s))
        # A side that had answered them all before has disturbed none.
        worst = max(gaps_s(running, arriving.arrival_s, arriving.token_s[0]), default=undisturbed)
        return {
            UNDISTURBED_GAP: 1e3 * undisturbed,
            WORST_GAP: 1e3 * worst,
            GAP_RATIO: worst / undisturbed,
            ARRIVING_TTFT: 1e3 * ttft_s(arriving),
        }

    return [Case(f"{_MIXED_RUNNING} decode, a prompt of {_MIXED_PROMPT} tokens arrives", tasks, measure)]


def gaps_s(answers: Sequence[Answer], start_s: float, end_s: float) -> list[float]:
    """Between the tokens of each answer: the gaps that begin after `start_s` or reach over it, and begin by `end_s`."""
    return [
        later - earlier
        for answer in answers
        for earlier, later in zip(answer.token_s, answer.token_s[1:], strict=False)
        if later > start_s and earlier < end_s
    ]


def serial_cases(prompts: PromptMaker) -> list[Case]:
    """The same requests one after the other and all together. The tokens should not depend on it."""

    def tasks(numbers: random.Random) -> tuple[Task, ...]:
        together = [Ask(prompts.ids(numbers, _SERIAL_PROMPT), _SERIAL_TOKENS) for _ in range(_SERIAL_REQUESTS)]
        serial = [
            Ask(ask.prompt_ids, ask.max_tokens, (index - 1, _SERIAL_TOKENS) if index else None)
            for index, ask in enumerate(together)
        ]
        return Task(tuple(serial)), Task(tuple(together))

    def measure(answers: Sequence[Sequence[Answer]], _: Sequence[Task]) -> Figures:
        serial_s, together_s = (max(answer.token_s[-1] for answer in part) for part in answers)
        pairs = [
            (a, b)
            for one, other in zip(*answers, strict=True)
            for a, b in zip(one.token_ids, other.token_ids, strict=True)
        ]
        return {
            SERIAL_TIME: serial_s,
            CONCURRENT_TIME: together_s,
            SPEEDUP: serial_s / together_s,
            SAME_TOKENS: 100 * sum(a == b for a, b in pairs) / len(pairs),
        }

    return [Case(f"{_SERIAL_REQUESTS} requests of {_SERIAL_PROMPT} + {_SERIAL_TOKENS} tokens", tasks, measure)]


def speculation_cases(texts: Mapping[str, tuple[int, ...]], max_tokens: int = 96) -> list[Case]:
    """Continue texts, given as token ids by their names."""

    def case(name: str, prompt_ids: tuple[int, ...]) -> Case:
        def measure(answers: Sequence[Sequence[Answer]], _: Sequence[Task]) -> Figures:
            ((answer,),) = answers
            num_steps = len(set(answer.token_s))
            figures = {TOKENS_PER_S: decode_rate([answer]), TOKENS_PER_STEP: len(answer.token_ids) / num_steps}
            if answer.num_drafted_tokens:
                figures[ACCEPTED] = 100 * answer.num_accepted_tokens / answer.num_drafted_tokens
            return figures

        return Case(name, lambda _: (Task((Ask(prompt_ids, max_tokens),)),), measure)

    return [case(name, prompt_ids) for name, prompt_ids in texts.items()]


def sweep_cases(prompts: PromptMaker) -> list[Case]:
    """Some short requests at once, for engines that are set up differently."""

    def tasks(numbers: random.Random) -> tuple[Task, ...]:
        return (Task(tuple(Ask(prompts.ids(numbers, _SWEEP_PROMPT), _SWEEP_TOKENS) for _ in range(_SWEEP_REQUESTS))),)

    def measure(answers: Sequence[Sequence[Answer]], _: Sequence[Task]) -> Figures:
        return {TOKENS_PER_S: _SWEEP_REQUESTS * _SWEEP_TOKENS / max(answer.token_s[-1] for answer in answers[0])}

    return [Case(f"{_SWEEP_REQUESTS} requests of {_SWEEP_PROMPT} + {_SWEEP_TOKENS} tokens", tasks, measure)]
