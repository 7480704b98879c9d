// Values in bfloat16, times weights in bfloat16, a pair of positions at a time: 2 j and 2 j + 1. Included by
// attention_pairs.h alone.
#ifndef DI_ATTENTION_VALUES_H
#define DI_ATTENTION_VALUES_H

#include "attention_tile.h"
#include "pairs.h"

enum {
    VALUE_ROWS = 6, // rows in registers, beside as many vectors of values
    VALUE_VECTORS = 4,
};

// The largest of the finished scores of one row, by lanes.
static vf largest_in_pairs(const float *scores, key_range whole) {
    vf16 largest = vf16_load(scores + whole.first);
    for (int key = whole.first + SIXTEEN; key < whole.end; key += SIXTEEN)
        largest = vf16_max(largest, vf16_load(scores + key));
    return vf_max(vf16_low(largest), vf16_high(largest));
}

INLINE vf16 weigh_vector(const tile *t, float *scores, int key, vf16 maximum, __mmask16 lanes) {
    vf16 weights = vf16_keep(vf16_exp_capped(vf16_sub(vf16_load(scores + key), maximum)), lanes), sum = weights;
    if (has_scales(t)) weights = vf16_keep(vf16_mul(weights, vf16_load(t->value_scales + key)), lanes);
    store_bfloat16((uint16_t *)scores + key, weights);
    return sum;
}

// Finished scores of one row to weights, which take the place of the scores from the first on; their sum by lanes.
static vf weigh_in_pairs(const tile *t, float *scores, key_range seen, float maximum) {
    vf16 sum = vf16_zero(), largest = vf16_set(maximum);
    for (int key = seen.first & ~(SIXTEEN - 1); key < seen.end; key += SIXTEEN) {
        if (key >= seen.first && key + SIXTEEN <= seen.end) {
            sum = vf16_add(sum, weigh_vector(t, scores, key, largest, 0xffff));
        } else {
            __mmask16 lanes = (__mmask16)(first_lanes(seen.end - key) & ~first_lanes(seen.first - key));
            sum = vf16_add(sum, weigh_vector(t, scores, key, largest, lanes));
        }
    }
    return vf_add(vf16_low(sum), vf16_high(sum));
}

INLINE vf16 load_value(const char *row, int d, int format, __mmask16 lanes) {
    if (format == DI_KV_INT8) return _mm512_cvtepi32_ps(load_codes((const int8_t *)row + d, lanes));
    return vf16_load_half((const uint16_t *)row + d, lanes);
}

INLINE void pair_values(const tile *t, key_range seen, int format, int is_whole) {
    enum { AT_A_TIME = 2 }; // pairs of keys
    int dim = t->dim, head_dim = t->layer->plan->shape.head_dim;
    intptr_t to_value = t->to_value;
    for (int key = seen.first & ~(2 * AT_A_TIME - 1); key < seen.end; key += 2 * AT_A_TIME) {
        const char *rows[2 * AT_A_TIME];
        for (int i = 0; i < 2 * AT_A_TIME; i++) rows[i] = t->key_rows[key + i] + to_value;
        float *target = t->written_values + (int64_t)key / 2 * dim;
        for (int d = 0; d < dim; d += SIXTEEN) {
            __mmask16 lanes = (__mmask16)lanes_from(d, head_dim, is_whole);
            for (int i = 0; i < AT_A_TIME; i++)
                pairs_store(target + i * dim + d, pairs_bfloat16(load_value(rows[2 * i], d, format, lanes),
                                                                 load_value(rows[2 * i + 1], d, format, lanes)));
        }
    }
}

static void write_values(const tile *t, key_range seen) {
    const di_attention_shape *shape = &t->layer->plan->shape;
    if (shape->format == DI_KV_INT8) pair_values(t, seen, DI_KV_INT8, 0);
    else if (shape->head_dim == t->dim) pair_values(t, seen, DI_KV_HALF, 1);
    else pair_values(t, seen, DI_KV_HALF, 0);
}

// Where values come from: written in pairs, or for few rows right from the pool.
enum { WRITTEN = -1 };

// A vector of pairs of values from `d` on, of a key of even position and the next one.
INLINE pairs load_pair(const tile *t, int key, int d, int source) {
    if (source == WRITTEN) return pairs_load(t->written_values + (int64_t)key / 2 * t->dim + d);
    return pairs_bfloat16(load_value(t->key_rows[key] + t->to_value, d, source, 0xffff),
                          load_value(t->key_rows[key + 1] + t->to_value, d, source, 0xffff));
}

