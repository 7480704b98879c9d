// The linear operations and the embedding against plain loops, in every variant; also whether a row's bits depend on its
// company. For runs under sanitizers, valgrind and an emulator: see check.py. Prints one line and exits with 0 if all is
// well.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "half.h"
#include "kernels.h"
#include "linear.h"

// More rows than share unpacked codes, and more columns than a panel has.
enum { N = 42, K = 1152, M = 69 };

static uint32_t state = 12345;
static int num_failures;

static uint32_t next_random(void) {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}
static float next_float(void) { return (float)next_random() / (float)(1 << 23) - 1.0f; }

// A float16 between 2**-10 and 2**-6, of either sign.
static uint16_t next_half(void) { return (uint16_t)((next_random() & 0x83ff) | (5 + next_random() % 4) << 10); }

typedef struct plain_weight {
    uint8_t codes[N * K];
    uint16_t scale[N * K / 32], minimum[N * K / 32];
} plain_weight;

static int code_of(const plain_weight *plain, int bits, int index) {
    if (bits == 8) return plain->codes[index];
    if (bits == 4) return plain->codes[index / 2] >> 4 * (index % 2) & 15;
    // eight codes in as many bytes as a code has bits
    int code = 0, first_bit = index % 8 * bits;
    for (int bit = 0; bit < bits; bit++) {
        uint8_t byte = plain->codes[index / 8 * bits + (first_bit + bit) / 8];
        code |= (byte >> (first_bit + bit) % 8 & 1) << bit;
    }
    return code;
}

static float weight_of(const plain_weight *plain, const di_weight *w, int row, int column) {
    int group = row * (K / w->group_size) + column / w->group_size, code = code_of(plain, w->bits, row * K + column);
    float scale = di_half_to_float(plain->scale[group]);
    if (w->has_minimum) return (float)code * scale + di_half_to_float(plain->minimum[group]);
    return (float)(code - (1 << (w->bits - 1))) * scale;
}

static void expect_near(const char *what, float actual, double expected, double allowed) {
    if (fabs((double)actual - expected) <= allowed) return;
    if (num_failures++ < 10) printf("%s in %s: %g, must be %g +- %g\n", what, di_variant(), actual, expected, allowed);
}

// rms_norm(x) . row, and how far int8 rounding may take it: half a step for every column.
static double dot(const plain_weight *plain, const di_weight *w, int row, const float *x, double *allowed) {
    double sum = 0;
    *allowed = 1e-4;
    for (int first = 0; first < K; first += DI_RUN) {
        double largest = 0, weights = 0;
        for (int i = first; i < first + DI_RUN; i++) {
            double value = weight_of(plain, w, row, i);
            sum += value * x[i];
            weights += fabs(value);
            if (fabs(x[i]) > largest) largest = fabs(x[i]);
        }
        *allowed += largest / 127 * 0.51 * weights;
    }
    return sum;
}

static void normalise(const float *x, const float *norm, float *y) {
    double sum = 0;
    for (int i = 0; i < K; i++) sum += (double)x[i] * x[i];
    for (int i = 0; i < K; i++) y[i] = (float)(x[i] / sqrt(sum / K + 1e-5)) * norm[i];
}

static void centre(const float *x, const float *norm, const float *bias, float *y) {
    double mean = 0;
    float centred[K];
    for (int i = 0; i < K; i++) mean += (double)x[i] / K;
    for (int i = 0; i < K; i++) centred[i] = (float)(x[i] - mean);
    normalise(centred, norm, y);
    for (int i = 0; i < K; i++) y[i] += bias[i];
}

static double gelu(double x) { return 0.5 * x * erfc(-x / sqrt(2)); }
static double silu(double x) { return x / (1 + exp(-x)); }

static void run(di_pool *pool, di_scratch *scratch, di_linear *linear, const float *x, int num_rows, float *y) {
    linear->x = x;
    linear->num_rows = num_rows;
    linear->y = y;
    if (di_linear_run(pool, scratch, linear) != 0) abort();
}

// All rows at once, then each alone: the same bits.
static float *run_both_ways(di_pool *pool, di_scratch *scratch, di_linear *linear, const float *x, int width) {
    float *together = malloc(sizeof(float) * (size_t)(M * width)), *alone = malloc(sizeof(float) * (size_t)width);
    const float *residual = linear->residual;
    run(pool, scratch, linear, x, M, together);
    for (int row = 0; row < M; row++) {
        if (residual) linear->residual = residual + row * width;
        run(pool, scratch, linear, x + row * K, 1, alone);
        if (memcmp(alone, together + row * width, sizeof(float) * (size_t)width) != 0) num_failures++;
    }
    linear->residual = residual;
    free(alone);
    return together;
}

