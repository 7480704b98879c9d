// Scores of queries and keys in codes: the first 64 dims summed in int32, as a float + that of the next 64 .., times both
// scales. Included by attention_pairs.h alone.
#ifndef DI_ATTENTION_CODE_SCORES_H
#define DI_ATTENTION_CODE_SCORES_H

#include "attention_codes.h"

enum { RUN_BLOCKS = KEY_RUN / KEY_BLOCK };

// Scores of up to eight rows against one or two blocks.
INLINE void score_pairs(const tile *t, int row, int num_rows, int first, int num_blocks) {
    enum { AT_A_TIME = 4 };
    int num_pairs = num_dim_pairs(t);
    const float *q = queries_from(t, row);
    const float *keys = t->written_keys;
    vf16 scores[MANY_ROWS][RUN_BLOCKS];
    for (int start = 0; start < num_pairs; start += SUM_PAIRS) {
        int end = start + SUM_PAIRS < num_pairs ? start + SUM_PAIRS : num_pairs;
        pairs sums[MANY_ROWS][RUN_BLOCKS];
        for (int r = 0; r < num_rows; r++)
            for (int b = 0; b < num_blocks; b++) sums[r][b] = pairs_zero();
        for (int pair = start; pair < end; pair += AT_A_TIME, q += AT_A_TIME * MANY_ROWS, keys += AT_A_TIME * KEY_RUN)
#pragma GCC unroll 4
            for (int i = 0; i < AT_A_TIME; i++) {
                pairs key[RUN_BLOCKS];
                for (int b = 0; b < num_blocks; b++) key[b] = pairs_load(keys + i * KEY_RUN + b * KEY_BLOCK);
                for (int r = 0; r < num_rows; r++) {
                    pairs x = pairs_broadcast(q + i * MANY_ROWS + r);
                    for (int b = 0; b < num_blocks; b++) sums[r][b] = pairs_dot(sums[r][b], key[b], x);
                }
            }
        for (int r = 0; r < num_rows; r++)
            for (int b = 0; b < num_blocks; b++) {
                vf16 sum = pairs_sums(sums[r][b]);
                scores[r][b] = start == 0 ? sum : vf16_add(scores[r][b], sum);
            }
    }
    for (int b = 0; b < num_blocks; b++) {
        vf16 scales = vf16_load(t->key_scales + first + b * KEY_BLOCK);
        for (int r = 0; r < num_rows; r++)
            vf16_store(t->scores + (int64_t)(row + r) * DI_CHUNK_KEYS + first + b * KEY_BLOCK,
                       vf16_mul(vf16_mul(scores[r][b], scales), vf16_broadcast(t->q_scales + row + r)));
    }
}

static void score_pair_rows(const tile *t, int row, int num_rows, int first, int num_blocks) {
    switch ((num_rows < MANY_ROWS ? num_rows : MANY_ROWS) * RUN_BLOCKS + num_blocks - 1) {
#define DI_CASE(rows, blocks)                                                                                         \
    case (rows) * RUN_BLOCKS + (blocks) - 1: score_pairs(t, row, rows, first, blocks); break;
        DI_CASE(1, 1) DI_CASE(2, 1) DI_CASE(3, 1) DI_CASE(4, 1) DI_CASE(5, 1) DI_CASE(6, 1) DI_CASE(7, 1) DI_CASE(8, 1)
        DI_CASE(1, 2) DI_CASE(2, 2) DI_CASE(3, 2) DI_CASE(4, 2) DI_CASE(5, 2) DI_CASE(6, 2) DI_CASE(7, 2) DI_CASE(8, 2)
#undef DI_CASE
    }
}

