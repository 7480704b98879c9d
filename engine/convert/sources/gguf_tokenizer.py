"""From a GGUF file's vocabulary to tokenizer.json, the chat template and the tokens that begin and end.

Which algorithm builds the tokenizer is decided here; the algorithms have their own modules. tokenizer.json adds no
tokens of its own: whoever encodes a raw prompt puts the beginning token in front where `adds_bos` says so.
"""

from __future__ import annotations

from dataclasses import dataclass

from gguf.constants import TokenType
from tokenizers import AddedToken, Tokenizer

from engine.convert.sources.byte_level_bpe import ADDS_BOS_PRE, build_byte_level
from engine.convert.sources.gguf_metadata import Metadata
from engine.convert.sources.sentencepiece_bpe import build_sentencepiece
from engine.errors import SourceError
from engine.store.manifest import Generation

_PREFIX = "tokenizer.ggml."
# Control tokens that end a chat's turn or a document, whatever the file calls its end token.
_END_TOKENS = (
    "<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|endoftext|>", "<|end_of_text|>", "<|end|>", "<end_of_turn>", "</s>",
)  # fmt: skip
_CONTROL = (TokenType.CONTROL, TokenType.UNKNOWN)


@dataclass(frozen=True, slots=True)
class TokenizerFiles:
    """What a checkpoint needs besides weights. `tokenizer_json` is in the format of the `tokenizers` library."""

    tokenizer_json: str
    chat_template: str | None
    generation: Generation


def read_tokenizer(metadata: Metadata) -> TokenizerFiles:
    """Raises `SourceError` for a vocabulary that is damaged or of an unsupported kind."""
    tokens, kinds = metadata.texts(f"{_PREFIX}tokens"), _token_types(metadata)
    if len(kinds) != len(tokens):
        raise SourceError(f"{metadata.path} has {len(tokens)} tokens and {len(kinds)} token types: get the file again")
    tokenizer, adds_bos = _build(metadata, tokens, kinds)
    added = [(token, kind in _CONTROL) for token, kind in zip(tokens, kinds, strict=True) if _is_added(kind) and token]
    for is_special in (True, False):
        group = [
            AddedToken(token, normalized=False, special=special) for token, special in added if special == is_special
        ]
        add = tokenizer.add_special_tokens if is_special else tokenizer.add_tokens
        add(group)
    if tokenizer.get_vocab_size() > len(tokens):
        raise SourceError(f"{metadata.path}: the vocabulary of {len(tokens)} tokens is damaged: get the file again")
    return TokenizerFiles(
        tokenizer.to_str(),
        metadata.optional_text("tokenizer.chat_template"),
        _generation(metadata, tokens, kinds, adds_bos),
    )


def _is_added(kind: int) -> bool:
    return kind in _CONTROL or kind == TokenType.USER_DEFINED


def _token_types(metadata: Metadata) -> list[int]:
    key = f"{_PREFIX}token_type"
    return metadata.integers(key) if metadata.has(key) else [TokenType.NORMAL] * len(metadata.texts(f"{_PREFIX}tokens"))


def _build(metadata: Metadata, tokens: list[str], kinds: list[int]) -> tuple[Tokenizer, bool]:
    """The tokenizer without its added tokens, and whether it puts a beginning token in front by default."""
    model = metadata.text(f"{_PREFIX}model")
    if model == "gpt2":
        pre = metadata.text(f"{_PREFIX}pre", "default")
        return build_byte_level(metadata.path, tokens, metadata.texts(f"{_PREFIX}merges"), pre), pre in ADDS_BOS_PRE
    if model == "llama":
        scores = metadata.numbers(f"{_PREFIX}scores")
        if len(scores) != len(tokens):
            raise SourceError(f"{metadata.path} has {len(tokens)} tokens and {len(scores)} scores: get the file again")
        has_prefix = metadata.flag(f"{_PREFIX}add_space_prefix", True)
        return build_sentencepiece(tokens, scores, kinds, has_prefix), True
    raise SourceError(f"{metadata.path} has a tokenizer of the kind {model!r}, supported are 'gpt2' and 'llama'")


def _generation(metadata: Metadata, tokens: list[str], kinds: list[int], adds_bos: bool) -> Generation:
    ends = {_token_id(metadata, name, len(tokens)) for name in ("eos", "eot", "eom")} - {None}
    ends |= {
        token_id
        for token_id, (token, kind) in enumerate(zip(tokens, kinds, strict=True))
        if kind == TokenType.CONTROL and token in _END_TOKENS
    }
    bos = _token_id(metadata, "bos", len(tokens))
    adds_bos = metadata.flag(f"{_PREFIX}add_bos_token", adds_bos) and bos is not None
    return Generation(tuple(sorted(end for end in ends if end is not None)), bos, adds_bos)


def _token_id(metadata: Metadata, name: str, vocab_size: int) -> int | None:
    token_id = metadata.optional_integer(f"{_PREFIX}{name}_token_id")
    if token_id is not None and not 0 <= token_id < vocab_size:
        raise SourceError(
            f"{metadata.path}: the {name} token {token_id} is outside the {vocab_size} tokens: get the file again"
        )
    return token_id
