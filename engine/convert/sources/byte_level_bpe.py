"""GPT-2's byte-level BPE with the pre-tokenizer that each family splits text by. Knows nothing of files."""

from __future__ import annotations

from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

from engine.convert.sources.pre_tokenizers import PRE_TOKENIZERS
from engine.errors import SourceError


def build_byte_level(path: Path, tokens: list[str], merges: list[str], pre: str) -> Tokenizer:
    """A tokenizer without added tokens. `merges` are pairs with a space between, most frequent first.

    Raises `SourceError` for an unknown `pre`, or merges of tokens that the vocabulary lacks.
    """
    if pre not in PRE_TOKENIZERS:
        known = ", ".join(sorted(PRE_TOKENIZERS))
        raise SourceError(f"{path} splits text in the unknown way {pre!r}, supported are {known}")
    splitter = PRE_TOKENIZERS[pre]
    vocabulary = {token: index for index, token in reversed(list(enumerate(tokens)))}
    pairs = [_split(merge) for merge in merges]
    for left, right in pairs:
        if any(token not in vocabulary for token in (left, right, left + right)):
            raise SourceError(
                f"{path}: the merge of {left!r} and {right!r} is not in the vocabulary: get the file again"
            )
    model = models.BPE(vocabulary, pairs, fuse_unk=False, ignore_merges=splitter.takes_whole_words)
    tokenizer = Tokenizer(model)
    if splitter.composes:
        tokenizer.normalizer = normalizers.NFC()
    splits = [pre_tokenizers.Split(Regex(expression), "isolated") for expression in splitter.expressions]
    as_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([*splits, as_bytes])
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def _split(merge: str) -> tuple[str, str]:
    left, _, right = merge.partition(" ")
    return left, right
