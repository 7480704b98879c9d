// Rotary embedding, head norms, and the way of keys and values into the pool: one stage of a run.
#ifndef DI_ROPE_APPEND_H
#define DI_ROPE_APPEND_H

#include <stdint.h>

#include "kv_row.h"

enum { DI_ROPE_ROWS = 8, DI_FEW_ROPE_ROWS = 2, DI_ROPE_FEW = 64 };

// Rows of one item: few where there are few in all, so that no worker is without any.
static inline int di_rope_rows_per_item(int64_t num_rows) {
    return num_rows < DI_ROPE_FEW ? DI_FEW_ROPE_ROWS : DI_ROPE_ROWS;
}

typedef struct di_rope_append {
    int64_t num_rows;
    int32_t num_heads, num_kv_heads, head_dim, block_size;
    int32_t format; // of the pools, di_kv_format; with DI_KV_INT8 q and k are turned alike, see rope_append.c
    int32_t query_norm_dim, key_norm_dim; // head_dim: each head by itself; all heads' elements: all together
    float query_eps, key_eps;
    const float *qkv;                      // [rows, (heads + 2 kv_heads) * head_dim]: all q, all k, all v of a row
    const int64_t *positions, *slots;      // [rows]; slot = block * block_size + offset
    const float *rope_table;               // [max_context, 2, head_dim / 2]: cosines, sines; null: nothing rotates
    const float *query_norm, *key_norm;    // [query_norm_dim], [key_norm_dim], or null
    float *q;                              // [rows, heads, head_dim]
    void *keys, *values;                   // [blocks, kv_heads, block_size, one row each]
} di_rope_append;

// The same for latent attention: one row per token for all heads, of which the first elements are normed and the last
// `rotated_size` rotated, as those of every head of q are.
typedef struct di_latent_append {
    int64_t num_rows;
    int32_t num_heads, row_size, rotated_size, block_size;
    int32_t format;
    float eps;
    const float *q, *latent;          // [rows, heads, row_size], [rows, row_size]
    const int64_t *positions, *slots; // [rows]
    const float *rope_table;          // [max_context, 2, rotated_size / 2], or null
    const float *norm;                // [row_size - rotated_size]
    float *rotated;                   // [rows, heads, row_size]: q, rotated
    void *pool;                       // [blocks, 1, block_size, one row each]
} di_latent_append;

static inline int di_rope_append_items(int64_t num_rows) {
    int rows = di_rope_rows_per_item(num_rows);
    return (int)((num_rows + rows - 1) / rows);
}

#endif
