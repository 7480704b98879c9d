"""Tokens that are found in a text as they stand: control tokens and those that a model's makers added.

Knows nothing of how the rest of a text is split.
"""

from __future__ import annotations

from collections.abc import Sequence

from gguf.constants import TokenType
from tokenizers import AddedToken, Tokenizer

CONTROL_KINDS = (TokenType.CONTROL, TokenType.UNKNOWN)


def mark_tokens(tokenizer: Tokenizer, tokens: Sequence[str], kinds: Sequence[int]) -> None:
    """Let `tokenizer` find the tokens of its vocabulary that are marked by their kinds, numbered as GGUF's types.

    Control tokens are left out of answers, user-defined ones are not.
    """
    marked = [
        (token, kind in CONTROL_KINDS)
        for token, kind in zip(tokens, kinds, strict=True)
        if token and (kind in CONTROL_KINDS or kind == TokenType.USER_DEFINED)
    ]
    for is_special, add in ((True, tokenizer.add_special_tokens), (False, tokenizer.add_tokens)):
        add(
            [AddedToken(token, normalized=False, special=special) for token, special in marked if special == is_special]
        )
