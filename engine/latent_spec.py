"""Multi-head latent attention as numbers (DeepSeek-V2, 2024): keys and values of all heads out of one short vector.

Standard library only; knows nothing of files or tensors.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

NORM_EPS = 1e-6
"""Of the norms of the two latents, whatever the model's other norms have."""


@dataclass(frozen=True, slots=True)
class LatentSpec:
    """What a token leaves in the cache is one row for all heads: `kv_lora_rank` elements, then the rotated key.

    A head's query has `qk_nope_head_dim` elements that do not rotate and `qk_rope_head_dim` that do; its value has
    `v_head_dim`. Queries come through a latent of `q_lora_rank` elements of their own, None: directly.
    """

    kv_lora_rank: int
    qk_nope_head_dim: int
    qk_rope_head_dim: int
    v_head_dim: int
    q_lora_rank: int | None = None
    norm_eps: float = NORM_EPS

    @property
    def row_size(self) -> int:
        """Elements that a token takes in one layer's cache."""
        return self.kv_lora_rank + self.qk_rope_head_dim

    @property
    def query_head_dim(self) -> int:
        return self.qk_nope_head_dim + self.qk_rope_head_dim

    def down_size(self, num_heads: int) -> int:
        """Rows of what makes the query, or its latent, and a row of the cache out of the stream."""
        query = num_heads * self.query_head_dim if self.q_lora_rank is None else self.q_lora_rank
        return query + self.row_size

    def check(self, head_dim: int, num_kv_heads: int) -> None:
        """Raises ValueError on sizes that no model has."""
        counts = [getattr(self, each.name) for each in fields(self) if each.name != "norm_eps"]
        is_good = (
            all(type(count) is int and 1 <= count < 1 << 20 for count in counts if count is not None)
            and None not in counts[:4]
            and isinstance(self.norm_eps, float)
            and self.norm_eps > 0
            and self.qk_rope_head_dim % 2 == 0
            and (head_dim, num_kv_heads) == (self.row_size, 1)
        )
        if not is_good:
            raise ValueError(f"latent is {self!r} for {num_kv_heads} rows of {head_dim}, which no model has")