static void check_format(di_pool *pool, di_scratch *scratch, int bits, int group_size, int has_minimum) {
    plain_weight *plain = malloc(sizeof *plain);
    float *x = malloc(sizeof(float) * M * K), *norm = malloc(sizeof(float) * K);
    float *residual = malloc(sizeof(float) * M * N), normed[K];
    for (int i = 0; i < N * K; i++) plain->codes[i] = (uint8_t)next_random();
    for (int i = 0; i < N * K / 32; i++) plain->scale[i] = next_half(), plain->minimum[i] = next_half();
    for (int i = 0; i < M * K; i++) x[i] = next_float();
    for (int i = 0; i < K; i++) norm[i] = next_float();
    for (int i = 0; i < M * N; i++) residual[i] = next_float();
    di_weight w = {0, N, K, bits, group_size, has_minimum};
    w.data = malloc(di_weight_bytes(&w));
    di_repack(pool, &w, plain->codes, plain->scale, has_minimum ? plain->minimum : 0);

    di_linear linear = {.weight = &w, .norm = norm, .norm_eps = 1e-5f, .residual = residual, .bias = residual};
    di_linear gate_up = {.weight = &w, .norm = norm, .norm_eps = 1e-5f, .activation = DI_SILU, .is_gated = 1};
    di_linear up = {.weight = &w, .norm = norm, .norm_bias = x, .norm_eps = 1e-5f, .bias = norm, .activation = DI_GELU};
    float *y = run_both_ways(pool, scratch, &linear, x, N), *z = run_both_ways(pool, scratch, &gate_up, x, N / 2);
    float *u = run_both_ways(pool, scratch, &up, x, N);
    for (int m = 0; m < M; m++) {
        double sums[N], allowed[N];
        normalise(x + m * K, norm, normed);
        for (int n = 0; n < N; n++) sums[n] = dot(plain, &w, n, normed, &allowed[n]);
        for (int n = 0; n < N; n++)
            expect_near("linear", y[m * N + n], sums[n] + residual[n] + residual[m * N + n], allowed[n]);
        for (int n = 0; n < N / 2; n++) {
            double up = sums[N / 2 + n], slack = 1.13 * allowed[n] * (fabs(up) + allowed[N / 2 + n]);
            slack += (fabs(sums[n]) + 0.28) * allowed[N / 2 + n];
            expect_near("gate and up", z[m * (N / 2) + n], silu(sums[n]) * up, slack);
        }
        centre(x + m * K, norm, x, normed);
        for (int n = 0; n < N; n++) sums[n] = dot(plain, &w, n, normed, &allowed[n]);
        for (int n = 0; n < N; n++)
            expect_near("up", u[m * N + n], gelu(sums[n] + norm[n]), 1.13 * allowed[n]);
    }

    int64_t tokens[] = {N - 1, 0, 7};
    float *rows = malloc(sizeof(float) * 3 * K);
    di_embedding embedding = {&w, tokens, rows, 2.0f, 3};
    di_embed(pool, &embedding);
    for (int i = 0; i < 3 * K; i++)
        expect_near("embedding", rows[i], 2.0 * weight_of(plain, &w, (int)tokens[i / K], i % K), 0);
    free(rows), free(u), free(z), free(y), free(w.data), free(residual), free(norm), free(x), free(plain);
}

int main(void) {
    static const char *const NAMES[] = {"avx2", "avxvnni", "avx512vnni", "avx512bf16", "neon", "neondot"};
    di_pool *pool = di_pool_create(3, 20);
    di_scratch *scratch = di_scratch_create(3);
    int num_variants = 0;
    for (int i = 0; i < 6; i++) {
        if (!di_choose_variant(NAMES[i])) continue;
        num_variants++;
        for (int bits = 3; bits <= 8; bits += bits == 5 ? 3 : 1)
            for (int group_size = 32; group_size <= 128; group_size *= 2)
                for (int has_minimum = 0; has_minimum < 2; has_minimum++)
                    check_format(pool, scratch, bits, group_size, has_minimum);
    }
    di_scratch_destroy(scratch);
    di_pool_destroy(pool);
    printf("linear: %d variants, %d failures\n", num_variants, num_failures);
    return num_variants == 0 || num_failures != 0;
}
