// Queries and keys as int16 codes: number = scale * code, a scale for each query and each key.
//
// A key's largest magnitude becomes 2^14 - 1, or its codes are the pool's own. Those of a query are scaled so that their
// magnitudes add up to 2^17 at most in the 64 dims that an int32 sums (to 2^24 beside the pool's codes, none above 2^15):
// so no sum overflows. Included by attention_pairs.h alone.
#ifndef DI_ATTENTION_CODES_H
#define DI_ATTENTION_CODES_H

#include "attention_tile.h"
#include "pairs.h"

enum {
    SUM_PAIRS = 32, // pairs of dims that an int32 sums
    MANY_ROWS = 8,  // rows whose codes lie side by side
    LARGEST_KEY_CODE = 16383,
    LARGEST_QUERY_CODE = 32767,
};

static int num_dim_pairs(const tile *t) { return (t->dim + PAIR_RUN - 1) / PAIR_RUN * SIXTEEN; }

// Codes of eight rows, whose first is `row`: of each pair of dims, theirs side by side.
static float *queries_from(const tile *t, int row) { return t->q + (int64_t)row * num_dim_pairs(t); }

// The sum of magnitudes that 64 of q's codes may have, whole before rounding: 32 less than the keys' codes leave.
static float query_code_sum(int format) {
    return format == DI_KV_INT8 ? 16777216.0f - 64.0f : 131072.0f - 64.0f; // 127 and 16383 times as much is below 2^31
}

// Sixteen floats from `offset` on, 0 beyond `count`.
static vf16 load_floats(const float *p, int offset, int count) {
    return vf16_load_lanes(p + offset, (__mmask16)first_lanes(count - offset));
}

// The scale of a query's codes.
static float scale_query(const float *q, int head_dim, int format) {
    float scale = 0.0f;
    for (int first = 0; first < head_dim; first += 2 * SUM_PAIRS) {
        vf16 sum = vf16_zero(), largest = vf16_zero();
        for (int d = first; d < head_dim && d < first + 2 * SUM_PAIRS; d += SIXTEEN) {
            vf16 magnitudes = vf16_abs(load_floats(q, d, head_dim));
            sum = vf16_add(sum, magnitudes);
            largest = vf16_max_magnitude(largest, magnitudes);
        }
        float wanted = vf16_sum(sum) / query_code_sum(format), least = vf16_largest(largest) / LARGEST_QUERY_CODE;
        if (!(wanted <= scale)) scale = wanted; // a NaN stays
        if (!(least <= scale)) scale = least;
    }
    return scale;
}

// Sixteen pairs of each of eight, those of each pair side by side: in the i-th line those of pair i.
INLINE void store_side_by_side(const pairs from[VF_LANES], float *lines, int line_floats) {
    vf low[VF_LANES], high[VF_LANES];
    for (int i = 0; i < VF_LANES; i++) {
        low[i] = pairs_low(from[i]);
        high[i] = pairs_high(from[i]);
    }
    vf_transpose(low);
    for (int i = 0; i < VF_LANES; i++) vf_store(lines + i * line_floats, low[i]);
    vf_transpose(high);
    for (int i = 0; i < VF_LANES; i++) vf_store(lines + (VF_LANES + i) * line_floats, high[i]);
}

// Up to eight rows; those that there are not are 0.
static void code_queries_from(const tile *t, int first_row, const float *const *q, int num_rows) {
    const di_attention_shape *shape = &t->layer->plan->shape;
    float inverse[MANY_ROWS] = {0}, *target = queries_from(t, first_row);
    for (int r = 0; r < num_rows; r++) {
        float scale = scale_query(q[r], shape->head_dim, shape->format);
        inverse[r] = scale > 0.0f ? 1.0f / scale : 0.0f;
        t->q_scales[first_row + r] = scale * t->layer->scale;
    }
    for (int d = 0; d < shape->head_dim; d += PAIR_RUN, target += SIXTEEN * MANY_ROWS) {
        pairs codes[MANY_ROWS];
        for (int r = 0; r < MANY_ROWS; r++) codes[r] = pairs_zero();
        for (int r = 0; r < num_rows; r++)
            codes[r] = pairs_rounded(load_floats(q[r], d, shape->head_dim),
                                     load_floats(q[r], d + SIXTEEN, shape->head_dim), vf16_set(inverse[r]));
        store_side_by_side(codes, target, MANY_ROWS);
    }
}

// A few rows: pairs j, 4 + j, 8 + j, 12 + j of a run, each four times over, for the four keys that score_few has in a
// quarter of a vector. They lie where keys of many rows are written.
static void code_few_queries(const tile *t) {
    const di_attention_shape *shape = &t->layer->plan->shape;
    float *target = t->written_keys;
    for (int row = 0; row < t->num_folded; row++) {
        const float *q = query_of(t, row);
        float scale = scale_query(q, shape->head_dim, shape->format);
        vf16 inverse = vf16_set(scale > 0.0f ? 1.0f / scale : 0.0f);
        t->q_scales[row] = scale * t->layer->scale;
        for (int d = 0; d < shape->head_dim; d += PAIR_RUN, target += QUARTERS * SIXTEEN) {
            vf16 low = load_floats(q, d, shape->head_dim), high = load_floats(q, d + SIXTEEN, shape->head_dim);
            pairs_store_spread(target, pairs_rounded(low, high, inverse));
        }
    }
}

