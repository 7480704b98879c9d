"""From a GGUF file's vocabulary to tokenizer.json, the chat template and the tokens that begin and end.

Which algorithm builds the tokenizer is decided here; the algorithms have their own modules. tokenizer.json adds no
tokens of its own: whoever encodes a raw prompt puts the beginning token in front where `adds_bos` says so.
"""

from __future__ import annotations

from gguf.constants import TokenType
from tokenizers import Tokenizer

from engine.convert.sources.byte_level_bpe import build_byte_level
from engine.convert.sources.marked_tokens import mark_tokens
from engine.convert.sources.pre_tokenizers import PRE_TOKENIZERS
from engine.convert.sources.sentencepiece_bpe import build_sentencepiece
from engine.convert.sources.tokenizer_files import END_TOKENS, TokenizerFiles
from engine.errors import SourceError
from engine.models.metadata import Metadata
from engine.store.manifest import Generation

_PREFIX = "tokenizer.ggml."


def read_tokenizer(metadata: Metadata) -> TokenizerFiles:
    """Raises `SourceError` for a vocabulary that is damaged or of an unsupported kind."""
    tokens, kinds = metadata.texts(f"{_PREFIX}tokens"), _token_types(metadata)
    if len(kinds) != len(tokens):
        raise SourceError(f"{metadata.path} has {len(tokens)} tokens and {len(kinds)} token types: get the file again")
    tokenizer, adds_bos = _build(metadata, tokens, kinds)
    mark_tokens(tokenizer, tokens, kinds)
    if tokenizer.get_vocab_size() > len(tokens):
        raise SourceError(f"{metadata.path}: the vocabulary of {len(tokens)} tokens is damaged: get the file again")
    return TokenizerFiles(
        tokenizer.to_str(),
        metadata.optional_text("tokenizer.chat_template"),
        _generation(metadata, tokens, kinds, adds_bos),
    )


def _token_types(metadata: Metadata) -> list[int]:
    key = f"{_PREFIX}token_type"
    return metadata.integers(key) if metadata.has(key) else [TokenType.NORMAL] * len(metadata.texts(f"{_PREFIX}tokens"))


def _build(metadata: Metadata, tokens: list[str], kinds: list[int]) -> tuple[Tokenizer, bool]:
    """The tokenizer without its added tokens, and whether it puts a beginning token in front by default."""
    model = metadata.text(f"{_PREFIX}model")
    if model == "gpt2":
        pre = metadata.text(f"{_PREFIX}pre", "default")
        tokenizer = build_byte_level(metadata.path, tokens, metadata.texts(f"{_PREFIX}merges"), pre)
        return tokenizer, PRE_TOKENIZERS[pre].adds_bos
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
        if kind == TokenType.CONTROL and token in END_TOKENS
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