// Scores of few rows against one block: keys stay in registers, four at a time, with four pairs of each.
INLINE void score_few(const tile *t, int num_rows, int first, int format, int is_whole) {
    int head_dim = t->layer->plan->shape.head_dim, row_floats = num_dim_pairs(t) * QUARTERS;
    float inverse[KEY_BLOCK] = {0};
    for (int k = 0; k < KEY_BLOCK; k += VF_LANES) find_scales(t, first + k, format, is_whole, inverse + k);
    vf16 scores[FEW_ROWS];
    for (int start = 0; start < head_dim; start += 2 * SUM_PAIRS) {
        pairs sums[FEW_ROWS][QUARTERS];
        for (int r = 0; r < num_rows; r++)
            for (int i = 0; i < QUARTERS; i++) sums[r][i] = pairs_zero();
        for (int i = 0; i < QUARTERS; i++)
            for (int d = start; d < head_dim && d < start + 2 * SUM_PAIRS; d += PAIR_RUN) {
                __mmask32 lanes = lanes_from(d, head_dim, is_whole);
                pairs keys[QUARTERS];
                for (int k = 0; k < QUARTERS; k++)
                    keys[k] = code_and_fetch(t, first + 4 * i + k, d, format, lanes, inverse[4 * i + k]);
                pairs_transpose_quarters(keys);
                const float *q = t->written_keys + (int64_t)d / PAIR_RUN * QUARTERS * SIXTEEN;
                for (int j = 0; j < QUARTERS; j++)
                    for (int r = 0; r < num_rows; r++)
                        sums[r][i] = pairs_dot(sums[r][i], keys[j], pairs_load(q + r * row_floats + j * SIXTEEN));
            }
        for (int r = 0; r < num_rows; r++) {
            vf16 sum = pairs_sums(pairs_sums_of_quarters(sums[r]));
            scores[r] = start == 0 ? sum : vf16_add(scores[r], sum);
        }
    }
    vf16 scales = vf16_load(t->key_scales + first);
    for (int r = 0; r < num_rows; r++)
        vf16_store(t->scores + (int64_t)r * DI_CHUNK_KEYS + first,
                   vf16_mul(vf16_mul(scores[r], scales), vf16_broadcast(t->q_scales + r)));
}

INLINE void score_few_rows(const tile *t, key_range seen, int format, int is_whole) {
    for (int first = seen.first & ~(KEY_BLOCK - 1); first < seen.end; first += KEY_BLOCK)
        switch (t->num_folded) {
        case 1: score_few(t, 1, first, format, is_whole); break;
        case 2: score_few(t, 2, first, format, is_whole); break;
        case 3: score_few(t, 3, first, format, is_whole); break;
        default: score_few(t, FEW_ROWS, first, format, is_whole);
        }
}

// All rows against a run of keys; the first of them may see its first block alone.
static void score_run(const tile *t, int first, key_range rows, key_range second) {
    int row = rows.first & ~(MANY_ROWS - 1), end = rows.end > second.end ? rows.end : second.end;
    int start_of_second = second.first < second.end ? second.first & ~(MANY_ROWS - 1) : end;
    for (; row < end; row += MANY_ROWS)
        score_pair_rows(t, row, end - row, first, row < start_of_second ? 1 : 2);
}

static void score_in_pairs(const tile *t, int64_t chunk_start, key_range seen) {
    if (t->num_folded <= FEW_ROWS) {
        int format = t->layer->plan->shape.format, is_whole = t->layer->plan->shape.head_dim % PAIR_RUN == 0;
        if (format == DI_KV_INT8) score_few_rows(t, seen, DI_KV_INT8, 0);
        else if (is_whole) score_few_rows(t, seen, DI_KV_HALF, 1);
        else score_few_rows(t, seen, DI_KV_HALF, 0);
        return;
    }
    for (int first = seen.first & ~(KEY_RUN - 1); first < seen.end; first += KEY_RUN) {
        code_keys(t, first);
        score_run(t, first, rows_that_see(t, chunk_start + first), rows_that_see(t, chunk_start + first + KEY_BLOCK));
    }
}

#endif
