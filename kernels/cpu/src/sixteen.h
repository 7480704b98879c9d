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
static inline vf16 vf16_broadcast(const float *p) { return _mm512_set1_ps(*p); }
static inline vf16 vf16_add(vf16 a, vf16 b) { return _mm512_add_ps(a, b); }
static inline vf16 vf16_mul(vf16 a, vf16 b) { return _mm512_mul_ps(a, b); }
// a * b + c, rounded once
static inline vf16 vf16_fma(vf16 a, vf16 b, vf16 c) { return _mm512_fmadd_ps(a, b, c); }

static inline vb16 vb16_load(const uint8_t *p) { return _mm512_loadu_si512(p); }
static inline vb16 vb16_broadcast4(const int8_t *codes) {
    int32_t four;
    memcpy(&four, codes, sizeof four);
    return _mm512_set1_epi32(four);
}

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
