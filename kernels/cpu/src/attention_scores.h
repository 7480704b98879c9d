// Scores of many rows: keys written out in float32 with sixteen of them side by side, one key to a lane.
//
//   block of keys   | key 0 .. 15 of dim 0 | key 0 .. 15 of dim 1 | ...        four kilobytes where dim is 64
//
// A score has the very bits that vf_store_4_sums gives along a key: eight sums, of the dims d with the same d % 8, added
// up in that function's order. Here a lane holds one of them for one key, so they are added without moving lanes about.
// Included by attention.c alone.
#ifndef DI_ATTENTION_SCORES_H
#define DI_ATTENTION_SCORES_H

#include "attention_tile.h"

#if defined(__AVX512VNNI__)
#include "sixteen.h"
typedef vf16 keys_vector;
static inline keys_vector keys_zero(void) { return vf16_zero(); }
static inline keys_vector keys_load(const float *p) { return vf16_load(p); }
static inline void keys_store(float *p, keys_vector a) { vf16_store(p, a); }
static inline keys_vector keys_broadcast(const float *p) { return vf16_broadcast(p); }
static inline keys_vector keys_add(keys_vector a, keys_vector b) { return vf16_add(a, b); }
static inline keys_vector keys_fma(keys_vector a, keys_vector b, keys_vector c) { return vf16_fma(a, b, c); }
// Vectors of a block, and sums of it that are in registers at a time.
enum { BLOCK_VECTORS = 1, SUMS_AT_A_TIME = 8 };
#else
typedef vf keys_vector;
static inline keys_vector keys_zero(void) { return vf_zero(); }
static inline keys_vector keys_load(const float *p) { return vf_load(p); }
static inline void keys_store(float *p, keys_vector a) { vf_store(p, a); }
static inline keys_vector keys_broadcast(const float *p) { return vf_broadcast(p); }
static inline keys_vector keys_add(keys_vector a, keys_vector b) { return vf_add(a, b); }
static inline keys_vector keys_fma(keys_vector a, keys_vector b, keys_vector c) { return vf_fma(a, b, c); }
enum { BLOCK_VECTORS = 2, SUMS_AT_A_TIME = 2 };
#endif

enum { BLOCK_VECTOR_LANES = KEY_BLOCK / BLOCK_VECTORS, PAIRS = VF_LANES / 2 };

// scores [num_rows, 128] of one block of keys; q [num_rows, dim].
INLINE void score_block(const float *q, int num_rows, const float *keys, int dim, float *scores) {
    // neighbours of this order are added first, and so are neighbours of what comes of it
    static const int ORDER[VF_LANES] = {0, 2, 1, 3, 4, 6, 5, 7};
    keys_vector pairs[PAIRS][SMALL_GROUP][BLOCK_VECTORS];
#pragma GCC unroll 4
    for (int step = 0; step < VF_LANES; step += SUMS_AT_A_TIME) {
        keys_vector sums[SUMS_AT_A_TIME][SMALL_GROUP][BLOCK_VECTORS];
        for (int i = 0; i < SUMS_AT_A_TIME; i++)
            for (int r = 0; r < num_rows; r++)
                for (int v = 0; v < BLOCK_VECTORS; v++) sums[i][r][v] = keys_zero();
        for (int d = 0; d < dim; d += VF_LANES)
#pragma GCC unroll 8
            for (int i = 0; i < SUMS_AT_A_TIME; i++) {
                int at = d + ORDER[step + i];
                keys_vector key[BLOCK_VECTORS];
                for (int v = 0; v < BLOCK_VECTORS; v++)
                    key[v] = keys_load(keys + at * KEY_BLOCK + v * BLOCK_VECTOR_LANES);
                for (int r = 0; r < num_rows; r++) {
                    keys_vector x = keys_broadcast(q + r * dim + at);
                    for (int v = 0; v < BLOCK_VECTORS; v++) sums[i][r][v] = keys_fma(x, key[v], sums[i][r][v]);
                }
            }
        for (int i = 0; i < SUMS_AT_A_TIME; i += 2)
            for (int r = 0; r < num_rows; r++)
                for (int v = 0; v < BLOCK_VECTORS; v++)
                    pairs[(step + i) / 2][r][v] = keys_add(sums[i][r][v], sums[i + 1][r][v]);
    }
    for (int r = 0; r < num_rows; r++)
        for (int v = 0; v < BLOCK_VECTORS; v++)
            keys_store(scores + r * DI_CHUNK_KEYS + v * BLOCK_VECTOR_LANES,
                       keys_add(keys_add(pairs[0][r][v], pairs[1][r][v]), keys_add(pairs[2][r][v], pairs[3][r][v])));
}

static void score_block_rows(const float *q, int num_rows, const float *keys, int dim, float *scores) {
    switch (num_rows) {
    case 1: score_block(q, 1, keys, dim, scores); break;
    case 2: score_block(q, 2, keys, dim, scores); break;
    default: score_block(q, 3, keys, dim, scores);
    }
}

// Scores of all rows against the blocks that some of them see. A block stays in the first-level cache meanwhile. Keys and
// values that are written out next are fetched on the way.
static void score_written(const tile *t, int64_t chunk_start, key_range seen) {
    for (int first = seen.first & ~(KEY_BLOCK - 1); first < seen.end; first += KEY_BLOCK) {
        prefetch_next(t, first, KEY_BLOCK);
        key_range rows = rows_that_see(t, chunk_start + first);
        const float *keys = t->written_keys + (int64_t)first * t->dim;
        for (int row = rows.first; row < rows.end; row += SMALL_GROUP)
            score_block_rows(t->q + (int64_t)row * t->dim, rows.end - row, keys, t->dim,
                             t->scores + (int64_t)row * DI_CHUNK_KEYS + first);
    }
}

#endif
