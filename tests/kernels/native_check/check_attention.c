// Rotary embedding and attention against plain loops, in every variant; also whether a row's bits depend on its company
// or on the number of threads. Every piece of memory is exactly as long as it has to be. See check.py.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "half.h"
#include "kernels.h"

enum { SEQUENCES = 4, MAX_CONTEXT = 300, ROWS = 1 + 1 + 5 + 70 };

static const int64_t STARTS[SEQUENCES + 1] = {0, 1, 2, 7, 77};
static const int64_t CONTEXTS[SEQUENCES] = {1, 300, 140, 260};

typedef struct model {
    int heads, kv_heads, head_dim, block_size, format, window;
    float softcap;
} model;

static uint32_t state = 4711;
static int num_failures;

static float next_float(void) {
    state = state * 1664525u + 1013904223u;
    return (float)(state >> 8) / (float)(1 << 23) - 1.0f;
}

static void fail(const char *what, const model *m) {
    if (num_failures++ < 10)
        printf("%s in %s: %d on %d heads of %d, blocks of %d, format %d, window %d\n", what, di_variant(), m->heads,
               m->kv_heads, m->head_dim, m->block_size, m->format, m->window);
}

typedef struct cache {
    int64_t *tables[SEQUENCES];
    int64_t num_blocks;
    void *keys, *values;
    di_ragged_batch batch;
} cache;

static float read_cached(const model *m, const void *pool, int64_t slot, int kv_head, int d) {
    int64_t block = slot / m->block_size, offset = slot % m->block_size;
    int64_t row = (block * m->kv_heads + kv_head) * m->block_size + offset;
    const char *numbers = (const char *)pool + row * di_kv_row_bytes(m->format, m->head_dim);
    float scale;
    switch (m->format) {
    case DI_KV_HALF: return di_half_to_float(((const uint16_t *)numbers)[d]);
    case DI_KV_INT8:
        memcpy(&scale, numbers + m->head_dim, sizeof scale);
        return scale * (float)((const int8_t *)numbers)[d];
    default: return ((const float *)numbers)[d];
    }
}

static int64_t slot_of(const model *m, const cache *c, int s, int64_t position) {
    return c->tables[s][position / m->block_size] * m->block_size + position % m->block_size;
}

static cache open_cache(const model *m) {
    cache c = {.num_blocks = 1};
    for (int s = 0; s < SEQUENCES; s++) {
        int64_t count = (CONTEXTS[s] + m->block_size - 1) / m->block_size;
        c.tables[s] = malloc((size_t)count * sizeof(int64_t));
        for (int64_t i = 0; i < count; i++) c.tables[s][count - 1 - i] = c.num_blocks++;
    }
    size_t size = (size_t)(c.num_blocks * m->kv_heads * m->block_size * di_kv_row_bytes(m->format, m->head_dim));
    c.keys = malloc(size);
    c.values = malloc(size);
    memset(c.keys, 0xff, size); // NaN
    memset(c.values, 0xff, size);
    return c;
}

static void close_cache(cache *c) {
    for (int s = 0; s < SEQUENCES; s++) free(c->tables[s]);
    free(c->keys);
    free(c->values);
}

// Append all tokens of a sequence, and check the rotation of q and of what lies in the cache.
static void fill(di_pool *pool, const model *m, cache *c, int s, const float *rope) {
    int64_t n = CONTEXTS[s], width = (m->heads + 2 * m->kv_heads) * m->head_dim;
    float *qkv = malloc((size_t)(n * width) * sizeof(float));
    float *q = malloc((size_t)(n * m->heads * m->head_dim) * sizeof(float));
    int64_t *positions = malloc((size_t)n * sizeof(int64_t)), *slots = malloc((size_t)n * sizeof(int64_t));
    for (int64_t i = 0; i < n * width; i++) qkv[i] = next_float();
    for (int64_t i = 0; i < n; i++) positions[i] = i, slots[i] = slot_of(m, c, s, i);
    di_rope_append call = {.num_rows = n, .num_heads = m->heads, .num_kv_heads = m->kv_heads, .head_dim = m->head_dim,
                           .block_size = m->block_size, .format = m->format, .qkv = qkv, .positions = positions,
                           .slots = slots, .rope_table = rope, .q = q, .keys = c->keys, .values = c->values};
    di_rope_append_run(pool, &call);
    int half = m->head_dim / 2;
    // Keys in codes are turned as well: tests/kernels compares those with the reference.
    for (int64_t i = 0; i < n && m->format != DI_KV_INT8; i++)
        for (int h = 0; h < m->heads + m->kv_heads; h++)
            for (int d = 0; d < half; d++) {
                const float *head = qkv + i * width + h * m->head_dim, *angles = rope + i * m->head_dim;
                double expected = (double)head[d] * angles[d] - (double)head[half + d] * angles[half + d];
                float actual = h < m->heads ? q[(i * m->heads + h) * m->head_dim + d]
                                            : read_cached(m, c->keys, slots[i], h - m->heads, d);
                if (!(fabs(actual - expected) < 2e-3)) fail("rotation", m);
            }
    free(qkv), free(q), free(positions), free(slots);
}

