// A row's q, k and v: norm over the head, rotation, and k and v written to their slot.
//
//   one head   | a0 a1 .. a(d/2-1) | b0 b1 .. b(d/2-1) |      (a, b) -> (a cos - b sin, b cos + a sin)
//
// Every element is computed by the same operations whatever rows share the call. Half floats saturate at 65504: an
// infinite key would turn the scores of all rows after it into NaN.
#include "rope_append.h"

#include <math.h>
#include <string.h>

#include "kernels.h"
#include "simd.h"

#define LARGEST_HALF 65504.0f

enum { MAX_HEAD_DIM = 1024 };

static float inverse_rms(const float *head, float eps, int dim) {
    vf squares = vf_zero();
    int d = 0;
    for (; d + VF_LANES <= dim; d += VF_LANES) squares = vf_fma(vf_load(head + d), vf_load(head + d), squares);
    float sum = vf_sum(squares);
    for (; d < dim; d++) sum += head[d] * head[d];
    return 1.0f / sqrtf(sum / (float)dim + eps);
}

// The norm of one head, or this head's part of a norm over all `heads` of a row.
typedef struct head_norm {
    const float *weight; // null: no norm
    float eps, shared_scale;
    int is_shared;
} head_norm;

static head_norm begin_norm(const float *heads, const float *weight, int norm_dim, float eps, int dim) {
    head_norm norm = {weight, eps, 0.0f, weight && norm_dim != dim};
    if (norm.is_shared) norm.shared_scale = inverse_rms(heads, eps, norm_dim);
    return norm;
}

static const float *norm_head(const head_norm *norm, const float *head, int number, int dim, float *out) {
    if (!norm->weight) return head;
    float scale = norm->is_shared ? norm->shared_scale : inverse_rms(head, norm->eps, dim);
    const float *weight = norm->is_shared ? norm->weight + number * dim : norm->weight;
    for (int d = 0; d < dim; d++) out[d] = head[d] * scale * weight[d];
    return out;
}

static void rotate_head(const float *head, const float *rope, int dim, float *out) {
    if (!rope) {
        memcpy(out, head, (size_t)dim * sizeof(float));
        return;
    }
    int half = dim / 2, i = 0;
    const float *cosines = rope, *sines = rope + half;
    for (; i + VF_LANES <= half; i += VF_LANES) {
        vf a = vf_load(head + i), b = vf_load(head + half + i), c = vf_load(cosines + i), s = vf_load(sines + i);
        vf_store(out + i, vf_sub(vf_mul(a, c), vf_mul(b, s)));
        vf_store(out + half + i, vf_add(vf_mul(b, c), vf_mul(a, s)));
    }
    for (; i < half; i++) {
        float a = head[i], b = head[half + i];
        out[i] = a * cosines[i] - b * sines[i];
        out[half + i] = b * cosines[i] + a * sines[i];
    }
}

static void store_halves(uint16_t *target, const float *values, int count) {
    const vf low = vf_set(-LARGEST_HALF), high = vf_set(LARGEST_HALF);
    int i = 0;
    // this order of operands keeps NaN
    for (; i + VF_LANES <= count; i += VF_LANES)
        vf_store_half(target + i, vf_min(high, vf_max(low, vf_load(values + i))));
    if (i == count) return;
    float rest[VF_LANES] = {0};
    uint16_t lanes[VF_LANES];
    memcpy(rest, values + i, (size_t)(count - i) * sizeof(float));
    vf_store_half(lanes, vf_min(high, vf_max(low, vf_load(rest))));
    memcpy(target + i, lanes, (size_t)(count - i) * sizeof(uint16_t));
}

static void store_cached(const di_rope_append *a, void *pool, int64_t slot, int kv_head, const float *head) {
    int64_t block = slot / a->block_size, offset = slot % a->block_size;
    int64_t place = ((block * a->num_kv_heads + kv_head) * a->block_size + offset) * a->head_dim;
    if (a->is_half) store_halves((uint16_t *)pool + place, head, a->head_dim);
    else memcpy((float *)pool + place, head, (size_t)a->head_dim * sizeof(float));
}

static void append_row(const di_rope_append *a, int64_t row) {
    int dim = a->head_dim;
    float normed[MAX_HEAD_DIM], rotated[MAX_HEAD_DIM];
    const float *head = a->qkv + row * (a->num_heads + 2 * a->num_kv_heads) * dim;
    const float *rope = a->rope_table ? a->rope_table + a->positions[row] * dim : NULL;
    float *q = a->q + row * a->num_heads * dim;
    head_norm norm = begin_norm(head, a->query_norm, a->query_norm_dim, a->query_eps, dim);
    for (int h = 0; h < a->num_heads; h++, head += dim, q += dim)
        rotate_head(norm_head(&norm, head, h, dim, normed), rope, dim, q);
    norm = begin_norm(head, a->key_norm, a->key_norm_dim, a->key_eps, dim);
    for (int h = 0; h < a->num_kv_heads; h++, head += dim) {
        rotate_head(norm_head(&norm, head, h, dim, normed), rope, dim, rotated);
        store_cached(a, a->keys, a->slots[row], h, rotated);
    }
    for (int h = 0; h < a->num_kv_heads; h++, head += dim) store_cached(a, a->values, a->slots[row], h, head);
}

void DI_NAME(di_rope_append)(const void *context, int item, int worker) {
    const di_rope_append *a = context;
    (void)worker;
    int64_t first = (int64_t)item * DI_ROPE_ROWS, end = first + DI_ROPE_ROWS;
    if (end > a->num_rows) end = a->num_rows;
    for (int64_t row = first; row < end; row++) append_row(a, row);
}
