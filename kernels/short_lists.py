"""The tokens of `distribution.sample_row`, from a short list of the most probable ones.

On numpy's arrays. Knows nothing of seeds, requests and edits, nor of typical-p, which no short list can tell.
"""

from __future__ import annotations

import numpy as np

from kernels.logits import Floats, Ids, best_first

SHORT_LISTS = (512, 8192)
"""How many of the most probable tokens are looked at before the whole vocabulary is sorted."""


def sample_row(logits: Floats, temperature: float, top_k: int, top_p: float, min_p: float, uniform: float) -> int:
    """One token of finite logits [V], float32."""
    if temperature == 0:
        return int(logits.argmax())
    vocabulary = len(logits)
    mass = None if 0 < top_k < vocabulary else softmax_mass(logits, temperature)
    for length in (*SHORT_LISTS, vocabulary) if mass is not None else (top_k,):
        values, token_ids = most_probable(logits, min(length, vocabulary))
        if mass is None:
            values, token_ids = values[:top_k], token_ids[:top_k]
        weights = np.exp((values - values[0]) / temperature)
        probabilities = weights / (weights.sum() if mass is None else mass)
        is_whole = mass is None or len(values) == vocabulary
        index = draw(probabilities, top_p, min_p, uniform, is_whole)
        if index is not None:
            return int(token_ids[index])
    raise AssertionError(f"no token drawn of {vocabulary} at {uniform}")


def kept(logits: Floats, temperature: float, top_p: float, min_p: float) -> tuple[Floats, Ids] | None:
    """Probabilities and ids of the tokens that the filters keep, best first; None if no short list can tell."""
    mass = softmax_mass(logits, temperature)
    for length in SHORT_LISTS:
        if length >= len(logits):
            break
        values, token_ids = most_probable(logits, length)
        probabilities = np.exp((values - values[0]) / temperature) / mass
        num = num_kept(probabilities, top_p, min_p)
        if num < len(probabilities):
            return probabilities[:num], token_ids[:num]
    return None


def softmax_mass(logits: Floats, temperature: float) -> float:
    """The softmax's denominator over the whole vocabulary."""
    values = logits.astype(np.float64)
    return float(np.exp((values - values.max()) / temperature).sum())


def most_probable(logits: Floats, length: int) -> tuple[Floats, Ids]:
    """The `length` largest logits (float64) and their ids, with all ties of the last; equal ones by id."""
    token_ids = np.arange(len(logits))
    if length < len(logits):
        threshold = np.partition(logits, -length)[-length]
        token_ids = np.flatnonzero(logits >= threshold)
    values = logits[token_ids].astype(np.float64)
    order = best_first(values)
    return values[order], token_ids[order]


def draw(probabilities: Floats, top_p: float, min_p: float, uniform: float, is_whole: bool) -> int | None:
    """The place drawn among descending probabilities; None if the list is too short to tell (`is_whole` is false)."""
    cumulative = probabilities.cumsum()
    num = num_kept(probabilities, top_p, min_p, cumulative)
    if not is_whole and num == len(probabilities):
        # no filter ends inside the list: only without filters is the kept mass known, it is 1
        index = int(np.searchsorted(cumulative, uniform, side="right"))
        return index if top_p >= 1 and min_p <= 0 and index < num else None
    total = cumulative[num - 1]
    return min(int(np.searchsorted(cumulative[:num], uniform * total, side="right")), num - 1)


def num_kept(probabilities: Floats, top_p: float, min_p: float, cumulative: Floats | None = None) -> int:
    """How many of the descending probabilities top-p and min-p keep; `cumulative` if the caller has it already."""
    num = len(probabilities)
    if top_p < 1:
        cumulative = probabilities.cumsum() if cumulative is None else cumulative
        num = 1 + int(np.searchsorted(cumulative[:-1], top_p))
    if min_p > 0:
        num = min(num, max(1, int((probabilities >= min_p * probabilities[0]).sum())))
    return num
