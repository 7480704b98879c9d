"""SentencePiece's BPE with byte fallback, as the `tokenizers` library says it. Knows nothing of files.

SentencePiece merges the neighbours whose union scores highest; that is BPE with the unions ranked by score.
"""

from __future__ import annotations

from gguf.constants import TokenType
from tokenizers import Tokenizer, decoders, models, normalizers

SPACE = "▁"


def build_sentencepiece(tokens: list[str], scores: list[float], kinds: list[int], has_space_prefix: bool) -> Tokenizer:
    """A tokenizer without added tokens. `scores` rank the tokens, higher is merged earlier."""
    vocabulary = {token: index for index, token in reversed(list(enumerate(tokens)))}
    unknown = next((token for token, kind in zip(tokens, kinds, strict=True) if kind == TokenType.UNKNOWN), None)
    mergeable = {
        token: score
        for token, score, kind in zip(tokens, scores, kinds, strict=True)
        if kind in (TokenType.NORMAL, TokenType.USER_DEFINED)
    }
    model = models.BPE(vocabulary, _merges(mergeable), unk_token=unknown, fuse_unk=True, byte_fallback=True)
    tokenizer = Tokenizer(model)
    spaces = normalizers.Replace(" ", SPACE)
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend(SPACE), spaces]) if has_space_prefix else spaces
    parts = [decoders.Replace(SPACE, " "), decoders.ByteFallback(), decoders.Fuse()]
    tokenizer.decoder = decoders.Sequence([*parts, *([decoders.Strip(" ", 1, 0)] if has_space_prefix else [])])
    return tokenizer


def _merges(scores: dict[str, float]) -> list[tuple[str, str]]:
    """Every way to make a token of two others, the best token first."""
    merges = []
    for token, score in scores.items():
        for cut in range(1, len(token)):
            left, right = token[:cut], token[cut:]
            if left in scores and right in scores:
                merges.append((score, left, right))
    merges.sort(key=lambda merge: -merge[0])
    return [(left, right) for _, left, right in merges]
