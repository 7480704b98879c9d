"""A model's tokenizer as the engine needs it: text to ids, ids to text. Knows nothing of chats and streaming."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tokenizers import Tokenizer as HuggingFaceTokenizer

from engine.errors import CheckpointError, TextError


class Tokenizer:
    """Wraps a tokenizer.json. Never adds special tokens of its own; `bos_token_id` is put before raw prompts only."""

    def __init__(self, path: Path, bos_token_id: int | None, adds_bos: bool) -> None:
        try:
            self._tokenizer = HuggingFaceTokenizer.from_file(str(path))
        except Exception as error:  # the library raises bare Exception for every kind of bad file
            raise CheckpointError(f"{path} is no tokenizer ({error}): convert the model again") from error
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self.bos_token_id = bos_token_id
        self._adds_bos = adds_bos and bos_token_id is not None

    def token(self, token_id: int | None) -> str:
        """A token's own spelling, for chat templates; empty if there is no such token."""
        return "" if token_id is None else self._tokenizer.id_to_token(token_id) or ""

    def knows(self, token: str) -> bool:
        """Whether this spelling is one token of the vocabulary."""
        return self._tokenizer.token_to_id(token) is not None

    def encode(self, text: str) -> list[int]:
        """Ids of a rendered template: special tokens in the text are recognised, none is added."""
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)

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
            raise TextError(f"The model's tokenizer failed ({error}): try again, or convert the model again") from error
