// The weights of a chunk's keys: softmax of a few rows at a time, so that the sums across lanes are shared and no row waits
// for its own maximum. Included by attention.c alone.
#ifndef DI_ATTENTION_SOFTMAX_H
#define DI_ATTENTION_SOFTMAX_H

#include <math.h>

#include "attention_pairs.h"
#include "attention_tile.h"

// The largest lane of each vector; that of vector i in lane i.
static vf largest_lanes(vf a[VF_LANES]) {
    vf_transpose(a);
    return vf_max(vf_max(vf_max(a[0], a[1]), vf_max(a[2], a[3])), vf_max(vf_max(a[4], a[5]), vf_max(a[6], a[7])));
}

// vf_sum of each vector; that of vector i in lane i.
static vf sums_of_lanes(vf a[VF_LANES]) {
    vf_transpose(a);
    return vf_add(vf_add(vf_add(a[0], a[4]), vf_add(a[2], a[6])), vf_add(vf_add(a[1], a[5]), vf_add(a[3], a[7])));
}

static void scale(float *numbers, const float *scales, int first, int end) {
    for (int i = first; i < end; i += VF_LANES) vf_store(numbers + i, vf_mul(vf_load(numbers + i), vf_load(scales + i)));
}

static key_range whole_vectors(key_range keys, int lanes) {
    key_range whole = {keys.first & ~(lanes - 1), (keys.end + lanes - 1) & ~(lanes - 1)};
    return whole;
}

// Finished scores of one row, in place, minus infinity where it does not see a key; the largest of each lane.
INLINE vf finish_scores(const tile *t, float *scores, key_range seen) {
    float softcap = t->layer->softcap;
    key_range whole = whole_vectors(seen, t->is_in_pairs ? 2 * VF_LANES : VF_LANES);
    if (has_scales(t) && !t->is_in_pairs) scale(scores, t->key_scales, whole.first, whole.end);
    if (softcap != 0.0f)
        for (int key = whole.first; key < whole.end; key += VF_LANES) {
            vf capped = vf_tanh(vf_div(vf_load(scores + key), vf_set(softcap)));
            vf_store(scores + key, vf_mul(capped, vf_set(softcap)));
        }
    for (int key = whole.first; key < seen.first; key++) scores[key] = -INFINITY;
    for (int key = seen.end; key < whole.end; key++) scores[key] = -INFINITY;
    if (t->is_in_pairs) return largest_in_pairs(scores, whole);
    vf largest = vf_load(scores + whole.first);
    for (int key = whole.first + VF_LANES; key < whole.end; key += VF_LANES)
        largest = vf_max(largest, vf_load(scores + key));
    return largest;
}

// Finished scores of one row to weights in place, 0 where it does not see a key; their sum by lanes. Where values are
// codes, their scales go into the weights, after the sum.
INLINE vf weigh(const tile *t, float *scores, key_range seen, float maximum) {
    key_range whole = whole_vectors(seen, VF_LANES);
    vf sum = vf_zero();
    for (int key = whole.first; key < whole.end; key += VF_LANES) {
        vf weight = vf_exp_capped(vf_sub(vf_load(scores + key), vf_set(maximum)));
        vf_store(scores + key, weight);
        if (key < seen.first || key + VF_LANES > seen.end) {
            for (int k = key; k < key + VF_LANES; k++)
                if (k < seen.first || k >= seen.end) scores[k] = 0.0f;
            weight = vf_load(scores + key);
        }
        sum = vf_add(sum, weight);
    }
    if (has_scales(t)) scale(scores, t->value_scales, whole.first, whole.end);
    return sum;
}

// Scores of up to eight rows to weights; their maxima and sums, minus infinity and 0 where a row sees none of the keys.
static void weigh_rows(const tile *t, int first_row, int num_rows, int64_t chunk_start) {
    float *scores = t->scores + (int64_t)first_row * DI_CHUNK_KEYS, maxima[VF_LANES], sums[VF_LANES];
    vf lanes[VF_LANES];
    for (int r = 0; r < VF_LANES; r++) lanes[r] = vf_set(-INFINITY);
    for (int r = 0; r < num_rows; r++) {
        key_range seen = seen_by(t, first_row + r, chunk_start);
        if (seen.first < seen.end) lanes[r] = finish_scores(t, scores + r * DI_CHUNK_KEYS, seen);
    }
    vf_store(maxima, largest_lanes(lanes));
    for (int r = 0; r < VF_LANES; r++) lanes[r] = vf_zero();
    for (int r = 0; r < num_rows; r++) {
        key_range seen = seen_by(t, first_row + r, chunk_start);
        if (seen.first >= seen.end) continue;
        float *row = scores + r * DI_CHUNK_KEYS;
        lanes[r] = t->is_in_pairs ? weigh_in_pairs(t, row, seen, maxima[r]) : weigh(t, row, seen, maxima[r]);
    }
    vf_store(sums, sums_of_lanes(lanes));
    memcpy(t->chunk_max + first_row, maxima, (size_t)num_rows * sizeof(float));
    memcpy(t->chunk_sum + first_row, sums, (size_t)num_rows * sizeof(float));
}

#endif
