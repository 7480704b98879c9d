"""The chats in the pictures of the window: written for them, so that each kind of text is in sight.

Does not know the window; the texts are those of the window's language.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.i18n import translate
from app.state.message import AnswerStats, Message
from app.state.session import Session

_CODE = """```python
import re

DATE = re.compile(r"(\\d{4})-(\\d{2})-(\\d{2})")

for year, month, day in DATE.findall("2026-11-30 to 2026-12-04"):
    print(f"{day}.{month}.{year}")
```
"""
_FORMULA = "$$x = \\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}$$\n"


@dataclass(frozen=True)
class Sample:
    """A chat with one answer; `next_question` is what the picture of the streams asks."""

    title: str
    question: str
    answer: str
    num_prompt_tokens: int
    num_tokens: int
    next_question: str = ""
    reasoning: str = ""


_ENGLISH = {
    "code": Sample(
        "Regex help",
        "Explain regular expressions with an example and a table.",
        f"""A **regular expression** describes a set of texts. This one finds dates:

{_CODE}
| Part | Means |
|---|---|
| `\\d{{4}}` | four digits |
| `( … )` | a group that is kept |
| `-` | itself |

It runs in time that grows with the text, \\(O(n)\\) for simple ones.
""",
        47,
        171,
        "Write a Python program that counts the words of a file, and explain each part of it.",
    ),
    "formula": Sample(
        "Quadratic equations",
        "How do I solve a quadratic equation?",
        f"""The roots of \\(ax^2 + bx + c = 0\\) are

{_FORMULA}
If \\(b^2 < 4ac\\) there is no real root. A coffee costs $5, which is no formula.
""",
        44,
        83,
        "Explain how this formula is found, step by step, with every formula.",
    ),
    "plan": Sample(
        "Trip plan",
        "Plan a day on the island by ferry.",
        """Take the first ferry at **7:40**; it needs an hour and a half.

1. Walk along the harbour to the lighthouse.
2. Have lunch at the bay, and swim if it is warm.
3. Be back at the pier by 17:15, as the last ferry leaves at 17:30.
""",
        45,
        74,
        "What should I take along? Name eight things, with a reason for each.",
    ),
    "thinking": Sample(
        "When do I arrive?",
        "My train leaves at 14:10 and takes 95 minutes, then I need 20 minutes by bus. When do I arrive?",
        "You arrive at **16:05**, if the bus leaves at once.",
        64,
        97,
        reasoning="The train leaves at 14:10 and takes 95 minutes. 14:10 plus 60 minutes is 15:10, and 35 minutes more "
        "make 15:45. The bus needs 20 minutes from the station, so 16:05.",
    ),
    "failed": Sample("A letter", "Write a letter to my aunt.", "", 0, 0),
}
_CHINESE = {
    "code": Sample(
        "正则表达式",
        "用一个例子和一张表讲解正则表达式。",
        f"""**正则表达式**描述一组文本。下面这个用来查找日期：

{_CODE}
| 部分 | 含义 |
|---|---|
| `\\d{{4}}` | 四位数字 |
| `( … )` | 保留下来的分组 |
| `-` | 它本身 |

简单的表达式所用时间随文本增长，为 \\(O(n)\\)。
""",
        45,
        168,
        "写一个统计文件中单词数的 Python 程序，并逐段讲解。",
    ),
    "formula": Sample(
        "一元二次方程",
        "一元二次方程怎么解？",
        f"""\\(ax^2 + bx + c = 0\\) 的根是

{_FORMULA}
如果 \\(b^2 < 4ac\\)，就没有实数根。一杯咖啡 $5，这不是公式。
""",
        40,
        80,
        "这个公式是怎么推导出来的？请一步一步写出所有公式。",
    ),
    "plan": Sample(
        "出行计划",
        "帮我安排一天坐渡轮去岛上的行程。",
        """坐 **7:40** 的第一班渡轮，航程一个半小时。

1. 沿着港口走到灯塔。
2. 在海湾吃午饭，天气暖和就游泳。
3. 17:15 之前回到码头，末班渡轮 17:30 开。
""",
        44,
        76,
        "该带些什么？请列出八样，并各用一句话说明理由。",
    ),
    "thinking": Sample(
        "几点到？",
        "我的火车 14:10 出发，要开 95 分钟，然后坐 20 分钟公交车。我几点到？",
        "如果马上有公交车，**16:05** 到。",
        56,
        88,
        reasoning="火车 14:10 出发，开 95 分钟。14:10 加 60 分钟是 15:10，再加 35 分钟是 15:45。"
        "从车站坐公交车还要 20 分钟，所以是 16:05。",
    ),
    "failed": Sample("一封信", "给我姑姑写一封信。", "", 0, 0),
}


def samples(language: str) -> dict[str, Sample]:
    """By what they show."""
    return _CHINESE if language == "zh_CN" else _ENGLISH


def sample_chats(language: str, model_name: str) -> dict[str, Session]:
    """The chats of `samples` as if this model had answered them."""
    return {
        name: _chat(sample, model_name) if sample.answer else _failed_chat(sample, model_name)
        for name, sample in samples(language).items()
    }


def _failed_chat(sample: Sample, model_name: str) -> Session:
    error = translate("app", "The engine is not running: restart it, then retry")
    return _session(sample, Message("assistant", "", model_name, "failed", error=error))


def _chat(sample: Sample, model_name: str) -> Session:
    rate_tokens_per_s = 61.8
    answer = Message(
        "assistant",
        sample.answer,
        model_name,
        "stop",
        stats=AnswerStats(sample.num_prompt_tokens, 16, sample.num_tokens, 0.14, rate_tokens_per_s),
        reasoning=sample.reasoning,
        reasoning_s=sample.num_tokens / rate_tokens_per_s if sample.reasoning else None,
        seed=7,
    )
    return _session(sample, answer)


def _session(sample: Sample, answer: Message) -> Session:
    messages = [Message("user", sample.question), answer]
    answer.parent_id = messages[0].id
    return Session(title=sample.title, messages=messages)
