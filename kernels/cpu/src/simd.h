// Vectors of eight floats (vf) on every instruction set, so that sums have one order everywhere.
//
// Knows nothing of weights or attention. A file that includes this is compiled once per variant, see isa.h.
#ifndef DI_SIMD_H
#define DI_SIMD_H

#include <stdint.h>
#include <string.h>

#include "isa.h"

enum { VF_LANES = 8 };

#if defined(__x86_64__)
#include "simd_x86.h"
#elif defined(__aarch64__)
#include "simd_neon.h"
#else
#error "no vector instructions are known for this processor"
#endif

// Sum of the lanes, in one order everywhere: ((0+4)+(2+6)) + ((1+5)+(3+7)).
static inline float vf_sum(vf a) {
    float lanes[VF_LANES];
    vf_store(lanes, a);
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

// The largest lane of magnitudes, or NaN if one is NaN.
static inline float vf_largest_magnitude(vf a) {
    float lanes[VF_LANES];
    int32_t bits[VF_LANES], largest = 0;
    vf_store(lanes, a);
    memcpy(bits, lanes, sizeof bits);
    for (int i = 0; i < VF_LANES; i++) largest = bits[i] > largest ? bits[i] : largest;
    float value;
    memcpy(&value, &largest, sizeof value);
    return value;
}

// exp(x) of x up to 88.3 or NaN: 2**n * p(r) with x = n ln 2 + r, |r| <= ln 2 / 2, p fitted for the least relative error;
// relative error below 1e-7. NaN stays NaN; below -87.3 it is 1.2e-38.
static inline vf vf_exp_capped(vf x) {
    x = vf_max(vf_set(-87.3365447504019f), x); // this order keeps NaN
    // beside 1.5 * 2**23 a sum is rounded to a whole number, which its lowest bits hold
    vf shifted = vf_fma(x, vf_set(1.44269504088896341f), vf_set(0x1.8p23f));
    vf n = vf_sub(shifted, vf_set(0x1.8p23f));
    vf r = vf_fma(n, vf_set(-0.693359375f), x);
    r = vf_fma(n, vf_set(2.12194440e-4f), r);
    vf p = vf_set(1.3814540071e-3f);
    p = vf_fma(p, r, vf_set(8.3687451081e-3f));
    p = vf_fma(p, r, vf_set(4.1668390786e-2f));
    p = vf_fma(p, r, vf_set(1.6666520399e-1f));
    p = vf_fma(p, r, vf_set(4.9999993432e-1f));
    p = vf_fma(p, r, vf_set(1.0f));
    p = vf_fma(p, r, vf_set(1.0f));
    return vf_mul(p, vf_pow2_of_low_bits(shifted));
}

// exp(x), as above; from 88.3 on it is 2.4e38, never infinite.
static inline vf vf_exp(vf x) { return vf_exp_capped(vf_min(vf_set(88.3762626647949f), x)); }

// tanh(x) = 1 - 2 / (exp(2 x) + 1)
static inline vf vf_tanh(vf x) {
    vf e = vf_exp(vf_add(x, x));
    return vf_sub(vf_set(1.0f), vf_div(vf_set(2.0f), vf_add(e, vf_set(1.0f))));
}

#endif
