"""The system prompt that a model's template writes by itself into a chat that has none.

Knows nothing of requests.
"""

from __future__ import annotations

from engine.errors import InvalidRequestError
from engine.messages import ChatMessage
from engine.text.template import ChatTemplate
from engine.text.tokenizer import Tokenizer

_PROBE = "a"
_QUESTION = ChatMessage("user", _PROBE)


def own_system_tokens(template: ChatTemplate, tokenizer: Tokenizer) -> int:
    """How many tokens its text has, without what stands around a system prompt; 0 if the template writes none."""
    try:
        without, with_probe = (
            len(tokenizer.encode(template.render(messages)))
            for messages in ((_QUESTION,), (ChatMessage("system", _PROBE), _QUESTION))
        )
    except InvalidRequestError:
        # It takes no system prompt, or no chat that begins so.
        return 0
    return max(0, without - with_probe + len(tokenizer.encode(_PROBE)))
