// Whole rows: RMSNorm, quantisation to eight bits, and what follows a linear. Knows nothing of threads.
#include "rows.h"

#include <math.h>

#include "kernels.h"
#include "simd.h"

static const float LARGEST_CODE = 127.0f;
// Below this magnitude 127 / magnitude overflows; such a run counts as zero.
static const float TINY = 1e-36f;

// 1 / sqrt(mean(x**2) + eps) of n values.
static float inverse_rms(const float *x, int n, float eps) {
    vf sums[4] = {vf_zero(), vf_zero(), vf_zero(), vf_zero()};
    int i = 0;
    for (; i + 4 * VF_LANES <= n; i += 4 * VF_LANES)
        for (int j = 0; j < 4; j++) {
            vf part = vf_load(x + i + VF_LANES * j);
            sums[j] = vf_fma(part, part, sums[j]);
        }
    float sum = vf_sum(vf_add(vf_add(sums[0], sums[1]), vf_add(sums[2], sums[3])));
    for (; i < n; i++) sum += x[i] * x[i];
    return 1.0f / sqrtf(sum / (float)n + eps);
}

// 32 values to codes: scale = max |x| / 127. A run that is not all finite gets a NaN as scale, so the result shows it.
static void quantise_run(const vf x[4], float offset_factor, di_run_codes *run) {
    vf largest = vf_max_magnitude(
        vf_max_magnitude(vf_abs(x[0]), vf_abs(x[1])), vf_max_magnitude(vf_abs(x[2]), vf_abs(x[3])));
    float magnitude = vf_largest_magnitude(largest);
    if (!(magnitude >= TINY && magnitude <= 3.4028234e38f)) {
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

void DI_NAME(di_quantise_rows)(
    const float *x, int num_rows, int num_columns, const float *norm, float eps, float offset_factor,
    struct di_run_codes *codes) {
    for (int row = 0; row < num_rows; row++, x += num_columns) {
        vf inverse = vf_set(norm ? inverse_rms(x, num_columns, eps) : 1.0f);
        for (int column = 0; column < num_columns; column += DI_RUN) {
            vf parts[4];
            for (int j = 0; j < 4; j++) {
                parts[j] = vf_load(x + column + VF_LANES * j);
                if (norm) parts[j] = vf_mul(vf_mul(parts[j], inverse), vf_load(norm + column + VF_LANES * j));
            }
            quantise_run(parts, offset_factor, codes++);
        }
    }
}

void DI_NAME(di_add_normed_row)(const float *residual, const float *norm, float eps, int num_columns, float *y) {
    float inverse = inverse_rms(y, num_columns, eps);
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

static vf silu(vf x) { return vf_div(x, vf_add(vf_set(1.0f), vf_exp(vf_sub(vf_zero(), x)))); }

// 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x**3)))  (Hendrycks and Gimpel 2016)
static vf gelu_tanh(vf x) {
    vf cubic = vf_fma(vf_mul(vf_mul(x, x), x), vf_set(0.044715f), x);
    vf half = vf_mul(vf_set(0.5f), x);
    return vf_fma(half, vf_tanh(vf_mul(vf_set(0.7978845608f), cubic)), half);
}

void DI_NAME(di_finish_gate_up)(const float *gate, const float *up, int num_columns, int activation, float *y) {
    for (int i = 0; i < num_columns; i += VF_LANES) {
        vf g = vf_load(gate + i);
        vf value = vf_mul(activation == DI_SILU ? silu(g) : gelu_tanh(g), vf_load(up + i));
        float lanes[VF_LANES];
        if (i + VF_LANES <= num_columns) {
            vf_store(y + i, value);
        } else {
            vf_store(lanes, value);
            memcpy(y + i, lanes, sizeof(float) * (size_t)(num_columns - i));
        }
    }
}
