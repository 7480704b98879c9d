"""Multi-head latent attention out of a backend's other operations, in its absorbed form (DeepSeek-V2, 2024).

A token's row in the cache is c = norm(latent) and r = rotated key, one for all heads. What a head would read of it,
k = [U c, r] and v = W c, is never written out: the score q.k is (U^T q) . c + q_rotated . r, and the sum of weights
times v is W times that of weights times c. So all heads attend to the same rows, and the value is the key's beginning.

On tensors of the CPU, in float32. Knows nothing of how a backend multiplies and attends.
"""

from __future__ import annotations

import torch
from torch import Tensor

from kernels import checks
from kernels.experts import normalise
from kernels.kv_codes import encode, turn
from kernels.kv_rows import head_dim_of
from kernels.ops import Backend, DecoderLayer, ForwardInput, LatentAttention, Norm


def attend(backend: Backend, layer: DecoderLayer, x: Tensor, rows: ForwardInput, pool: Tensor) -> Tensor:
    """x [M, hidden] to what the layer's output matrix multiplies, [M, H * V]; the rows' latents go into the pool."""
    latent = layer.latent
    assert latent is not None
    assert layer.key_norm is not None
    narrow, width, num_heads = rows.num_narrow_rows, head_dim_of(pool), latent.num_heads
    down = backend.norm_linear(x, layer.attention_norm, layer.qkv, layer.qkv_bias, narrow)
    query, row = down[:, :-width].contiguous(), down[:, -width:].contiguous()
    if latent.query_up is not None:
        query = backend.norm_linear(query, layer.query_norm, latent.query_up, None, narrow)
    q = _absorbed(backend, latent, query, narrow)
    q = backend.latent_append(q, row, rows.positions, layer.rope_table, pool, rows.slots, layer.key_norm)
    attended = backend.paged_attention(q, pool, pool, rows.attention, layer.scale, layer.window, layer.softcap)
    attended = attended.view(len(x), num_heads, width)
    if pool.dtype == torch.int8:
        attended = turn(attended.float())  # turned twice is as it was
    values = attended[..., : width - latent.rotated_size].reshape(len(x), -1)
    return backend.grouped_linear(values, latent.latent_to_value, num_heads, narrow)


def _absorbed(backend: Backend, latent: LatentAttention, query: Tensor, narrow: int) -> Tensor:
    """query [M, H * (Q + P)] to [M, H, R + P]."""
    heads = query.view(len(query), latent.num_heads, -1)
    num_still = heads.shape[2] - latent.rotated_size
    still = heads[..., :num_still].flatten(1)
    absorbed = backend.grouped_linear(still, latent.query_to_latent, latent.num_heads, narrow)
    return torch.cat([absorbed.view(*heads.shape[:2], -1), heads[..., num_still:]], dim=2)


def append(
    q: Tensor,
    latent: Tensor,
    positions: Tensor,
    rope_table: Tensor | None,
    pool: Tensor,
    slots: Tensor,
    norm: Norm,
) -> Tensor:
    """The operation of `Backend.latent_append`."""
    checks.check_latent(q, latent, positions, rope_table, pool, slots, norm)
    size = len(norm.weight)
    rows = torch.cat([normalise(latent[:, :size], norm), latent[:, size:].float()], dim=1).unsqueeze(1)
    q = q.float()
    if rope_table is not None:
        cosines, sines = rope_table[positions].unsqueeze(1).unbind(dim=2)
        q, rows = (_rotated(each, size, cosines, sines) for each in (q, rows))
    if pool.dtype == torch.int8:
        q, rows = turn(q), encode(turn(rows))
    block_size = pool.shape[2]
    pool[slots // block_size, :, slots % block_size] = rows.to(pool.dtype)
    return q


def _rotated(heads: Tensor, first: int, cosines: Tensor, sines: Tensor) -> Tensor:
    """heads [M, H, d] with the elements from `first` on rotated, halves together; cosines and sines [M, 1, .]."""
    a, b = heads[..., first:].chunk(2, dim=-1)
    return torch.cat([heads[..., :first], a * cosines - b * sines, b * cosines + a * sines], dim=-1)
