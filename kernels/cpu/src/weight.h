// A packed matrix [N, K] as the kernels read it, and how it comes from the plain layout of kernels/formats.py.
//
// Eight rows stand side by side, so that one vector holds the same four columns of each:
//
//   data:   | block of rows 0-7                              | rows 8-15 | ...      N rounded up to 8, empty rows are 0
//   block:  | group 0           | group 1           | ...                           a group: G columns of the 8 rows
//   group:  | 8 scales | 8 minima (if any) | G / 32 runs of 32 columns |            scales and minima: float16
//   run:      vectors of 32 bytes, four for each row: | row 0: b0 b1 b2 b3 | row 1: b0 b1 b2 b3 | ... | row 7 |
//
//   8 bits, 8 vectors:  vector v, byte b is the code of column 4 v + b
//   4 bits, 4 vectors:  vector v, byte b: low nibble column 4 v + b, high nibble column 16 + 4 v + b
//   5 bits, 5 vectors:  vectors 0-3 as with 4 bits, the low four of each code
//                       vector 4, byte b: bit s is the high bit of column 4 s + b
//   3 bits, 3 vectors:  vector 0 and 1, byte b: bits 2 s, 2 s + 1 are the low bits of column 16 v + 4 s + b
//                       vector 2, byte b: bit s is the high bit of column 4 s + b
//
// Step s (0-7) of a run is its columns 4 s .. 4 s + 3, whatever the format.
#ifndef DI_WEIGHT_H
#define DI_WEIGHT_H

#include <stddef.h>
#include <stdint.h>

#include "pool.h"

enum { DI_BLOCK_ROWS = 8, DI_RUN = 32, DI_VECTOR_BYTES = 32 };

typedef struct di_weight {
    uint8_t *data;
    int32_t num_rows;
    int32_t num_columns; // a multiple of group_size
    int32_t bits;        // 3, 4, 5 or 8
    int32_t group_size;  // 32, 64 or 128
    int32_t has_minimum; // w = scale * code + minimum; otherwise w = scale * (code - 2**(bits - 1))
} di_weight;

static inline int di_num_blocks(const di_weight *weight) {
    return (weight->num_rows + DI_BLOCK_ROWS - 1) / DI_BLOCK_ROWS;
}

static inline size_t di_group_bytes(const di_weight *weight) {
    return (size_t)(weight->has_minimum ? 4 : 2) * DI_BLOCK_ROWS + (size_t)weight->group_size * weight->bits;
}

// Bytes of a block of eight rows.
static inline size_t di_block_bytes(const di_weight *weight) {
    return di_group_bytes(weight) * (size_t)(weight->num_columns / weight->group_size);
}

// Where the scales of a group (eight float16) stand; the minima and the runs follow.
static inline uint8_t *di_group_at(const di_weight *weight, int block, int group) {
    return weight->data + di_block_bytes(weight) * (size_t)block + di_group_bytes(weight) * (size_t)group;
}

DI_EXPORT size_t di_weight_bytes(const di_weight *weight);

// Fill `weight->data` (di_weight_bytes, aligned to 32) from the plain layout: codes [N, K * bits / 8], scale and
// minimum (or null) float16 [N, K / G].
DI_EXPORT void di_repack(
    di_pool *pool, const di_weight *weight, const uint8_t *codes, const uint16_t *scale, const uint16_t *minimum);

// y[i] = scale * row token_ids[i] of the table, float32 [num_tokens, K]. Token ids are below N.
typedef struct di_embedding {
    const di_weight *table;
    const int64_t *token_ids;
    float *y;
    float scale;
    int32_t num_tokens;
} di_embedding;

di_stage di_embed_stage(const di_embedding *embedding);
DI_EXPORT void di_embed(di_pool *pool, const di_embedding *embedding);

#endif
