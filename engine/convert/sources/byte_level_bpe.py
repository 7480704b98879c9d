"""GPT-2's byte-level BPE with the pre-tokenizer that each family splits text by. Knows nothing of files.

The expressions are those of llama.cpp's llama-vocab.cpp, which are the Hugging Face tokenizers' own.
"""

from __future__ import annotations

from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers
from tokenizers.pre_tokenizers import PreTokenizer

from engine.errors import SourceError

_CONTRACTIONS = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
_WORDS_AND_SPACES = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_LLAMA3 = _CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}" + _WORDS_AND_SPACES
_QWEN2 = _CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}" + _WORDS_AND_SPACES
_TEKKEN = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
    r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_DEFAULT = (
    r"[\p{P}\$\+<=>\^~\|]+",
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)",
    r"\p{N}+",
    r"[0-9][0-9][0-9]",
)

# Names of `tokenizer.ggml.pre`, by what they split like.
_GPT2_PRE = ("gpt-2", "phi-2", "roberta-bpe", "gigachat", "jina-es", "jina-de")
_DIGITS_PRE = ("smollm", "starcoder", "refact", "codeshell", "exaone", "command-r")
_LLAMA3_PRE = ("llama-bpe", "llama3", "llama-v3", "falcon3")
_QWEN2_PRE = ("qwen2", "deepseek-r1-qwen", "stablelm2")
_TEKKEN_PRE = ("tekken",)
# Those that put the beginning token in front unless the file says otherwise, and take whole words before merging.
ADDS_BOS_PRE = (*_LLAMA3_PRE, *_TEKKEN_PRE)


def build_byte_level(path: Path, tokens: list[str], merges: list[str], pre: str) -> Tokenizer:
    """A tokenizer without added tokens. `merges` are pairs with a space between, most frequent first.

    Raises `SourceError` for an unknown `pre`, or merges of tokens that the vocabulary lacks.
    """
    vocabulary = {token: index for index, token in reversed(list(enumerate(tokens)))}
    pairs = [_split(merge) for merge in merges]
    for left, right in pairs:
        if any(token not in vocabulary for token in (left, right, left + right)):
            raise SourceError(
                f"{path}: the merge of {left!r} and {right!r} is not in the vocabulary: get the file again"
            )
    model = models.BPE(vocabulary, pairs, fuse_unk=False, ignore_merges=pre in ADDS_BOS_PRE)
    tokenizer = Tokenizer(model)
    if pre in _QWEN2_PRE:
        tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = _pre_tokenizer(path, pre)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def _split(merge: str) -> tuple[str, str]:
    left, _, right = merge.partition(" ")
    return left, right


def _pre_tokenizer(path: Path, pre: str) -> PreTokenizer:
    words = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    if pre in _GPT2_PRE:
        return words
    if pre in _DIGITS_PRE:
        return pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), words])
    expressions = {
        **dict.fromkeys(_LLAMA3_PRE, (_LLAMA3,)),
        **dict.fromkeys(_QWEN2_PRE, (_QWEN2,)),
        **dict.fromkeys(_TEKKEN_PRE, (_TEKKEN,)),
        "default": _DEFAULT,
    }
    if pre not in expressions:
        known = ", ".join((*_GPT2_PRE, *_DIGITS_PRE, *expressions))
        raise SourceError(f"{path} splits text in the unknown way {pre!r}, supported are {known}")
    splits = [pre_tokenizers.Split(Regex(expression), "isolated") for expression in expressions[pre]]
    return pre_tokenizers.Sequence([*splits, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
