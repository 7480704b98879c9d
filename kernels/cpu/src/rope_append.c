// A row's q, k and v: norm over the head, rotation, and k and v written to their slot.
//
//   one head   | a0 a1 .. a(d/2-1) | b0 b1 .. b(d/2-1) |      (a, b) -> (a cos - b sin, b cos + a sin)
//
// Every element is computed by the same operations whatever rows share the call. Half floats saturate at 65504: an
// infinite key would turn the scores of all rows after it into NaN.
//
// Where keys are kept in eight bits, q and k are multiplied by one orthogonal matrix first, which leaves q . k as it is:
// a Hadamard matrix (Sylvester 1867) over each run of 2**n elements, 2**n the largest power that divides the head. It
// spreads the few large elements that keys have, which would else set the scale of all.
#include "rope_append.h"

#include <math.h>
#include <string.h>

#include "kernels.h"
#include "simd.h"

#define LARGEST_HALF 65504.0f
#define LARGEST_CODE 127.0f
#define LARGEST_FLOAT 3.4028234e38f
// Below this magnitude 127 / magnitude overflows; such a row counts as zero.
#define TINY 1e-36f

enum { MAX_HEAD_DIM = 1024, CODE_RUN = 32 };

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

// Codes with scale max |x| / 127; a row that is not all finite gets the scale NaN, so that it shows in what reads it.
static void store_codes(char *target, const float *head, int dim) {
    vf largest = vf_zero();
    float padded[VF_LANES] = {0};
    int whole = dim & ~(VF_LANES - 1);
    for (int d = 0; d < whole; d += VF_LANES) largest = vf_max_magnitude(largest, vf_abs(vf_load(head + d)));
    memcpy(padded, head + whole, (size_t)(dim - whole) * sizeof(float));
    float magnitude = vf_largest_magnitude(vf_max_magnitude(largest, vf_abs(vf_load(padded))));
    int is_codable = magnitude >= TINY && magnitude <= LARGEST_FLOAT;
    float scale = is_codable ? magnitude / LARGEST_CODE : magnitude < TINY ? 0.0f : NAN;
    float inverse = is_codable ? LARGEST_CODE / magnitude : 0.0f;
    memcpy(target + dim, &scale, sizeof scale);
    for (int d = 0; d < dim; d += CODE_RUN) {
        float run[CODE_RUN] = {0};
        int8_t codes[CODE_RUN];
        int count = dim - d < CODE_RUN ? dim - d : CODE_RUN;
        if (is_codable) memcpy(run, head + d, (size_t)count * sizeof(float));
        vf rounded[CODE_RUN / VF_LANES];
        for (int i = 0; i < CODE_RUN / VF_LANES; i++)
            rounded[i] = vf_round(vf_mul(vf_load(run + VF_LANES * i), vf_set(inverse)));
        vf_store_bytes(codes, rounded[0], rounded[1], rounded[2], rounded[3]);
        memcpy(target + d, codes, (size_t)count);
    }
}

// The first three steps of the Hadamard product, within the lanes of one vector.
static vf turn_lanes(vf a) {
    static const float SIGNS[3][VF_LANES] = {
        {1, -1, 1, -1, 1, -1, 1, -1}, {1, 1, -1, -1, 1, 1, -1, -1}, {1, 1, 1, 1, -1, -1, -1, -1}};
    a = vf_fma(a, vf_load(SIGNS[0]), vf_swap_1(a));
    a = vf_fma(a, vf_load(SIGNS[1]), vf_swap_2(a));
    return vf_fma(a, vf_load(SIGNS[2]), vf_swap_4(a));
}

// A head times the orthogonal Hadamard matrices of its runs, in place.
static void turn_head(float *head, int dim) {
    int run = dim & -dim, first_step = 1;
    if (run >= VF_LANES) {
        for (int d = 0; d < dim; d += VF_LANES) vf_store(head + d, turn_lanes(vf_load(head + d)));
        first_step = VF_LANES;
    }
    for (int step = first_step; step < run; step *= 2)
        for (int d = 0; d < dim; d += 2 * step)
            for (int i = d; i < d + step; i++) {
                float a = head[i], b = head[i + step];
                head[i] = a + b;
                head[i + step] = a - b;
            }
    float scale = 1.0f / sqrtf((float)run);
    for (int d = 0; d < dim; d++) head[d] *= scale;
}