// avx512bf16 rounds weights and values of shorter formats than float32 to bfloat16: by 2^-9 of themselves each, and here no
// value is above 1.
static double tolerance(const model *m) {
    return m->format != DI_KV_FLOAT && strcmp(di_variant(), "avx512bf16") == 0 ? 5e-3 : 1e-4;
}

static void check_row(const model *m, const cache *c, int s, int64_t row, int head, const float *q, const float *out) {
    int64_t position = CONTEXTS[s] - (STARTS[s + 1] - STARTS[s]) + row;
    int64_t first = m->window && position - m->window + 1 > 0 ? position - m->window + 1 : 0;
    int kv_head = head / (m->heads / m->kv_heads);
    double weights[MAX_CONTEXT], largest = -INFINITY, sum = 0;
    for (int64_t j = first; j <= position; j++) {
        double score = 0;
        for (int d = 0; d < m->head_dim; d++)
            score += (double)q[d] * read_cached(m, c->keys, slot_of(m, c, s, j), kv_head, d);
        score *= 0.25;
        weights[j] = m->softcap != 0 ? m->softcap * tanh(score / m->softcap) : score;
        if (weights[j] > largest) largest = weights[j];
    }
    for (int64_t j = first; j <= position; j++) sum += weights[j] = exp(weights[j] - largest);
    for (int d = 0; d < m->head_dim; d++) {
        double expected = 0;
        for (int64_t j = first; j <= position; j++)
            expected += weights[j] / sum * read_cached(m, c->values, slot_of(m, c, s, j), kv_head, d);
        if (!(fabs(out[d] - expected) < tolerance(m))) fail("attention", m);
    }
}

static void attend(di_pool *pool, const model *m, const cache *c, const di_ragged_batch *batch, const float *q,
                   float *out) {
    di_attention_plan *plan = di_attention_plan_create();
    di_attention_shape shape = {m->heads, m->kv_heads, m->head_dim, m->block_size, m->format, m->window};
    if (!plan || !di_attention_plan_for(pool, plan, &shape, batch)) abort();
    di_attention call = {plan, q, c->keys, c->values, out, 0.25f, m->softcap};
    di_attention_run(pool, &call);
    di_attention_plan_destroy(plan);
}

static void check_attention(di_pool *const *pools, const model *m, const cache *c) {
    int64_t width = m->heads * m->head_dim;
    size_t bytes = (size_t)(ROWS * width) * sizeof(float);
    float *q = malloc(bytes), *out = malloc(bytes), *again = malloc(bytes);
    for (int64_t i = 0; i < ROWS * width; i++) q[i] = next_float();
    const di_ragged_batch all = {SEQUENCES, STARTS, CONTEXTS, (const int64_t *const *)c->tables};
    attend(pools[0], m, c, &all, q, out);
    attend(pools[1], m, c, &all, q, again);
    if (memcmp(out, again, bytes) != 0) fail("threads", m);
    for (int s = 0; s < SEQUENCES; s++)
        for (int64_t row = STARTS[s]; row < STARTS[s + 1]; row += 3) {
            int64_t starts[2] = {0, 1}, context = CONTEXTS[s] - STARTS[s + 1] + row + 1;
            const int64_t *table = c->tables[s];
            const di_ragged_batch one = {1, starts, &context, &table};
            attend(pools[1], m, c, &one, q + row * width, again);
            if (memcmp(out + row * width, again, (size_t)width * sizeof(float)) != 0) fail("company", m);
            for (int head = 0; head < m->heads; head += m->heads - 1) {
                int64_t place = row * width + head * m->head_dim;
                check_row(m, c, s, row - STARTS[s], head, q + place, out + place);
            }
        }
    free(q), free(out), free(again);
}

int main(void) {
    static const char *const NAMES[] = {"avx2", "avxvnni", "avx512vnni", "avx512bf16", "neon", "neondot"};
    static const model MODELS[] = {{9, 3, 64, 16, 1, 0, 0}, {7, 1, 20, 5, 1, 40, 0},    {4, 4, 16, 1, 0, 0, 2.0f},
                                   {6, 2, 4, 300, 1, 0, 0}, {60, 1, 80, 32, 0, 150, 0}, {14, 2, 96, 4, 1, 1, 1.5f},
                                   {9, 3, 64, 16, 2, 0, 0}, {6, 2, 20, 3, 2, 40, 2.0f}, {14, 1, 6, 7, 2, 0, 0}};
    di_pool *pools[] = {di_pool_create(1, 20), di_pool_create(3, 20)};
    int num_variants = 0;
    for (int i = 0; i < 6; i++) {
        if (!di_choose_variant(NAMES[i])) continue;
        num_variants++;
        for (size_t n = 0; n < sizeof MODELS / sizeof *MODELS; n++) {
            const model *m = &MODELS[n];
            float *rope = malloc((size_t)(MAX_CONTEXT * m->head_dim) * sizeof(float));
            for (int j = 0; j < MAX_CONTEXT * m->head_dim; j++) rope[j] = next_float();
            cache c = open_cache(m);
            for (int s = 0; s < SEQUENCES; s++) fill(pools[1], m, &c, s, rope);
            check_attention(pools, m, &c);
            close_cache(&c);
            free(rope);
        }
    }
    di_pool_destroy(pools[0]);
    di_pool_destroy(pools[1]);
    printf("attention: %d variants, %d failures\n", num_variants, num_failures);
    return num_variants == 0 || num_failures != 0;
}