static void code_queries(const tile *t) {
    if (t->num_folded <= FEW_ROWS) {
        code_few_queries(t);
        return;
    }
    for (int row = 0; row < t->num_folded; row += MANY_ROWS) {
        const float *q[MANY_ROWS];
        int num_rows = t->num_folded - row < MANY_ROWS ? t->num_folded - row : MANY_ROWS;
        for (int r = 0; r < num_rows; r++) q[r] = query_of(t, row + r);
        code_queries_from(t, row, q, num_rows);
    }
}

// The scales of eight keys, and in `inverse` what they are to be multiplied by.
INLINE void scale_keys(const char *const *keys, float *scales, float *inverse, int head_dim, int is_whole) {
    pairs largest[VF_LANES];
    for (int k = 0; k < VF_LANES; k++) largest[k] = pairs_zero();
    for (int d = 0; d < head_dim; d += PAIR_RUN) {
        __mmask32 lanes = lanes_from(d, head_dim, is_whole);
        for (int k = 0; k < VF_LANES; k++) largest[k] = larger_halves(largest[k], (const uint16_t *)keys[k] + d, lanes);
    }
    vf halves[VF_LANES], code = vf_set(LARGEST_KEY_CODE);
    for (int k = 0; k < VF_LANES; k++) halves[k] = half_of_halves(largest[k]);
    vf magnitudes = largest_halves(halves);
    vf_store(scales, vf_mul(magnitudes, vf_set(1.0f / LARGEST_KEY_CODE)));
    vf_store(inverse, vf_div(code, vf_max(vf_set(0x1p-24f), magnitudes))); // the least half float; NaN stays
}

// Pairs of one key's dims d .. d + 31.
INLINE pairs code_key(const char *key, int d, int format, __mmask32 lanes, float inverse) {
    __mmask16 low = (__mmask16)lanes, high = (__mmask16)(lanes >> SIXTEEN);
    if (format == DI_KV_INT8) {
        const int8_t *codes = (const int8_t *)key + d;
        return pairs_of_low_halves(load_codes(codes, low), load_codes(codes + SIXTEEN, high));
    }
    const uint16_t *halves = (const uint16_t *)key + d;
    return pairs_rounded(vf16_load_half(halves, low), vf16_load_half(halves + SIXTEEN, high), vf16_set(inverse));
}

// Scales of eight keys, which pools of codes have beside them.
INLINE void find_scales(const tile *t, int first, int format, int is_whole, float *inverse) {
    int head_dim = t->layer->plan->shape.head_dim;
    const char *const *keys = t->key_rows + first;
    if (format == DI_KV_HALF) scale_keys(keys, t->key_scales + first, inverse, head_dim, is_whole);
    for (int k = 0; format == DI_KV_INT8 && k < VF_LANES; k++)
        memcpy(t->key_scales + first + k, keys[k] + head_dim, sizeof(float));
}

// Pairs of dims d .. d + 31 of one key. What comes next, key and value, is asked for on the way.
INLINE pairs code_and_fetch(const tile *t, int key, int d, int format, __mmask32 lanes, float inverse) {
    const char *next = t->next_key_rows[key] + d * (format == DI_KV_INT8 ? 1 : (int)sizeof(uint16_t));
    __builtin_prefetch(next, 0, 2);
    __builtin_prefetch(next + t->to_value, 0, 2);
    return code_key(t->key_rows[key], d, format, lanes, inverse);
}

INLINE void code_run(const tile *t, int first, int format, int is_whole) {
    int head_dim = t->layer->plan->shape.head_dim;
    for (int key = 0; key < KEY_RUN; key += VF_LANES) {
        float inverse[VF_LANES] = {0}, *target = t->written_keys + key;
        find_scales(t, first + key, format, is_whole, inverse);
        for (int d = 0; d < head_dim; d += PAIR_RUN, target += SIXTEEN * KEY_RUN) {
            __mmask32 lanes = lanes_from(d, head_dim, is_whole);
            pairs codes[VF_LANES];
            for (int k = 0; k < VF_LANES; k++)
                codes[k] = code_and_fetch(t, first + key + k, d, format, lanes, inverse[k]);
            store_side_by_side(codes, target, KEY_RUN);
        }
    }
}

static void code_keys(const tile *t, int first) {
    int format = t->layer->plan->shape.format, is_whole = t->layer->plan->shape.head_dim % PAIR_RUN == 0;
    if (format == DI_KV_INT8) code_run(t, first, DI_KV_INT8, 0);
    else if (is_whole) code_run(t, first, DI_KV_HALF, 1);
    else code_run(t, first, DI_KV_HALF, 0);
}

#endif
