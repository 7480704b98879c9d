// Vectors of sixteen lanes: two blocks of weights side by side, where registers hold as much (AVX-512 with VNNI).
#ifndef DI_SIXTEEN_H
#define DI_SIXTEEN_H

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

enum { SIXTEEN = 16, SIXTEEN_BYTES = 64 };

typedef __m512 vf16;
typedef __m512i vb16; // four codes of each of sixteen rows
typedef __m512i dot16;

static inline vf16 vf16_zero(void) { return _mm512_setzero_ps(); }
static inline vf16 vf16_load(const float *p) { return _mm512_loadu_ps(p); }
static inline void vf16_store(float *p, vf16 a) { _mm512_storeu_ps(p, a); }
// The first `count` lanes, which may be more than there are.
static inline __mmask16 vf16_first_lanes(int count) {
    return count < SIXTEEN ? (__mmask16)((1u << count) - 1) : (__mmask16)0xffff;
}
static inline vf16 vf16_load_lanes(const float *p, __mmask16 lanes) { return _mm512_maskz_loadu_ps(lanes, p); }
static inline void vf16_store_lanes(float *p, vf16 a, __mmask16 lanes) { _mm512_mask_storeu_ps(p, lanes, a); }
static inline vf16 vf16_set(float a) { return _mm512_set1_ps(a); }
static inline vf16 vf16_broadcast(const float *p) { return _mm512_set1_ps(*p); }
static inline vf16 vf16_add(vf16 a, vf16 b) { return _mm512_add_ps(a, b); }
static inline vf16 vf16_sub(vf16 a, vf16 b) { return _mm512_sub_ps(a, b); }
static inline vf16 vf16_div(vf16 a, vf16 b) { return _mm512_div_ps(a, b); }
static inline vf16 vf16_mul(vf16 a, vf16 b) { return _mm512_mul_ps(a, b); }
// b where either is NaN
static inline vf16 vf16_max(vf16 a, vf16 b) { return _mm512_max_ps(a, b); }
// a * b + c, rounded once
static inline vf16 vf16_fma(vf16 a, vf16 b, vf16 c) { return _mm512_fmadd_ps(a, b, c); }

static inline vb16 vb16_of(__m256i low, __m256i high) { return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1); }
static inline vf16 vf16_of(__m256 low, __m256 high) {
    return _mm512_castsi512_ps(vb16_of(_mm256_castps_si256(low), _mm256_castps_si256(high)));
}
static inline __m256 vf16_low(vf16 a) { return _mm512_castps512_ps256(a); }
static inline __m256 vf16_high(vf16 a) { return _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(a), 1)); }

static inline vb16 vb16_load(const uint8_t *p) { return _mm512_loadu_si512(p); }
static inline vb16 vb16_broadcast4(const int8_t *codes) {
    int32_t four;
    memcpy(&four, codes, sizeof four);
    return _mm512_set1_epi32(four);
}
// Keeps compilers from loading it once for each of its uses.
static inline vb16 vb16_in_register(vb16 a) {
    __asm__("" : "+v"(a));
    return a;
}

// vf_exp_capped in sixteen lanes: the same steps, see simd.h.
static inline vf16 vf16_exp_capped(vf16 x) {
    x = _mm512_max_ps(vf16_set(-87.3365447504019f), x); // this order keeps NaN
    vf16 shifted = vf16_fma(x, vf16_set(1.44269504088896341f), vf16_set(0x1.8p23f));
    vf16 n = vf16_sub(shifted, vf16_set(0x1.8p23f));
    vf16 r = vf16_fma(n, vf16_set(-0.693359375f), x);
    r = vf16_fma(n, vf16_set(2.12194440e-4f), r);
    vf16 p = vf16_set(1.3814540071e-3f);
    p = vf16_fma(p, r, vf16_set(8.3687451081e-3f));
    p = vf16_fma(p, r, vf16_set(4.1668390786e-2f));
    p = vf16_fma(p, r, vf16_set(1.6666520399e-1f));
    p = vf16_fma(p, r, vf16_set(4.9999993432e-1f));
    p = vf16_fma(p, r, vf16_set(1.0f));
    p = vf16_fma(p, r, vf16_set(1.0f));
    __m512i power = _mm512_add_epi32(_mm512_castps_si512(shifted), _mm512_set1_epi32(127));
    return vf16_mul(p, _mm512_castsi512_ps(_mm512_slli_epi32(power, 23)));
}

static inline vf16 vf16_exp(vf16 x) { return vf16_exp_capped(_mm512_min_ps(vf16_set(88.3762626647949f), x)); }

// A run's sums of products of codes, scaled and added to what the runs before it gave; the steps of tile.c, for its bits.
static inline vf16 vf16_add_run(vf16 total, vf16 sums, vf16 scale, vf16 minimum, vf16 x_scale, vf16 x_offset,
                                int has_minimum) {
    if (!has_minimum) return vf16_fma(scale, vf16_fma(sums, x_scale, x_offset), total);
    return vf16_fma(minimum, x_offset, vf16_fma(scale, vf16_mul(sums, x_scale), total));
}

static inline dot16 dot16_zero(void) { return _mm512_setzero_si512(); }
static inline dot16 dot16_add(dot16 sums, vb16 w, vb16 x) { return _mm512_dpbusd_epi32(sums, w, x); }
static inline vf16 dot16_sums(dot16 sums) { return _mm512_cvtepi32_ps(sums); }

#endif
