"""What a batch of rows is sampled by, column by column. Knows nothing of how tokens are drawn."""

from __future__ import annotations

from dataclasses import dataclass

from kernels.arrays import Array


@dataclass(frozen=True, slots=True)
class LogitEdits:
    """What changes the logits of one row before its temperature; every field is off as it stands here.

    Ids are int64 [n] and inside the vocabulary, numbers float32 [n]; an id with a number stands once. In this order:

    1. bias: `logit[bias_ids] += biases`
    2. repetition: for the seen ids, `logit * penalty` if the logit is negative, else `logit / penalty`
       (Keskar et al. 2019, as in transformers: once per token, however often it was seen)
    3. frequency and presence: for the seen ids, `logit -= frequency_penalty * seen_counts + presence_penalty`
    4. masks: what is not among `allowed_ids` (None allows all) or is among `banned_ids` cannot be drawn, and neither
       can `end_ids`. A mask commutes with 1 to 3.

    If nothing but end ids is left, they may be drawn; if nothing at all is left, the result is the most probable token
    after 3, whatever the masks say. So every row has a result.
    """

    bias_ids: Array | None = None
    biases: Array | None = None
    seen_ids: Array | None = None
    seen_counts: Array | None = None
    repetition_penalty: float = 1.0
    frequency_penalty: float = 0.0
    presence_penalty: float = 0.0
    allowed_ids: Array | None = None
    banned_ids: Array | None = None
    end_ids: Array | None = None


@dataclass(frozen=True, slots=True)
class SamplingTensors:
    """Sampling parameters of B rows. `uniform` is the row's random number in [0, 1), drawn from (seed, position).

    temperature float32 [B], 0 is greedy; top_k int64 [B], 0 is off; top_p float32 [B], 1 is off; min_p float32 [B],
    0 is off; uniform float64 [B]; typical_p float32 [B], 1 is off, None is off for all rows; edits one per row, None
    for a row without, or None for all.

    Order, that of transformers: the row's edits (see `LogitEdits`), temperature, top-k, top-p, min-p (against the most
    probable token), typical-p, then the token at which the cumulative probability, most probable first, passes
    `uniform`. Ties in probability are ordered by token id. Each filter sees the probabilities that the one before it
    left, and a greedy row takes the largest logit after its edits.

    Typical-p (Meister et al. 2022) keeps the tokens whose -log p is nearest to the distribution's entropy, up to the
    one with which their probabilities reach typical_p, and whatever is as near as that one.
    """

    temperature: Array
    top_k: Array
    top_p: Array
    min_p: Array
    uniform: Array
    typical_p: Array | None = None
    edits: tuple[LogitEdits | None, ...] | None = None