// A few rows, 16 * num_vectors dims from `offset` on. Of a pair that is seen by half, the other value is left out, as even
// 0 times it may be NaN.
INLINE void add_pairs(const tile *t, int first_row, int num_rows, key_range keys, int offset, int num_vectors,
                      int source, int has_halves) {
    const float *weights = t->scores + (int64_t)first_row * DI_CHUNK_KEYS;
    float *out = t->chunk_out + (int64_t)first_row * t->dim + offset;
    vf16 sums[VALUE_ROWS][VALUE_VECTORS];
    for (int r = 0; r < num_rows; r++)
        for (int n = 0; n < num_vectors; n++) sums[r][n] = vf16_load(out + (int64_t)r * t->dim + n * SIXTEEN);
    for (int key = keys.first & ~1; key < keys.end; key += 2) {
        pairs value[VALUE_VECTORS], seen = pairs_set(0);
        if (has_halves) seen = pairs_set((key >= keys.first ? 0xffffu : 0u) | (key + 1 < keys.end ? 0xffff0000u : 0u));
        for (int n = 0; n < num_vectors; n++) {
            value[n] = load_pair(t, key, offset + n * SIXTEEN, source);
            if (has_halves) value[n] = pairs_and(value[n], seen);
        }
        for (int r = 0; r < num_rows; r++) {
            pairs w = pairs_broadcast(weights + r * DI_CHUNK_KEYS + key / 2);
            for (int n = 0; n < num_vectors; n++) sums[r][n] = vf16_dot(sums[r][n], w, value[n]);
        }
    }
    for (int r = 0; r < num_rows; r++)
        for (int n = 0; n < num_vectors; n++) vf16_store(out + (int64_t)r * t->dim + n * SIXTEEN, sums[r][n]);
}

INLINE void add_pair_rows(const tile *t, int row, int num_rows, key_range keys, int offset, int num_vectors,
                          int source) {
    if (keys.first >= keys.end) return;
    switch (num_rows) {
    case 1: add_pairs(t, row, 1, keys, offset, num_vectors, source, 0); break;
    case 2: add_pairs(t, row, 2, keys, offset, num_vectors, source, 0); break;
    case 3: add_pairs(t, row, 3, keys, offset, num_vectors, source, 0); break;
    case 4: add_pairs(t, row, 4, keys, offset, num_vectors, source, 0); break;
    case 5: if (source == WRITTEN) add_pairs(t, row, 5, keys, offset, num_vectors, WRITTEN, 0); break;
    default: if (source == WRITTEN) add_pairs(t, row, VALUE_ROWS, keys, offset, num_vectors, WRITTEN, 0);
    }
}

// Pairs that all of the rows see together; those before and after row by row.
INLINE void add_pair_group(const tile *t, int row, int num_rows, int64_t chunk_start, int offset, int num_vectors,
                           int source) {
    key_range first_seen = seen_by(t, row, chunk_start), last_seen = seen_by(t, row + num_rows - 1, chunk_start);
    key_range shared = {(last_seen.first + 1) & ~1, first_seen.end & ~1};
    if (shared.end < shared.first) shared.end = shared.first;
    for (int r = row; r < row + num_rows; r++) {
        key_range before = seen_by(t, r, chunk_start);
        if (before.end > shared.first) before.end = shared.first;
        if (before.first < before.end) add_pairs(t, r, 1, before, offset, num_vectors, source, 1);
    }
    add_pair_rows(t, row, num_rows, shared, offset, num_vectors, source);
    for (int r = row; r < row + num_rows; r++) {
        key_range after = seen_by(t, r, chunk_start);
        if (after.first < shared.end) after.first = shared.end;
        if (after.first < after.end) add_pairs(t, r, 1, after, offset, num_vectors, source, 1);
    }
}

INLINE void add_all_pairs(const tile *t, int64_t chunk_start, int source) {
    int offset = 0, run = VALUE_VECTORS;
    while (offset < t->dim) {
        while (offset + run * SIXTEEN > t->dim) run /= 2;
        for (int row = 0, num_rows; row < t->num_folded; row += num_rows) {
            num_rows = t->num_folded - row < VALUE_ROWS ? t->num_folded - row : VALUE_ROWS;
            if (run == 4) add_pair_group(t, row, num_rows, chunk_start, offset, 4, source);
            else if (run == 2) add_pair_group(t, row, num_rows, chunk_start, offset, 2, source);
            else add_pair_group(t, row, num_rows, chunk_start, offset, 1, source);
        }
        offset += run * SIXTEEN;
    }
}

static void add_in_pairs(const tile *t, int64_t chunk_start, key_range seen) {
    const di_attention_shape *shape = &t->layer->plan->shape;
    memset(t->chunk_out, 0, (size_t)t->num_folded * (size_t)t->dim * sizeof(float));
    if (t->num_folded > FEW_ROWS || shape->head_dim != t->dim) {
        write_values(t, seen);
        add_all_pairs(t, chunk_start, WRITTEN);
    } else if (shape->format == DI_KV_INT8) {
        add_all_pairs(t, chunk_start, DI_KV_INT8);
    } else {
        add_all_pairs(t, chunk_start, DI_KV_HALF);
    }
}

#endif
