// Whole rows: norms, quantisation to eight bits, and what follows a linear. Knows nothing of threads.
#include "rows.h"

#include <math.h>

#include "activation.h"
#include "kernels.h"
#include "simd.h"

static const float LARGEST_CODE = 127.0f;
// Below this magnitude 127 / magnitude overflows; such a run counts as zero.
static const float TINY = 1e-36f;
static const float LARGEST_FLOAT = 3.4028234e38f;

// What a row goes through before it becomes codes.
typedef struct row_norm {
    const float *weight; // null: none
    const float *bias;   // null: RMSNorm, else LayerNorm
    float mean;
    float inverse; // of the root of the mean square
} row_norm;

static float mean_of(const float *x, int n) {
    vf sums = vf_zero();
    int i = 0;
    for (; i + VF_LANES <= n; i += VF_LANES) sums = vf_add(sums, vf_load(x + i));
    float sum = vf_sum(sums);
    for (; i < n; i++) sum += x[i];
    return sum / (float)n;
}

// 1 / sqrt(mean((x - mean)**2) + eps) of n values.
static float inverse_rms(const float *x, float mean, int n, float eps) {
    vf sums[4] = {vf_zero(), vf_zero(), vf_zero(), vf_zero()};
    int i = 0;
    for (; i + 4 * VF_LANES <= n; i += 4 * VF_LANES)
        for (int j = 0; j < 4; j++) {
            vf part = vf_sub(vf_load(x + i + VF_LANES * j), vf_set(mean));
            sums[j] = vf_fma(part, part, sums[j]);
        }
    float sum = vf_sum(vf_add(vf_add(sums[0], sums[1]), vf_add(sums[2], sums[3])));
    for (; i < n; i++) sum += (x[i] - mean) * (x[i] - mean);
    return 1.0f / sqrtf(sum / (float)n + eps);
}

// 32 values to codes: scale = max |x| / 127. A run that is not all finite gets a NaN as scale, so the result shows it.
static void quantise_run(const vf x[4], float offset_factor, di_run_codes *run) {
    vf largest = vf_max_magnitude(
        vf_max_magnitude(vf_abs(x[0]), vf_abs(x[1])), vf_max_magnitude(vf_abs(x[2]), vf_abs(x[3])));
    float magnitude = vf_largest_magnitude(largest);
    if (!(magnitude >= TINY && magnitude <= LARGEST_FLOAT)) {
        memset(run->codes, 0, sizeof run->codes);
        run->scale = run->offset = magnitude < TINY ? 0.0f : NAN;
        return;
    }
    vf inverse = vf_set(LARGEST_CODE / magnitude);
    vf codes[4];
    for (int j = 0; j < 4; j++) codes[j] = vf_round(vf_mul(x[j], inverse));
    vf_store_bytes(run->codes, codes[0], codes[1], codes[2], codes[3]);
    run->scale = magnitude / LARGEST_CODE;
    float sum = vf_sum(vf_add(vf_add(codes[0], codes[1]), vf_add(codes[2], codes[3])));
    run->offset = run->scale * sum * offset_factor;
}

static void quantise_runs(const float *x, int first, int end, const row_norm *n, float offset_factor,
                          di_run_codes *runs) {
    vf mean = vf_set(n->mean), inverse = vf_set(n->inverse);
    for (int column = first; column < end; column += DI_RUN) {
        vf parts[4];
        for (int j = 0; j < 4; j++) {
            int at = column + VF_LANES * j;
            parts[j] = vf_load(x + at);
            if (n->bias) parts[j] = vf_sub(parts[j], mean);
            if (n->weight) parts[j] = vf_mul(vf_mul(parts[j], inverse), vf_load(n->weight + at));
            if (n->bias) parts[j] = vf_add(parts[j], vf_load(n->bias + at));
        }
        quantise_run(parts, offset_factor, runs++);
    }
}

#if defined(__AVX512VNNI__)
#include "rows_sixteen.h"
#endif

void DI_NAME(di_quantise_rows)(
    const float *x, int num_rows, int num_columns, const float *norm, const float *norm_bias, float eps,
    float offset_factor, struct di_run_codes *codes) {
    for (int row = 0; row < num_rows; row++, x += num_columns, codes += num_columns / DI_RUN) {
        row_norm n = {.weight = norm, .bias = norm_bias, .mean = norm_bias ? mean_of(x, num_columns) : 0.0f};
        n.inverse = norm ? inverse_rms(x, n.mean, num_columns, eps) : 1.0f;
        int column = 0;
#if defined(__AVX512VNNI__)
        for (int end; (end = column + FOUR_RUNS * DI_RUN) <= num_columns; column = end)
            if (!quantise_four_runs(x, column, &n, offset_factor, codes + column / DI_RUN))
                quantise_runs(x, column, end, &n, offset_factor, codes + column / DI_RUN);
#endif
        quantise_runs(x, column, num_columns, &n, offset_factor, codes + column / DI_RUN);
    }
}

void DI_NAME(di_add_normed_row)(const float *residual, const float *norm, float eps, int num_columns, float *y) {
    float inverse = inverse_rms(y, 0.0f, num_columns, eps);
    for (int i = 0; i < num_columns; i++) y[i] = residual[i] + y[i] * inverse * norm[i];
}

void DI_NAME(di_finish_linear)(
    const float *tile, int num_columns, const float *bias, const float *residual, float *y) {
    int i = 0;
    for (; i + VF_LANES <= num_columns; i += VF_LANES) {
        vf value = vf_load(tile + i);
        if (bias) value = vf_add(value, vf_load(bias + i));
        if (residual) value = vf_add(vf_load(residual + i), value);
        vf_store(y + i, value);
    }
    for (; i < num_columns; i++) {
        float value = tile[i] + (bias ? bias[i] : 0.0f);
        y[i] = residual ? residual[i] + value : value;
    }
}

void DI_NAME(di_activate)(float *y, int num_columns, int activation) {
    int i = 0;
    for (; i + VF_LANES <= num_columns; i += VF_LANES) vf_store(y + i, activated(vf_load(y + i), activation));
    if (i == num_columns) return;
    float lanes[VF_LANES] = {0};
    size_t rest = sizeof(float) * (size_t)(num_columns - i);
    memcpy(lanes, y + i, rest);
    vf_store(lanes, activated(vf_load(lanes), activation));
    memcpy(y + i, lanes, rest);
}

void DI_NAME(di_finish_gate_up)(const float *gate, const float *up, int num_columns, int activation, float *y) {
    for (int i = 0; i < num_columns; i += VF_LANES) {
        vf value = vf_mul(activated(vf_load(gate + i), activation), vf_load(up + i));
        float lanes[VF_LANES];
        if (i + VF_LANES <= num_columns) {
            vf_store(y + i, value);
        } else {
            vf_store(lanes, value);
            memcpy(y + i, lanes, sizeof(float) * (size_t)(num_columns - i));
        }
    }
}
