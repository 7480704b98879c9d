"""A model's tokenizer as the engine needs it: text to ids, ids to text. Knows nothing of chats and streaming."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from tokenizers import AddedToken
from tokenizers import Tokenizer as HuggingFaceTokenizer

from engine.errors import CheckpointError, TextError
from engine.text.shared_lock import SharedLock

# One text at a time is encoded: on the thread that asks, not on those that the library would start.
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")


class Tokenizer:
    """Wraps a tokenizer.json. Never adds special tokens of its own; `bos_token_id` is put before raw prompts only.

    May be used by several threads.
    """

    def __init__(self, path: Path, bos_token_id: int | None, adds_bos: bool) -> None:
        try:
            self._tokenizer = HuggingFaceTokenizer.from_file(str(path))
        except Exception as error:  # the library raises bare Exception for every kind of bad file
            raise CheckpointError(f"{path} is no tokenizer ({error}): convert the model again") from error
        self._lock = SharedLock()
        """The library refuses to be set up while another thread is in it; several may be in it at once."""
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self.bos_token_id = bos_token_id
        self._adds_bos = adds_bos and bos_token_id is not None
        added = self._tokenizer.get_added_tokens_decoder().values()
        # Of two that begin alike the library takes the longer.
        self._special = sorted((token for token in added if token.special), key=lambda token: -len(token.content))
        self._special_pattern = re.compile("|".join(map(_pattern, self._special)) or r"(?!)")

    @property
    def special_tokens(self) -> list[str]:
        """The spellings that `encode` takes for control tokens, the longest first."""
        return [token.content for token in self._special]

    def token(self, token_id: int | None) -> str:
        """A token's own spelling, for chat templates; empty if there is no such token."""
        return "" if token_id is None else self._tokenizer.id_to_token(token_id) or ""

    def knows(self, token: str) -> bool:
        """Whether this spelling is one token of the vocabulary."""
        return self._tokenizer.token_to_id(token) is not None

    def encode(self, text: str) -> list[int]:
        """Ids of a rendered template: special tokens in the text are recognised, none is added. Raises `TextError`."""
        with self._lock.together():
            return self._encode(text)

    def _encode(self, text: str) -> list[int]:
        try:
            # Of the library's calls this one lets other threads run meanwhile: a long text takes half a second.
            (encoded,) = self._tokenizer.encode_batch_fast([text], add_special_tokens=False)
            return list(encoded.ids)
        except Exception as error:  # the library raises bare Exception for what its vocabulary cannot spell
            raise _failed(error) from error

    def encode_marked(self, text: str, mark: str) -> list[int]:
        """As `encode`, of a text in which `mark` stands inside special tokens that are to be plain text."""
        ids: list[int] = []
        start = 0
        for found in self._special_pattern.finditer(text):
            ids += self._encode_plain(text[start : found.start()].replace(mark, ""))
            assert found.lastindex is not None, found
            token_id = self._tokenizer.token_to_id(self._special[found.lastindex - 1].content)
            assert token_id is not None, found
            ids.append(token_id)
            start = found.end()
        return ids + self._encode_plain(text[start:].replace(mark, ""))

    def _encode_plain(self, text: str) -> list[int]:
        """Ids of a text in which special tokens are spelled, not meant."""
        with self._lock.alone():
            self._tokenizer.encode_special_tokens = True
            try:
                return self._encode(text)
            finally:
                self._tokenizer.encode_special_tokens = False

    def encode_raw(self, text: str) -> list[int]:
        """Ids of a raw prompt, after the begin token where the model wants one."""
        ids = self.encode(text)
        if self._adds_bos and self.bos_token_id is not None and ids[:1] != [self.bos_token_id]:
            return [self.bos_token_id, *ids]
        return ids

    def decode(self, token_ids: Sequence[int]) -> str:
        """Text without special tokens; bytes that form no character become U+FFFD. Raises `TextError`."""
        try:
            return self._tokenizer.decode(list(token_ids), skip_special_tokens=True)
        except Exception as error:  # the library raises bare Exception here too
            raise _failed(error) from error


def _failed(error: Exception) -> TextError:
    return TextError(f"The model's tokenizer failed ({error}): try again, or convert the model again")


def _pattern(token: AddedToken) -> str:
    """The token as a group, with the white space that it takes along."""
    before, after = (r"\s*" if strips else "" for strips in (token.lstrip, token.rstrip))
    return f"{before}({re.escape(token.content)}){after}"