static void store_row(void *pool, int64_t row, int format, const float *head, int dim) {
    char *target = (char *)pool + row * di_kv_row_bytes(format, dim);
    switch (format) {
    case DI_KV_HALF: store_halves((uint16_t *)target, head, dim); break;
    case DI_KV_INT8: store_codes(target, head, dim); break;
    default: memcpy(target, head, (size_t)dim * sizeof(float));
    }
}

static void store_cached(const di_rope_append *a, void *pool, int64_t slot, int kv_head, const float *head) {
    int64_t block = slot / a->block_size, offset = slot % a->block_size;
    int64_t row = (block * a->num_kv_heads + kv_head) * a->block_size + offset;
    store_row(pool, row, a->format, head, a->head_dim);
}

static void append_row(const di_rope_append *a, int64_t row) {
    int dim = a->head_dim;
    float normed[MAX_HEAD_DIM], rotated[MAX_HEAD_DIM];
    const float *head = a->qkv + row * (a->num_heads + 2 * a->num_kv_heads) * dim;
    const float *rope = a->rope_table ? a->rope_table + a->positions[row] * dim : NULL;
    float *q = a->q + row * a->num_heads * dim;
    head_norm norm = begin_norm(head, a->query_norm, a->query_norm_dim, a->query_eps, dim);
    for (int h = 0; h < a->num_heads; h++, head += dim, q += dim) {
        rotate_head(norm_head(&norm, head, h, dim, normed), rope, dim, q);
        if (a->format == DI_KV_INT8) turn_head(q, dim);
    }
    norm = begin_norm(head, a->key_norm, a->key_norm_dim, a->key_eps, dim);
    for (int h = 0; h < a->num_kv_heads; h++, head += dim) {
        rotate_head(norm_head(&norm, head, h, dim, normed), rope, dim, rotated);
        if (a->format == DI_KV_INT8) turn_head(rotated, dim);
        store_cached(a, a->keys, a->slots[row], h, rotated);
    }
    for (int h = 0; h < a->num_kv_heads; h++, head += dim) store_cached(a, a->values, a->slots[row], h, head);
}

void DI_NAME(di_rope_append)(const void *context, int item, int worker) {
    const di_rope_append *a = context;
    (void)worker;
    int rows = di_rope_rows_per_item(a->num_rows);
    int64_t first = (int64_t)item * rows, end = first + rows;
    if (end > a->num_rows) end = a->num_rows;
    for (int64_t row = first; row < end; row++) append_row(a, row);
}

static void append_latent(const di_latent_append *a, int64_t row) {
    int dim = a->row_size, first = dim - a->rotated_size;
    float cached[MAX_HEAD_DIM];
    const float *rope = a->rope_table ? a->rope_table + a->positions[row] * a->rotated_size : NULL;
    const float *q = a->q + row * a->num_heads * dim, *latent = a->latent + row * dim;
    float *rotated = a->rotated + row * a->num_heads * dim;
    for (int h = 0; h < a->num_heads; h++, q += dim, rotated += dim) {
        memcpy(rotated, q, (size_t)first * sizeof(float));
        rotate_head(q + first, rope, a->rotated_size, rotated + first);
        if (a->format == DI_KV_INT8) turn_head(rotated, dim);
    }
    float scale = inverse_rms(latent, a->eps, first);
    for (int d = 0; d < first; d++) cached[d] = latent[d] * scale * a->norm[d];
    rotate_head(latent + first, rope, a->rotated_size, cached + first);
    if (a->format == DI_KV_INT8) turn_head(cached, dim);
    store_row(a->pool, a->slots[row], a->format, cached, dim);
}

void DI_NAME(di_latent_append)(const void *context, int item, int worker) {
    const di_latent_append *a = context;
    (void)worker;
    int rows = di_rope_rows_per_item(a->num_rows);
    int64_t first = (int64_t)item * rows, end = first + rows;
    if (end > a->num_rows) end = a->num_rows;
    for (int64_t row = first; row < end; row++) append_latent(a, row);
}
