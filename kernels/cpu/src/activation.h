// Activation functions, of vectors. A file that includes this is compiled once per variant.
#ifndef DI_ACTIVATION_H
#define DI_ACTIVATION_H

#include "kernels.h"
#include "simd.h"

static inline vf silu(vf x) { return vf_div(x, vf_add(vf_set(1.0f), vf_exp(vf_sub(vf_zero(), x)))); }

// 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x**3)))  (Hendrycks and Gimpel 2016)
static inline vf gelu_tanh(vf x) {
    vf cubic = vf_fma(vf_mul(vf_mul(x, x), x), vf_set(0.044715f), x);
    vf half = vf_mul(vf_set(0.5f), x);
    return vf_fma(half, vf_tanh(vf_mul(vf_set(0.7978845608f), cubic)), half);
}

// x Phi(x) = max(x, 0) - |x| Phi(-|x|), the tail by formula 7.1.26 of Abramowitz and Stegun (1964): its error is below
// 8e-8.
static inline vf gelu(vf x) {
    vf magnitude = vf_abs(x), z = vf_mul(magnitude, vf_set(0.7071067812f));
    vf t = vf_div(vf_set(1.0f), vf_fma(vf_set(0.3275911f), z, vf_set(1.0f)));
    vf p = vf_fma(vf_set(1.061405429f), t, vf_set(-1.453152027f));
    p = vf_fma(p, t, vf_set(1.421413741f));
    p = vf_fma(p, t, vf_set(-0.284496736f));
    p = vf_fma(p, t, vf_set(0.254829592f));
    vf tail = vf_mul(vf_mul(vf_mul(vf_set(0.5f), t), p), vf_exp(vf_sub(vf_zero(), vf_mul(z, z))));
    vf positive = vf_mul(vf_set(0.5f), vf_add(x, magnitude));
    return vf_sub(positive, vf_mul(magnitude, tail));
}

static inline vf activated(vf x, int activation) {
    switch (activation) {
    case DI_SILU: return silu(x);
    case DI_GELU_TANH: return gelu_tanh(x);
    default: return gelu(x);
    }
}

#endif
