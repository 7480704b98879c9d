// See dense.h. An item is some outputs of one row.
#include "dense.h"

#include "kernels.h"
#include "simd.h"

static float dot(const float *a, const float *b, int n) {
    vf sums[4] = {vf_zero(), vf_zero(), vf_zero(), vf_zero()};
    int i = 0;
    for (; i + 4 * VF_LANES <= n; i += 4 * VF_LANES)
        for (int j = 0; j < 4; j++)
            sums[j] = vf_fma(vf_load(a + i + VF_LANES * j), vf_load(b + i + VF_LANES * j), sums[j]);
    float sum = vf_sum(vf_add(vf_add(sums[0], sums[1]), vf_add(sums[2], sums[3])));
    for (; i < n; i++) sum += a[i] * b[i];
    return sum;
}

void DI_NAME(di_dense)(const void *context, int item, int worker) {
    const di_dense *d = context;
    (void)worker;
    int chunks = di_dense_chunks(d), row = item / chunks, first = item % chunks * DI_DENSE_OUTPUTS;
    int end = first + DI_DENSE_OUTPUTS < d->num_outputs ? first + DI_DENSE_OUTPUTS : d->num_outputs;
    const float *x = d->x + (int64_t)row * d->num_columns;
    for (int output = first; output < end; output++)
        d->y[(int64_t)row * d->num_outputs + output] =
            dot(x, d->weight + (int64_t)output * d->num_columns, d->num_columns);
}
