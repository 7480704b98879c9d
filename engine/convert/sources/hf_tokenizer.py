"""From the texts beside safetensors to tokenizer.json, the chat template and the tokens that begin and end.

tokenizer.json is taken as it is. Without one, the tokenizer is made of tokenizer.model (SentencePiece's BPE) or of
vocab.json and merges.txt. Knows nothing of weights.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gguf.constants import TokenType
from tokenizers import Tokenizer

from engine.convert.sources.byte_level_bpe import build_byte_level
from engine.convert.sources.marked_tokens import mark_tokens
from engine.convert.sources.sentencepiece_bpe import build_sentencepiece
from engine.convert.sources.sentencepiece_model import read_sentencepieces
from engine.convert.sources.text_files import read_json, read_optional_json, read_text
from engine.convert.sources.tokenizer_files import END_TOKENS, TokenizerFiles
from engine.errors import SourceError
from engine.store.manifest import Generation

TOKENIZER_FILE = "tokenizer.json"
SENTENCEPIECE_FILE = "tokenizer.model"
CONFIG_FILE = "tokenizer_config.json"
GENERATION_FILE = "generation_config.json"
TEXT_FILES = (
    TOKENIZER_FILE, SENTENCEPIECE_FILE, "vocab.json", "merges.txt", CONFIG_FILE, "special_tokens_map.json",
    "added_tokens.json", "chat_template.jinja", "chat_template.json", GENERATION_FILE,
)  # fmt: skip
"""What the tokenizer and its texts are read from, as far as it is there."""

# How the tokenizers that come as vocab.json and merges.txt split a text, by GGUF's names for that.
_SPLITTERS = {"GPT2Tokenizer": "gpt-2", "Qwen2Tokenizer": "qwen2", "CodeGenTokenizer": "gpt-2"}


def read_tokenizer(folder: Path, config: Mapping[str, Any], vocab_size: int) -> TokenizerFiles:
    """`config` is config.json. Raises `SourceError` for what is missing, damaged or of an unsupported kind."""
    settings = read_optional_json(folder / CONFIG_FILE)
    tokenizer, adds_bos = _read(folder, settings)
    tokenizer = _without_unknown(tokenizer, vocab_size)
    if (size := _highest_id(tokenizer) + 1) > vocab_size:
        raise SourceError(f"{folder} has a tokenizer of {size} tokens and weights for {vocab_size}: get both again")
    tokenizer.no_padding()
    tokenizer.no_truncation()
    generation = _generation(folder, config, settings, tokenizer, vocab_size, adds_bos)
    return TokenizerFiles(tokenizer.to_str(), _chat_template(folder, settings), generation)


def _read(folder: Path, settings: Mapping[str, Any]) -> tuple[Tokenizer, bool]:
    """The tokenizer, and whether it puts a beginning token in front where its settings do not say."""
    if (folder / TOKENIZER_FILE).exists():
        return _parse(folder / TOKENIZER_FILE), False
    if (folder / SENTENCEPIECE_FILE).exists():
        return _from_sentencepiece(folder, settings), True
    if (folder / "vocab.json").exists() and (folder / "merges.txt").exists():
        return _from_vocabulary(folder, settings), False
    raise SourceError(
        f"{folder} has no tokenizer: get tokenizer.json, or tokenizer.model, or vocab.json with merges.txt"
    )


def _parse(path: Path) -> Tokenizer:
    text = read_text(path)
    try:
        return Tokenizer.from_str(text)
    except Exception as error:  # the library raises bare Exception for every kind of bad text
        raise SourceError(f"{path} is no tokenizer ({str(error)[:100]}): get the file again") from error


def _without_unknown(tokenizer: Tokenizer, vocab_size: int) -> Tokenizer:
    """Without the added tokens that the weights have no row for; who types one has typed its letters.

    The text models of a family come with the tokenizer of those that see images (Gemma 3), and with marks that were
    never trained (Code Llama).
    """
    added = {token_id: token.content for token_id, token in tokenizer.get_added_tokens_decoder().items()}
    unknown = {content for token_id, content in added.items() if token_id >= vocab_size}
    if not unknown:
        return tokenizer
    description = json.loads(tokenizer.to_str())
    description["added_tokens"] = [each for each in description["added_tokens"] if each["content"] not in unknown]
    words = description["model"].get("vocab")
    if isinstance(words, dict):
        description["model"]["vocab"] = {word: number for word, number in words.items() if word not in unknown}
    return Tokenizer.from_str(json.dumps(description))


def _from_sentencepiece(folder: Path, settings: Mapping[str, Any]) -> Tokenizer:
    pieces = read_sentencepieces(folder / SENTENCEPIECE_FILE)
    tokens, kinds = list(pieces.tokens), list(pieces.kinds)
    tokenizer = build_sentencepiece(tokens, pieces.scores, kinds, pieces.has_space_prefix)
    _add_more(folder, settings, tokens, kinds)
    mark_tokens(tokenizer, tokens, kinds)
    return tokenizer


def _from_vocabulary(folder: Path, settings: Mapping[str, Any]) -> Tokenizer:
    kind = str(settings.get("tokenizer_class", "")).removesuffix("Fast")
    if kind not in _SPLITTERS:
        known = ", ".join(_SPLITTERS)
        raise SourceError(
            f"{folder} has vocab.json and merges.txt for {kind[:40]!r}, supported are {known}: get tokenizer.json too"
        )
    vocabulary = read_json(folder / "vocab.json")
    ids = list(vocabulary.values())
    if any(type(token_id) is not int for token_id in ids) or sorted(ids) != list(range(len(ids))):
        raise SourceError(f"{folder / 'vocab.json'} does not number its tokens from 0 on: get the file again")
    tokens = sorted(vocabulary, key=vocabulary.__getitem__)
    lines = read_text(folder / "merges.txt").splitlines()
    merges = [line for line in lines if line and not line.startswith("#version")]
    kinds = [int(TokenType.NORMAL)] * len(tokens)
    tokenizer = build_byte_level(folder / "merges.txt", tokens, merges, _SPLITTERS[kind])
    _add_more(folder, settings, tokens, kinds)
    mark_tokens(tokenizer, tokens, kinds)
    return tokenizer


def _add_more(folder: Path, settings: Mapping[str, Any], tokens: list[str], kinds: list[int]) -> None:
    """Append the tokens that were added to the vocabulary, and mark those of it that are special."""
    described = settings.get("added_tokens_decoder")
    entries: dict[int, tuple[str, bool]] = {}
    for token, token_id in read_optional_json(folder / "added_tokens.json").items():
        if type(token_id) is int:
            entries[token_id] = (token, True)
    for key, value in described.items() if isinstance(described, Mapping) else ():
        if isinstance(value, Mapping) and isinstance(value.get("content"), str) and key.isdecimal() and len(key) < 10:
            entries[int(key)] = (value["content"], value.get("special") is True)
    for token_id, (token, is_special) in sorted(entries.items()):
        kind = int(TokenType.CONTROL if is_special else TokenType.USER_DEFINED)
        if token_id < len(tokens) and tokens[token_id] == token:
            kinds[token_id] = kind
        elif token_id == len(tokens):
            tokens.append(token)
            kinds.append(kind)
        else:
            raise SourceError(f"{folder}: the added token {token[:40]!r} has the number {token_id}, which is not free")


def _highest_id(tokenizer: Tokenizer) -> int:
    return max(tokenizer.get_vocab(with_added_tokens=True).values(), default=-1)


def _chat_template(folder: Path, settings: Mapping[str, Any]) -> str | None:
    if (folder / "chat_template.jinja").exists():
        return read_text(folder / "chat_template.jinja")
    template = read_optional_json(folder / "chat_template.json").get("chat_template", settings.get("chat_template"))
    if isinstance(template, list):
        # Several for several uses; "default" is the one for chats.
        named = {entry.get("name"): entry.get("template") for entry in template if isinstance(entry, Mapping)}
        template = named.get("default", next(iter(named.values()), None))
    return template if isinstance(template, str) else None


def _generation(
    folder: Path,
    config: Mapping[str, Any],
    settings: Mapping[str, Any],
    tokenizer: Tokenizer,
    vocab_size: int,
    adds_bos: bool,
) -> Generation:
    """End tokens are the union of what all files say, and of control tokens that end a turn or a document."""
    stated = read_optional_json(folder / GENERATION_FILE)
    special = {
        token.content: token_id for token_id, token in tokenizer.get_added_tokens_decoder().items() if token.special
    }
    ends = {special[token] for token in END_TOKENS if token in special}
    ends |= {*_ids(config.get("eos_token_id")), *_ids(stated.get("eos_token_id"))}
    if (end := _token_id(tokenizer, settings.get("eos_token"))) is not None:
        ends.add(end)
    bos = _token_id(tokenizer, settings.get("bos_token"))
    if bos is None and "bos_token" not in settings:
        bos = next(iter((*_ids(stated.get("bos_token_id")), *_ids(config.get("bos_token_id")))), None)
    for token_id in ends | ({bos} - {None}):
        if token_id is not None and not 0 <= token_id < vocab_size:
            raise SourceError(
                f"{folder}: the token {token_id} is outside the {vocab_size} tokens: get config.json again"
            )
    if bos is not None:
        wanted = settings.get("add_bos_token")
        adds_bos = wanted if isinstance(wanted, bool) else adds_bos or _first_ids(folder, tokenizer) == [bos]
    return Generation(tuple(sorted(ends)), bos, adds_bos and bos is not None)


def _first_ids(folder: Path, tokenizer: Tokenizer) -> list[int]:
    """What the tokenizer itself begins a text with."""
    try:
        return list(tokenizer.encode("a").ids[:1])
    except Exception as error:  # the library raises bare Exception for a vocabulary that lacks what it names
        path = folder / TOKENIZER_FILE
        raise SourceError(f"{path} is no tokenizer ({str(error)[:100]}): get the file again") from error


def _ids(value: Any) -> tuple[int, ...]:
    values = value if isinstance(value, list) else [value]
    return tuple(item for item in values if type(item) is int)


def _token_id(tokenizer: Tokenizer, token: Any) -> int | None:
    """The number of a token that is given by its spelling, or as a table with its spelling."""
    content = token.get("content") if isinstance(token, Mapping) else token
    return tokenizer.token_to_id(content) if isinstance(content, str) else None
