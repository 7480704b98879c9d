"""The chats in the pictures of the window: written for them, so that each kind of text is in sight."""

from __future__ import annotations

from app.i18n import translate
from app.state.message import AnswerStats, Message
from app.state.session import Session

_MODEL = "SmolLM2 135M Instruct"
_STATS = AnswerStats(86, 64, 213, 0.14, 61.8)

_REGEX = """A **regular expression** describes a set of texts. Two examples:

```python
import re

# A date such as 2026-11-30
DATE = re.compile(r"(\\d{4})-(\\d{2})-(\\d{2})")

for year, month, day in DATE.findall("2026-11-30 to 2026-12-04"):
    print(f"{day}.{month}.{year}")
```

| Part | Means |
|---|---|
| `\\d{4}` | four digits |
| `( … )` | a group that is kept |
| `-` | itself |

It runs in time that grows with the text, \\(O(n)\\) for simple ones.
"""
_FORMULA = """The roots of \\(ax^2 + bx + c = 0\\) are

$$x = \\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}$$

If \\(b^2 < 4ac\\) there is no real root. A coffee costs $5, which is no formula.
"""
_FERRY = """Take the first ferry at **7:40**; it needs an hour and a half.

1. Walk along the harbour to the lighthouse.
2. Have lunch at the bay, and swim if it is warm.
3. Be back at the pier by 17:15, as the last ferry leaves at 17:30.
"""
_THOUGHT = (
    "The train leaves at 14:10 and takes 95 minutes. 14:10 plus 60 minutes is 15:10, and 35 minutes more make 15:45. "
    "The bus needs 20 minutes from the station, so 16:05."
)


def sample_chats() -> dict[str, Session]:
    """By what they show."""
    return {
        "code": _chat("Regex help", "Explain regular expressions with an example and a table.", _REGEX),
        "formula": _chat("Quadratic equations", "How do I solve a quadratic equation?", _FORMULA),
        "plan": _chat("Trip plan", "Plan a day on the island by ferry.", _FERRY),
        "thinking": _chat("When do I arrive?", "My train leaves at 14:10 …", "You arrive at **16:05**.", _THOUGHT),
        "failed": _failed_chat("A letter", "Write a letter to my aunt."),
    }


def _failed_chat(title: str, question: str) -> Session:
    message = translate("app", "The engine is not running: restart it, then retry")
    messages = [Message("user", question), Message("assistant", "", _MODEL, "failed", error=message)]
    messages[1].parent_id = messages[0].id
    return Session(title=title, messages=messages)


def _chat(title: str, question: str, answer: str, reasoning: str = "") -> Session:
    messages = [
        Message("user", question),
        Message(
            "assistant",
            answer,
            _MODEL,
            "stop",
            stats=_STATS,
            reasoning=reasoning,
            reasoning_s=4.2 if reasoning else None,
            seed=7,
        ),
    ]
    messages[1].parent_id = messages[0].id
    return Session(title=title, messages=messages)
