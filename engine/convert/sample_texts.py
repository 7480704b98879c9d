"""The texts that ship with the program: those to calibrate on, and one that is held back to measure with.

Knows nothing of models but their tokenizer.
"""

from __future__ import annotations

from engine.config import assets_dir
from engine.text.tokenizer import Tokenizer

WINDOW = 512
"""Tokens that are read together, at most."""
_MIN_TOKENS = 2
_MAX_CALIBRATION_TOKENS = 12_288
"""Each costs memory and time; a tokenizer that knows few words would make three times as many of the texts."""


def calibration_windows(tokenizer: Tokenizer, max_context: int, vocab_size: int) -> list[list[int]]:
    """Token ids of the texts in assets/calibration, each file cut into windows of equal length.

    Where they are too many, windows are left out evenly.
    """
    paths = sorted((assets_dir() / "calibration").glob("*.txt"))
    assert paths, f"no text in {assets_dir() / 'calibration'}"
    texts = [path.read_text(encoding="utf-8") for path in paths]
    windows = _windows(texts, tokenizer, max_context, vocab_size)
    share = min(1.0, _MAX_CALIBRATION_TOKENS / max(1, sum(map(len, windows))))
    return [window for i, window in enumerate(windows) if int((i + 1) * share) > int(i * share)]


def held_windows(tokenizer: Tokenizer, max_context: int, vocab_size: int) -> list[list[int]]:
    """The same of assets/held.txt: several languages and code, none of it in the texts to calibrate on."""
    text = (assets_dir() / "held.txt").read_text(encoding="utf-8")
    return _windows(text.split("\n\f\n"), tokenizer, max_context, vocab_size)


def windows_of(text: str, tokenizer: Tokenizer, max_context: int, vocab_size: int) -> list[list[int]]:
    """The same of any text."""
    return _windows([text], tokenizer, max_context, vocab_size)


def _windows(texts: list[str], tokenizer: Tokenizer, max_context: int, vocab_size: int) -> list[list[int]]:
    longest = min(WINDOW, max_context)
    windows = []
    for text in texts:
        # A vocabulary may have more tokens than the embedding has rows; no text has them, unless the file is damaged.
        ids = [token for token in tokenizer.encode_raw(text) if token < vocab_size]
        num_windows = max(1, -(-len(ids) // longest))
        length = -(-len(ids) // num_windows)
        windows += [ids[start : start + length] for start in range(0, len(ids), max(length, 1))]
    return [window for window in windows if len(window) >= _MIN_TOKENS]
